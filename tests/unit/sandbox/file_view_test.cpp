#include "sandbox/file_view.hpp"

#include <algorithm>
#include <string>

#include "support/catch.hpp"

using namespace cellblock::sandbox;

namespace {

bool has(const std::vector<PathRule>& rules, const std::string& path, PathAccess access) {
  return std::any_of(rules.begin(), rules.end(), [&](const PathRule& rule) {
    return rule.path == path && rule.access == access;
  });
}

}  // namespace

TEST_CASE("Python's folders and the fonts can be read, and nothing but devices written") {
  const auto rules = file_view({.folders = {"/opt/venv", "/opt/python"}, .font_cache = "/c/fonts"});
  for (const char* path : {"/usr", "/opt/venv", "/opt/python", "/c/fonts"}) {
    INFO(path);
    CHECK(has(rules, path, PathAccess::read));
  }
  CHECK(has(rules, "/dev/null", PathAccess::device));
  for (const PathRule& rule : rules) {
    INFO(rule.path);
    CHECK(rule.access != PathAccess::read_write);
    CHECK((rule.access == PathAccess::device) == rule.path.starts_with("/dev/"));
  }
}

TEST_CASE("A prefix that is the root, and a search path that is no path, open nothing") {
  const auto rules = file_view({.folders = {"/", "", "relative"}, .font_cache = ""});
  CHECK(rules.size() == file_view({}).size());
}
