#include "host/workspace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/tree_removal.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using Catch::Matchers::ContainsSubstring;
using cellblock::host::Workspace;
using cellblock::test::read_file;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;

namespace {

constexpr auto kReplace = Workspace::Write::replace;
constexpr auto kAppend = Workspace::Write::append;

/// A workspace beside a secret that no name may reach.
struct Place {
  explicit Place(const SecurityPolicy& policy = {})
      : workspace(*Workspace::create(scratch / "w", policy)) {
    write_file(scratch / "secret", "secret");
    std::filesystem::create_directory(scratch / "outside");
    write_file(scratch / "outside/kept", "kept");
  }

  [[nodiscard]] std::string inside(const std::string& name) const {
    return workspace.path() + "/" + name;
  }
  [[nodiscard]] ErrorKind upload_error(const std::string& path) const {
    const auto result = workspace.upload(path, "data", kReplace);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.ends_with("."));
    return result.error().kind;
  }
  [[nodiscard]] ErrorKind download_error(const std::string& path) const {
    const auto result = workspace.download(path, 0, std::nullopt);
    REQUIRE_FALSE(result);
    CHECK(result.error().message.ends_with("."));
    // What a file is like is told by the same rules.
    if (result.error().kind == ErrorKind::bad_argument) {
      const auto told = workspace.stat(path);
      REQUIRE_FALSE(told);
      CHECK(told.error().message == result.error().message);
    }
    return result.error().kind;
  }

  ScratchFolder scratch;
  Workspace workspace;
};

std::string nested(std::size_t depth) {
  std::string path;
  for (std::size_t i = 0; i < depth; ++i) path += "d/";
  return path;
}

/// Folders one in the other, deeper than any path can name.
void make_deep(const std::string& top, int depth) {
  int folder = ::open(top.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(folder >= 0);
  for (int i = 0; i < depth; ++i) {
    REQUIRE(::mkdirat(folder, "deep", 0700) == 0);
    const int inner = ::openat(folder, "deep", O_RDONLY | O_DIRECTORY);
    REQUIRE(inner >= 0);
    ::close(folder);
    folder = inner;
  }
  ::close(::openat(folder, "file", O_CREAT | O_WRONLY, 0600));
  ::close(folder);
}

}  // namespace

TEST_CASE("A workspace is a private folder that ends with its owner") {
  const ScratchFolder scratch;
  {
    const auto workspace = Workspace::create(scratch / "w", {});
    REQUIRE(workspace);
    struct stat status {};
    REQUIRE(::stat((scratch / "w").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
    write_file(scratch / "w/file", "x");
  }
  CHECK_FALSE(std::filesystem::exists(scratch / "w"));
}

TEST_CASE("A host folder as the workspace stays with its files") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "data");
  {
    const auto workspace = Workspace::open(scratch / "data", {});
    REQUIRE(workspace);
    REQUIRE(workspace->upload("a.csv", "1,2", kReplace));
  }
  CHECK(read_file(scratch / "data/a.csv") == "1,2");
  const auto missing = Workspace::open(scratch / "missing", {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::bad_argument);
  CHECK_THAT(missing.error().message, ContainsSubstring("workspace_dir"));
}

TEST_CASE("Uploads replace, append and make folders; downloads take parts") {
  const Place place;
  CHECK(*place.workspace.upload("a/b/c.txt", "0123", kReplace) == "a/b/c.txt");
  REQUIRE(place.workspace.upload("a/b/c.txt", "456789", kAppend));
  CHECK(read_file(place.inside("a/b/c.txt")) == "0123456789");
  CHECK(*place.workspace.download("a/b/c.txt", 0, std::nullopt) == "0123456789");
  CHECK(*place.workspace.download("a/b/c.txt", 8, 100) == "89");
  CHECK(*place.workspace.download("a/b/c.txt", 2, 3) == "234");
  CHECK(place.workspace.download("a/b/c.txt", 10, std::nullopt)->empty());
  CHECK(place.workspace.download("a/b/c.txt", ~0ULL, ~0ULL)->empty());
  CHECK(place.workspace.download("a/b/c.txt", 0, 0)->empty());
  REQUIRE(place.workspace.upload("a/b/c.txt", "new", kReplace));
  CHECK(read_file(place.inside("a/b/c.txt")) == "new");
  REQUIRE(place.workspace.upload("fresh", "x", kAppend));
  CHECK(read_file(place.inside("fresh")) == "x");
  CHECK(place.workspace.upload("empty", "", kReplace).has_value());
  CHECK(place.workspace.download("empty", 0, std::nullopt)->empty());
}

TEST_CASE("One file is told as in the list of all") {
  const Place place;
  REQUIRE(place.workspace.upload("a/b.csv", "0123", kReplace));
  const auto file = place.workspace.stat("a/b.csv");
  REQUIRE(file);
  CHECK(file->path == "a/b.csv");
  CHECK(file->size == 4);
  CHECK(file->mime == "text/csv");
}

TEST_CASE("A path that leads outside, or is none, is refused both ways") {
  const Place place;
  const std::string secret = place.scratch / "secret";
  for (const std::string& path :
       {std::string(), std::string("."), std::string(".."), std::string("../secret"),
        std::string("a/../../secret"), std::string("a/.."), std::string("./a"), std::string("a//b"),
        std::string("a/"), std::string("/"), secret, "/" + secret, std::string("a\0b", 3),
        std::string("\0", 1), std::string(256, 'n'), nested(65) + "f", std::string(1025, 'a'),
        nested(10) + ".."}) {
    INFO(path.substr(0, 80));
    CHECK(place.upload_error(path) == ErrorKind::bad_argument);
    CHECK(place.download_error(path) == ErrorKind::bad_argument);
  }
  CHECK(std::filesystem::is_empty(place.workspace.path()));
  CHECK(read_file(secret) == "secret");
  CHECK(place.workspace.upload(nested(63) + "f", "x", kReplace).has_value());
  CHECK(place.workspace.upload("...", "x", kReplace).has_value());
}

TEST_CASE("A path as the session's code has it is the same file, and nothing else absolute is") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "data");
  std::filesystem::create_directory(scratch / "data2");
  std::filesystem::create_symlink(scratch / "data", scratch / "link");
  write_file(scratch / "secret", "secret");
  write_file(scratch / "data2/x", "secret");
  const auto in_place = Workspace::open(scratch / "link/", {});
  const auto in_cage = Workspace::open(scratch / "data", {}, Workspace::SeenAs::cage_workspace);
  REQUIRE((in_place && in_cage));
  const auto check = [](const Workspace& workspace, const std::string& own) {
    INFO(own);
    CHECK(workspace.upload(own + "/sub/x", "data", kReplace).value() == "sub/x");
    CHECK(workspace.upload(own + "/sub/x", "+", kAppend).value() == "sub/x");
    CHECK(workspace.download(own + "/sub/x", 0, std::nullopt).value() == "data+");
    CHECK(workspace.stat(own + "/sub/x")->path == "sub/x");
    for (const char* rest : {"", "/", "//sub/x", "/./sub/x", "/../secret", "/sub/../../secret",
                             "/sub/..", "2/x", "sub/x"}) {
      INFO(rest);
      const auto refused = workspace.download(own + rest, 0, std::nullopt);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().kind == ErrorKind::bad_argument);
      CHECK_FALSE(workspace.upload(own + rest, "data", kReplace).has_value());
      CHECK_FALSE(workspace.stat(own + rest).has_value());
    }
  };
  check(*in_place, scratch / "link");
  check(*in_place, scratch / "data");
  check(*in_cage, "/workspace");
  check(*in_cage, "/s/workspace");
  CHECK_FALSE(in_cage->stat(scratch / "data/sub/x").has_value());
  CHECK_FALSE(in_place->stat("/workspace/sub/x").has_value());
}

TEST_CASE("No link is followed, at the end or on the way") {
  const Place place;
  const std::vector<std::pair<std::string, std::string>> links{
      {"file", place.scratch / "secret"},
      {"up", "../secret"},
      {"folder", place.scratch / "outside"},
      {"dangling", place.scratch / "made"},
      {"self", "self"},
      {"root", "/"},
      {"proc", "/proc/self/root"},
      {"here", "real"}};
  write_file(place.inside("real"), "real");
  std::filesystem::create_directory(place.inside("sub"));
  for (const auto& [name, target] : links) {
    std::filesystem::create_symlink(target, place.inside(name));
    std::filesystem::create_symlink(target, place.inside("sub/" + name));
  }
  for (const auto& [name, target] : links) {
    for (const std::string& path : {name, "sub/" + name, name + "/kept", name + "/new/file"}) {
      INFO(path);
      CHECK(place.upload_error(path) == ErrorKind::bad_argument);
      CHECK(place.download_error(path) == ErrorKind::bad_argument);
    }
  }
  CHECK(read_file(place.scratch / "secret") == "secret");
  CHECK(read_file(place.scratch / "outside/kept") == "kept");
  CHECK_FALSE(std::filesystem::exists(place.scratch / "made"));
  CHECK(std::distance(std::filesystem::directory_iterator(place.scratch / "outside"), {}) == 1);
  // Nor is one listed.
  CHECK(place.workspace.scan().size() == 1);
}

TEST_CASE("A FIFO or folder is no file, and hangs nobody") {
  const Place place;
  REQUIRE(::mkfifo(place.inside("pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(place.inside("folder"));
  for (const char* name : {"pipe", "folder"}) {
    INFO(name);
    CHECK(place.upload_error(name) == ErrorKind::bad_argument);
    CHECK(place.download_error(name) == ErrorKind::bad_argument);
  }
  CHECK(place.upload_error("pipe/x") == ErrorKind::bad_argument);
  // One that somebody reads from can be opened: it still takes nothing.
  const int reader = ::open(place.inside("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  CHECK(place.upload_error("pipe") == ErrorKind::bad_argument);
  char byte = 0;
  CHECK(::read(reader, &byte, 1) <= 0);
  ::close(reader);
  CHECK(place.workspace.files()->empty());
}

TEST_CASE("A file that does not exist is an answer, and no file comes of it") {
  const Place place;
  CHECK(place.download_error("nothing") == ErrorKind::bad_argument);
  CHECK(place.download_error("no/such/folder") == ErrorKind::bad_argument);
  CHECK(std::filesystem::is_empty(place.workspace.path()));
}

TEST_CASE("A sparse file larger than memory is refused whole and given in parts") {
  const Place place;
  write_file(place.inside("sparse"), "begin");
  const Bytes size = 1ULL << 40;
  if (::truncate(place.inside("sparse").c_str(), static_cast<off_t>(size)) != 0) {
    CELLBLOCK_SKIP("the file system of the temporary folder takes no file of 1 TiB");
  }
  CHECK(place.download_error("sparse") == ErrorKind::too_large);
  CHECK(*place.workspace.download("sparse", 0, 5) == "begin");
  CHECK(place.workspace.download("sparse", size - 3, std::nullopt)->size() == 3);
  REQUIRE(place.workspace.files()->size() == 1);
  CHECK(place.workspace.files()->front().size == size);

  SecurityPolicy unlimited;
  unlimited.max_file_bytes.reset();
  const auto open = Workspace::open(place.workspace.path(), unlimited);
  const auto whole = open->download("sparse", 0, std::nullopt);
  REQUIRE_FALSE(whole);
  CHECK(whole.error().kind == ErrorKind::too_large);
}

TEST_CASE("Odd names are files like others") {
  const Place place;
  for (const std::string& name :
       {std::string("new\nline"), std::string("\xFF\xFE"), std::string("-rf"), std::string(" "),
        std::string("\x1B[31m.csv"), std::string("ü/€"), std::string(255, 'n')}) {
    CHECK(*place.workspace.upload(name, name, kReplace) == name);
    CHECK(*place.workspace.download(name, 0, std::nullopt) == name);
  }
  bool replaced = false;
  const auto files = *place.workspace.files();
  for (const auto& file : files) {
    replaced |= file.path == "\xEF\xBF\xBD\xEF\xBF\xBD";
    if (file.path == "\x1B[31m.csv") CHECK(file.mime == "text/csv");
  }
  CHECK(replaced);
  CHECK(files.size() == 7);
}

TEST_CASE("A file over the policy's size is refused and leaves nothing") {
  SecurityPolicy policy;
  policy.max_file_bytes = 10;
  const Place place(policy);
  CHECK(place.workspace.upload("ten", "0123456789", kReplace).has_value());
  const auto eleven = place.workspace.upload("eleven", "0123456789X", kReplace);
  REQUIRE_FALSE(eleven);
  CHECK(eleven.error().kind == ErrorKind::too_large);
  CHECK_THAT(eleven.error().message, ContainsSubstring("max_file_bytes"));
  CHECK_FALSE(std::filesystem::exists(place.inside("eleven")));
  CHECK_FALSE(place.workspace.upload("ten", "X", kAppend).has_value());
  CHECK(read_file(place.inside("ten")) == "0123456789");
  CHECK_FALSE(place.workspace.upload("ten", "0123456789X", kReplace).has_value());
  CHECK(read_file(place.inside("ten")) == "0123456789");
}

TEST_CASE("A full workspace takes no more, and a file that is replaced counts once") {
  SecurityPolicy policy;
  policy.workspace_bytes = 4096;
  const Place place(policy);
  REQUIRE(place.workspace.upload("a", std::string(3000, 'a'), kReplace));
  CHECK(place.workspace.upload("a", std::string(4096, 'b'), kReplace).has_value());
  CHECK(place.workspace.upload("a", std::string(2000, 'c'), kReplace).has_value());
  CHECK(place.workspace.upload("a", std::string(2096, 'd'), kAppend).has_value());
  const auto more = place.workspace.upload("b", "x", kReplace);
  REQUIRE_FALSE(more);
  CHECK(more.error().kind == ErrorKind::too_large);
  CHECK_THAT(more.error().message, ContainsSubstring("workspace_bytes"));
  CHECK_FALSE(std::filesystem::exists(place.inside("b")));
  CHECK_FALSE(place.workspace.upload("a", "x", kAppend).has_value());
}

TEST_CASE("As many files are taken as the policy says") {
  SecurityPolicy policy;
  policy.workspace_files = 3;
  const Place place(policy);
  for (const char* name : {"1", "2", "3"}) {
    CHECK(place.workspace.upload(name, "x", kReplace).has_value());
  }
  const auto fourth = place.workspace.upload("4", "x", kReplace);
  REQUIRE_FALSE(fourth);
  CHECK(fourth.error().kind == ErrorKind::too_large);
  CHECK(place.workspace.upload("3", "replaced", kReplace).has_value());
  CHECK(place.workspace.upload("3", "more", kAppend).has_value());
  for (int i = 4; i < 20; ++i) write_file(place.inside(std::to_string(i)), "made by the session");
  CHECK(place.workspace.scan().size() == 3);
}

TEST_CASE("Changes are told by what was created, changed and deleted") {
  const Place place;
  std::filesystem::create_directory(place.inside("sub"));
  write_file(place.inside("kept"), "1");
  write_file(place.inside("changed"), "1");
  write_file(place.inside("sub/deleted.csv"), "12");
  const auto before = place.workspace.scan();
  write_file(place.inside("changed"), "22");
  write_file(place.inside("created.png"), "1");
  std::filesystem::remove(place.inside("sub/deleted.csv"));
  const auto changes = host::compare(before, place.workspace.scan());
  REQUIRE(changes.created.size() == 1);
  CHECK(changes.created[0].path == "created.png");
  CHECK(changes.created[0].mime == "image/png");
  REQUIRE(changes.changed.size() == 1);
  CHECK(changes.changed[0].path == "changed");
  CHECK(changes.changed[0].size == 2);
  REQUIRE(changes.deleted.size() == 1);
  CHECK(changes.deleted[0].path == "sub/deleted.csv");
  CHECK(host::compare(before, before).created.empty());
}

TEST_CASE("A file that was replaced by another of the same size is changed") {
  const Place place;
  write_file(place.inside("a"), "1");
  const auto before = place.workspace.scan();
  write_file(place.inside("b"), "2");
  std::filesystem::rename(place.inside("b"), place.inside("a"));
  CHECK(host::compare(before, place.workspace.scan()).changed.size() == 1);
}

TEST_CASE("Folders a thousand deep are scanned in bounds and removed") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "w");
  make_deep(scratch / "w", 1000);
  CHECK(Workspace::open(scratch / "w", {})->scan().empty());
  host::remove_tree(scratch / "w");
  CHECK_FALSE(std::filesystem::exists(scratch / "w"));
}
