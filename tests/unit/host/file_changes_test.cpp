// What changes are together, and who of those that share a workspace is told of them.
#include "host/file_changes.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/shared_workspace.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using namespace cellblock::host;
using namespace cellblock::test;

namespace {

std::vector<FileInfo> files(const std::vector<std::string>& paths, Bytes size = 1) {
  std::vector<FileInfo> list;
  for (const std::string& path : paths) list.push_back({.path = path, .size = size, .mime = {}});
  return list;
}

std::string names(const std::vector<FileInfo>& list) {
  std::string text;
  for (const FileInfo& file : list) text += file.path;
  return text;
}

}  // namespace

TEST_CASE("Changes in a row are told as what they amount to") {
  FileChanges changes{.created = files({"a", "b"}), .changed = files({"c", "d"}), .deleted = {}};
  merge(changes, {});
  CHECK(names(changes.created) == "ab");
  merge(changes,
        {.created = files({"e"}), .changed = files({"a", "f"}, 7), .deleted = files({"b", "c"})});
  CHECK(names(changes.created) == "ae");
  CHECK(changes.created.front().size == 7);
  CHECK(names(changes.changed) == "df");
  CHECK(names(changes.deleted) == "c");
  merge(changes, {.created = files({"c"}), .changed = {}, .deleted = {}});
  CHECK(names(changes.changed) == "cdf");
  CHECK(changes.deleted.empty());
}

TEST_CASE("A change is told to who ends next, and to those that were under way") {
  const ScratchFolder scratch;
  const SecurityPolicy policy;
  SharedWorkspace workspace(policy, *Workspace::open(scratch.path(), policy));
  const auto first = workspace.add_reader();
  const auto second = workspace.add_reader();
  const auto idle = workspace.add_reader();
  const auto write = [&](const char* name) { std::ofstream(scratch / name) << name; };

  first->begin();
  second->begin();
  write("a");
  CHECK(names(workspace.take_changes(*first).created) == "a");
  first->begin();
  write("b");
  CHECK(names(workspace.take_changes(*second).created) == "ab");
  CHECK(names(workspace.take_changes(*first).created) == "b");
  idle->begin();
  CHECK(workspace.take_changes(*idle).created.empty());
  REQUIRE(workspace.upload("c", "from the host", Workspace::Write::replace));
  second->begin();
  CHECK(workspace.take_changes(*second).created.empty());

  CHECK(workspace.give_up());
  CHECK_FALSE(workspace.is_there());
  CHECK(workspace.take_changes(*first).created.empty());
  CHECK(workspace.files().error().kind == ErrorKind::host_error);
}
