// Catch2, whichever version the system has, and how a test says that it cannot run here.
#pragma once

#ifdef CELLBLOCK_CATCH2_V3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
// v3's name for what v2 calls Contains.
// NOLINTNEXTLINE(readability-identifier-naming)
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers
#endif

#include <string_view>

namespace cellblock::test {

/// Tells the reason where the caller of the tests can see it. With CELLBLOCK_TEST_REQUIRE_ALL=1 it
/// throws instead, which fails the test.
void report_skip(std::string_view reason);

}  // namespace cellblock::test

/// Ends the test case, because this machine lacks something; `reason` is one sentence.
/// Only in a test case itself: it returns.
#define CELLBLOCK_SKIP(reason)              \
  do {                                      \
    ::cellblock::test::report_skip(reason); \
    return;                                 \
  } while (false)
