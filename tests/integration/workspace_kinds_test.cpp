// Workspaces of different policies in one executor, one after the other and side by side.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

SecurityPolicy in_folder(const std::string& folder) {
  SecurityPolicy policy;
  policy.workspace_dir = folder;
  return policy;
}

SecurityPolicy with_bytes(Bytes bytes) {
  SecurityPolicy policy;
  policy.workspace_bytes = bytes;
  return policy;
}

bool in_memory(const Session& session) { return layer_of(session.isolation(), "mounts").on; }

constexpr const char* kCapacity = "import os\ns = os.statvfs('.')\ns.f_blocks * s.f_frsize >> 20";

}  // namespace

TEST_CASE("Each session gets its own policy's workspace, whatever the last one's was") {
  const ScratchFolder folder;
  write_file(folder / "mine", "x");
  for (int round = 0; round < 3; ++round) {
    auto small = open_session(shared_executor(), with_bytes(4ULL << 20));
    auto large = open_session(shared_executor(), with_bytes(32ULL << 20));
    if (in_memory(small)) {
      CHECK(small.run(kCapacity).text == "4");
      CHECK(large.run(kCapacity).text == "32");
    }
    auto first = open_session(shared_executor(), in_folder(folder.path()));
    auto second = open_session(shared_executor(), in_folder(folder.path()));
    for (Session* session : {&first, &second}) {
      CHECK(session->run("import os\n'mine' in os.listdir('.')").text == "True");
    }
    auto again = open_session(shared_executor(), with_bytes(4ULL << 20));
    CHECK(again.run("import os\nos.listdir('.')").text == "[]");
  }
}

TEST_CASE("What a session leaves in a folder of the machine stays, and is its owner's") {
  const ScratchFolder folder;
  {
    auto session = open_session(shared_executor(), in_folder(folder.path()));
    REQUIRE(session.run("open('left', 'w').write('hello')").status == Status::ok);
    CHECK(session.download("left").value() == "hello");
    REQUIRE(session.upload("sent", "from the host"));
    CHECK(session.run("open('sent').read()").text == "'from the host'");
  }
  struct stat status {};
  REQUIRE(::stat((folder / "left").c_str(), &status) == 0);
  CHECK(status.st_uid == ::geteuid());
  CHECK(read_file(folder / "left") == "hello");
}

TEST_CASE("A killed session's successor has every file of its workspace, and none of its names") {
  auto session = open_session(shared_executor());
  REQUIRE(session
              .run("import os\n"
                   "os.makedirs('a/b')\n"
                   "open('a/b/deep', 'w').write('deep')\n"
                   "os.symlink('a/b/deep', 'link'); os.link('a/b/deep', 'twin')\n"
                   "with open('sparse', 'wb') as f: f.truncate(60 << 20)\n"
                   "os.utime('a/b/deep', (1000, 2000))\n"
                   "x = 1")
              .status == Status::ok);
  REQUIRE(session.upload("sent", "from the host"));
  CHECK(session.run("os.kill(os.getpid(), 9)").state == State::lost);
  CHECK(session
            .run("import os\n"
                 "(open('a/b/deep').read(), os.readlink('link'), os.stat('twin').st_nlink,\n"
                 " os.stat('sparse').st_size >> 20, os.stat('sparse').st_blocks < 100,\n"
                 " int(os.stat('twin').st_mtime), open('sent').read(), 'x' in globals())")
            .text == "('deep', 'a/b/deep', 2, 60, True, 2000, 'from the host', False)");
  const auto next = session.run("open('more', 'w').close(); os.remove('twin')");
  REQUIRE(next.files.created.size() == 1);
  CHECK(next.files.created.front().path == "more");
  CHECK(next.files.deleted.size() == 1);
}

TEST_CASE("A policy's read_paths can be read at their own places by its sessions alone") {
  const ScratchFolder outside;
  const std::string root = "/cellblock-test-" + std::to_string(::getpid());
  const bool at_top = ::mkdir(root.c_str(), 0755) == 0;
  const std::string folder = at_top ? root : outside.path();
  std::filesystem::create_directories(folder + "/shown/deep");
  std::filesystem::create_directories(folder + "/hidden");
  std::filesystem::permissions(outside.path(), std::filesystem::perms(0755));
  write_file(folder + "/shown/deep/data", "1,2");
  write_file(folder + "/hidden/data", "secret");
  SecurityPolicy policy;
  policy.read_paths = {folder + "/shown", folder + "/shown/deep"};
  {
    auto session = open_session(shared_executor(), policy);
    auto other = open_session(shared_executor());
    const std::string open_shown = "open('" + folder + "/shown/deep/data')";
    CHECK(session.run(open_shown + ".read()").text == "'1,2'");
    CHECK_THAT(session.run("open('" + folder + "/hidden/data')").error->name,
               ContainsSubstring("Error"));
    const auto refused = session.run("open('" + folder + "/shown/new', 'w')");
    CHECK(refused.status == Status::error);
    const auto elsewhere = other.run(open_shown);
    REQUIRE(elsewhere.error);
    CHECK((elsewhere.error->name == "FileNotFoundError" ||
           elsewhere.error->name == "PermissionError"));
    // A successor sees them too.
    CHECK(session.run("import os; os.kill(os.getpid(), 9)").state == State::lost);
    CHECK(session.run(open_shown + ".read()").text == "'1,2'");
  }
  if (at_top) std::filesystem::remove_all(root);
}

TEST_CASE("A read path that is not there, or lies in the session's own folders, is refused") {
  SecurityPolicy policy;
  policy.read_paths = {"/no/such/folder"};
  const auto missing = shared_executor().open_session(policy);
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, ContainsSubstring("/no/such/folder"));
}

TEST_CASE("Past its caps the workspace is full, for the session and for uploads") {
  SecurityPolicy policy;
  policy.workspace_bytes = 4ULL << 20;
  policy.workspace_files = 10;
  auto session = open_session(shared_executor(), policy);
  if (!in_memory(session)) return;  // then the host counts uploads, which other tests show
  const auto full = session.run("open('big', 'wb').write(b'x' * (8 << 20))");
  REQUIRE(full.error);
  CHECK_THAT(full.error->value, ContainsSubstring("No space left"));
  CHECK(session.run("import os\nos.remove('big')").status == Status::ok);
  const auto many = session.run("for i in range(100): open(str(i), 'w').close()");
  CHECK_THAT(many.error->value, ContainsSubstring("No space left"));
  const auto upload = session.upload("more", "x");
  REQUIRE_FALSE(upload);
  CHECK(upload.error().kind == ErrorKind::too_large);
  CHECK_THAT(upload.error().message, ContainsSubstring("The workspace is full"));
  CHECK(session.run("for i in range(9): os.remove(str(i))").status == Status::ok);
  CHECK(session.upload("more", "x"));
}
