#include "sandbox/file_view.hpp"

#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock::sandbox;

namespace {

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

TEST_CASE("Libraries, data and Python's folders can be read, and no program") {
  const cellblock::test::ScratchFolder venv;
  const auto view = make_file_view({venv.path(), venv.path() + "/", "/usr/lib/python3"});
  CHECK(has(view.readable, "/usr/lib"));
  CHECK(has(view.readable, "/usr/share"));
  CHECK(has(view.readable, venv.path()));
  CHECK(has(view.devices, "/dev/null"));
  CHECK(shows(view, "/usr/lib/python3/dist-packages"));
  for (const char* hidden : {"/", "/usr", "/usr/bin", "/bin", "/etc", "/etc/passwd", "/proc",
                             "/sys", "/dev", "/home", "/root", "/usr/library"}) {
    INFO(hidden);
    CHECK_FALSE(shows(view, hidden));
  }
}

TEST_CASE("No readable path lies below another") {
  const auto view = make_file_view({"/usr/lib/python3", "/usr/lib/../lib/python3"});
  for (const std::string& path : view.readable) {
    INFO(path);
    CHECK(std::count_if(view.readable.begin(), view.readable.end(), [&](const std::string& other) {
            return path == other || path.starts_with(other + "/");
          }) == 1);
  }
}

TEST_CASE("A search path that is the root, no path or not there opens nothing") {
  const auto view = make_file_view({"/", "", "relative", "/no/such/folder", "//"});
  CHECK(view.readable == make_file_view({}).readable);
}
