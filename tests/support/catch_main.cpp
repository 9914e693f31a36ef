#ifndef CELLBLOCK_CATCH2_V3
#define CATCH_CONFIG_MAIN
#endif
#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#ifdef CELLBLOCK_CATCH2_V3
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#endif

namespace cellblock::test {

void report_skip(std::string_view reason) {
  const char* required = std::getenv("CELLBLOCK_TEST_REQUIRE_ALL");
  if (required != nullptr && std::string_view(required) == "1") {
    throw std::runtime_error("CELLBLOCK_TEST_REQUIRE_ALL is set, and this test cannot run: " +
                             std::string(reason));
  }
  const std::string line =
      "SKIPPED: " + Catch::getResultCapture().getCurrentTestName() + ": " + std::string(reason);
  std::cout << line << std::endl;
  // ctest shows no output of a test that passed: `./dev test` prints this file at the end.
  if (const char* path = std::getenv("CELLBLOCK_TEST_SKIP_LOG"); path != nullptr) {
    std::ofstream(path, std::ios::app) << line << '\n';
  }
}

}  // namespace cellblock::test
