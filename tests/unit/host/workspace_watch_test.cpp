#include "host/workspace_watch.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using namespace cellblock::host;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<std::string>;

Paths paths(const std::vector<FileInfo>& files) {
  Paths list;
  for (const auto& file : files) list.push_back(file.path);
  std::sort(list.begin(), list.end());
  return list;
}

struct Told {
  Paths created, changed, deleted;
  friend bool operator==(const Told&, const Told&) = default;
};

/// A workspace with 50 files in each of four folders, watched.
struct Place {
  explicit Place(int folders = 4) : workspace(*Workspace::create(scratch / "w", {})) {
    for (int folder = 0; folder < folders; ++folder) {
      fs::create_directory(inside("d" + std::to_string(folder)));
      for (int file = 0; file < 50; ++file) {
        write_file(inside("d" + std::to_string(folder) + "/f" + std::to_string(file)), "x");
      }
    }
    static_cast<void>(watch.take_changes());
    static_cast<void>(watch.take_changes());
  }
  [[nodiscard]] std::string inside(const std::string& name) const {
    return workspace.path() + "/" + name;
  }
  Told take() {
    const FileChanges changes = watch.take_changes();
    return {paths(changes.created), paths(changes.changed), paths(changes.deleted)};
  }

  ScratchFolder scratch;
  Workspace workspace;
  WorkspaceWatch watch{workspace};
};

/// False, and told, where this user may have no more watches.
bool watches(const Place& place) {
  if (place.watch.watching()) return true;
  test::report_skip("inotify gives this user no watch");
  return false;
}

}  // namespace

TEST_CASE("A small tree is walked, and tells what was created, changed and deleted") {
  Place place(1);
  CHECK_FALSE(place.watch.watching());
  write_file(place.inside("new.csv"), "1");
  write_file(place.inside("d0/f0"), "changed");
  fs::remove(place.inside("d0/f1"));
  CHECK(place.take() == Told{{"new.csv"}, {"d0/f0"}, {"d0/f1"}});
  CHECK(place.take() == Told{});
}

TEST_CASE("What is there at the start is no change") {
  ScratchFolder scratch;
  fs::create_directory(scratch / "w");
  write_file(scratch / "w/old", "x");
  const auto workspace = Workspace::open(scratch / "w", {});
  REQUIRE(workspace);
  WorkspaceWatch watch(*workspace);
  CHECK(watch.take_changes().created.empty());
}

TEST_CASE("A large tree is watched, and tells the same") {
  Place place;
  if (!watches(place)) return;
  CHECK(place.take() == Told{});
  write_file(place.inside("new.csv"), "1");
  write_file(place.inside("d0/f0"), "changed");
  fs::remove(place.inside("d3/f1"));
  CHECK(place.take() == Told{{"new.csv"}, {"d0/f0"}, {"d3/f1"}});
  CHECK(place.watch.watching());
  CHECK(place.take() == Told{});
}

TEST_CASE("New folders of a watched tree are followed, however deep they begin") {
  Place place;
  if (!watches(place)) return;
  fs::create_directories(place.inside("a/b/c"));
  write_file(place.inside("a/b/c/one"), "1");
  CHECK(place.take() == Told{{"a/b/c/one"}, {}, {}});
  write_file(place.inside("a/b/c/two"), "2");
  CHECK(place.take() == Told{{"a/b/c/two"}, {}, {}});
  fs::remove_all(place.inside("a"));
  CHECK(place.take() == Told{{}, {}, {"a/b/c/one", "a/b/c/two"}});
}

TEST_CASE("What lies too deep for a walk is not told by the kernel's word either") {
  Place place;
  if (!watches(place)) return;
  std::string folder = "z";
  for (int i = 1; i < 64; ++i) folder += "/z";
  fs::create_directories(place.inside(folder + "/z"));
  write_file(place.inside(folder + "/seen"), "x");
  write_file(place.inside(folder + "/z/unseen"), "x");
  CHECK(place.take() == Told{{folder + "/seen"}, {}, {}});
  fs::create_directory(place.inside("empty"));
  CHECK(place.take() == Told{});
  fs::rename(place.inside("empty"), place.inside("moved"));
  CHECK(place.take() == Told{});
}

TEST_CASE("A file that was made before the host wrote over it is told") {
  Place place(GENERATE(1, 4));
  write_file(place.inside("new"), "1");
  write_file(place.inside("d0/f0"), "longer");
  fs::remove(place.inside("d0/f1"));
  for (const char* path : {"new", "d0/f0", "d0/f1", "d0/f2"}) {
    place.watch.leave_out(path);
    write_file(place.inside(path), "by the host");
    place.watch.leave_out(std::nullopt);
    place.watch.note(path);
  }
  const FileChanges changes = place.watch.take_changes();
  CHECK(paths(changes.created) == Paths{"new"});
  CHECK(changes.created.at(0).size == 11);
  CHECK(paths(changes.changed) == Paths{"d0/f0"});
  CHECK(changes.deleted.empty());
  CHECK(place.take() == Told{});
}

TEST_CASE("A moved folder and a rename are seen in a watched tree") {
  Place place(2);
  if (!watches(place)) return;
  fs::rename(place.inside("d0/f0"), place.inside("d1/moved"));
  CHECK(place.take() == Told{{"d1/moved"}, {}, {"d0/f0"}});
  fs::rename(place.inside("d0"), place.inside("e0"));
  const Told told = place.take();
  CHECK(told.created.size() == 49);
  CHECK(told.deleted.size() == 49);
  write_file(place.inside("e0/f7"), "changed");
  CHECK(place.take() == Told{{}, {"e0/f7"}, {}});
}

TEST_CASE("More events than the kernel keeps are made up for by a walk") {
  Place place;
  if (!watches(place)) return;
  for (int i = 0; i < 20'000; ++i) {
    fs::permissions(place.inside("d0/f" + std::to_string(i % 2)), fs::perms(0600 + i % 2));
  }
  write_file(place.inside("late"), "1");
  CHECK(place.take().created == Paths{"late"});
}

TEST_CASE("What the host itself put there is no change, and hides none of the code's") {
  for (const int folders : {1, 4}) {
    Place place(folders);
    write_file(place.inside("of_the_code"), "1");
    REQUIRE(place.workspace.upload("of_the_host", "1", Workspace::Write::replace));
    place.watch.note("of_the_host");
    CHECK(place.take() == Told{{"of_the_code"}, {}, {}});
  }
}

TEST_CASE("Links, pipes and folders are no files of a watched tree") {
  Place place;
  if (!watches(place)) return;
  fs::create_symlink("d0/f0", place.inside("link"));
  fs::create_directory_symlink("/", place.inside("root"));
  ::mkfifo(place.inside("pipe").c_str(), 0600);
  fs::create_directory(place.inside("folder"));
  CHECK(place.take() == Told{});
}

TEST_CASE("What becomes of a file that the host is writing is told when it has done so") {
  Place place;
  if (!watches(place)) return;
  place.watch.leave_out("d0/f0");
  fs::remove(place.inside("d0/f0"));
  write_file(place.inside("d0/f1"), "by the code");
  CHECK(place.take() == Told{{}, {"d0/f1"}, {}});
  place.watch.leave_out(std::nullopt);
  place.watch.note("d0/f0");
  CHECK(place.take() == Told{{}, {}, {"d0/f0"}});
}
