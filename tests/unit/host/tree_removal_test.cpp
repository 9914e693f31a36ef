#include "host/tree_removal.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using cellblock::test::read_file;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;

TEST_CASE("Folders that were made unreadable are removed, at every depth") {
  const ScratchFolder scratch;
  for (const char* locked : {"w", "w/a", "w/a/b", "w/a/b/c"}) {
    INFO(locked);
    std::filesystem::create_directories(scratch / "w/a/b/c/d");
    write_file(scratch / "w/a/b/c/d/file", "x");
    write_file(scratch / "w/a/b/file", "x");
    REQUIRE(::chmod((scratch / locked).c_str(), 0) == 0);
    host::remove_tree(scratch / "w");
    CHECK_FALSE(std::filesystem::exists(scratch / "w"));
    ::chmod((scratch / locked).c_str(), 0700);
    std::filesystem::remove_all(scratch / "w");
  }
}

TEST_CASE("Names that get in the way of each other are removed all the same") {
  const ScratchFolder scratch;
  // Names like those that the removal gives to what it moves.
  for (const std::string& name :
       {std::string("a"), std::string("b"), std::string(".lifted-1"), std::string(".lifted-3")}) {
    for (int i = 1; i <= 3; ++i) {
      const std::string folder = scratch / ("w/" + name + "/.lifted-" + std::to_string(i));
      std::filesystem::create_directories(folder);
      write_file(folder + "/file", "x");
    }
    write_file(scratch / ("w/" + name + "/file"), "x");
  }
  host::remove_tree(scratch / "w");
  CHECK_FALSE(std::filesystem::exists(scratch / "w"));
}

TEST_CASE("A folder of files beside one that holds folders is removed whole") {
  const ScratchFolder scratch;
  // Whichever of the two comes first in the folder's order.
  for (const auto& [outer, blocking] :
       {std::pair("a", ".lifted-1"), std::pair("z", ".lifted-1"), std::pair("q", "q.1")}) {
    std::filesystem::create_directories(scratch / ("w/" + std::string(outer) + "/inner"));
    write_file(scratch / ("w/" + std::string(outer) + "/inner/file"), "x");
    std::filesystem::create_directories(scratch / ("w/" + std::string(blocking)));
    write_file(scratch / ("w/" + std::string(blocking) + "/file"), "x");
    host::remove_tree(scratch / "w");
    CHECK_FALSE(std::filesystem::exists(scratch / "w"));
  }
}

TEST_CASE("Removal never follows a link") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "outside");
  write_file(scratch / "outside/kept", "kept");
  REQUIRE(::chmod((scratch / "outside").c_str(), 0750) == 0);
  std::filesystem::create_directories(scratch / "w/sub/sub");
  for (const char* link : {"w/link", "w/sub/link", "w/sub/sub/link"}) {
    std::filesystem::create_directory_symlink(scratch / "outside", scratch / link);
    std::filesystem::create_symlink(scratch / "outside/kept", scratch / (std::string(link) + "2"));
  }
  host::remove_tree(scratch / "w");
  CHECK_FALSE(std::filesystem::exists(scratch / "w"));
  CHECK(read_file(scratch / "outside/kept") == "kept");
  struct stat status {};
  REQUIRE(::stat((scratch / "outside").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0750);

  std::filesystem::create_directory_symlink(scratch / "outside", scratch / "w");
  host::remove_tree(scratch / "w");
  CHECK(std::filesystem::is_symlink(scratch / "w"));
  CHECK(read_file(scratch / "outside/kept") == "kept");
  host::remove_tree(scratch / "absent");
}
