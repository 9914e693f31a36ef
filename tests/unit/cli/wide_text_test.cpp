#include "cli/wide_text.hpp"

#include "support/catch.hpp"

namespace cellblock::cli {
namespace {

TEST_CASE("a wide character is a code point") {
  CHECK(to_wide("aé漢📈") == L"aé漢📈");
  CHECK(to_wide("aé漢📈").size() == 4);
  CHECK(to_utf8(L"aé漢📈") == "aé漢📈");
}

TEST_CASE("what is no character is replaced") {
  CHECK(to_wide("a\xff") == L"a\xfffd");
  CHECK(to_utf8(std::wstring{static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x110000)}) ==
        "\ufffd\ufffd");
}

}  // namespace
}  // namespace cellblock::cli
