// What a session leaves in its workspace for the host to stumble over.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/utf8.hpp"
#include "host/tree_removal.hpp"
#include "host/workspace.hpp"
#include "security/attack_runner.hpp"
#include "security/outcome_table.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

constexpr auto kBound = 20s;

struct Pranks {
  const char* name;
  std::vector<std::string> without;  ///< "mounts": the workspace is a folder on disk
};

std::vector<Pranks> places() { return {{"in memory", {}}, {"on disk", {"mounts"}}}; }

SecurityPolicy prank_policy(const Pranks& place) {
  return attack_policy({.name = place.name, .without = place.without});
}

std::string host_file() { return attack_policy({}).env.at("HOST_FILE"); }

std::string message_of(const Expected<std::string>& answer) {
  return answer ? "it was done: " + *answer : answer.error().message;
}

/// Ends a session by its own hand, and waits until a successor has taken over.
void replace_process(Session& session) {
  const auto ended = session.run("import os; os._exit(0)");
  REQUIRE(ended.cause == Cause::exit);
  const auto next = session.run("1 + 1");
  INFO((next.error ? next.error->value : ""));
  REQUIRE(next.text == "2");
}

}  // namespace

TEST_CASE("The host follows no link that a session made") {
  for (const Pranks& place : places()) {
    INFO(place.name);
    attacked_executor()->switch_off(place.without);
    auto session = open_attacked(prank_policy(place));
    REQUIRE(session
                .run("import os\n"
                     "os.symlink(os.environ['HOST_FILE'], 'file')\n"
                     "os.symlink(os.path.dirname(os.environ['HOST_FILE']), 'folder')\n"
                     "os.symlink('file', 'chain')")
                .status == Status::ok);
    for (const char* path : {"file", "folder/secret", "chain"}) {
      CHECK_THAT(message_of(session.download(path)), ContainsSubstring("link"));
      CHECK_THAT(message_of(session.upload(path, "changed")), ContainsSubstring("cannot be used"));
      CHECK_THAT(message_of(session.append(path, "changed")), ContainsSubstring("cannot be used"));
    }
    CHECK(read_file(host_file()) == "swordfish");
    CHECK(session.files()->empty());
    replace_process(session);
    CHECK(session.run("import os; print(os.readlink('file') == os.environ['HOST_FILE'])").out ==
          "True\n");
    CHECK(session.files()->empty());
    record("D62", std::string("workspace ") + place.name, "beneath its descriptor only");
  }
  attacked_executor()->switch_off({});
}

TEST_CASE("A file that turns into a link while the host looks at it is never followed") {
  for (const Pranks& place : places()) {
    INFO(place.name);
    attacked_executor()->switch_off(place.without);
    auto session = open_attacked(prank_policy(place));
    const auto set_up = session.run(
        "import os\n"
        "open('own', 'w').write('own')\n"
        "os.symlink(os.environ['HOST_FILE'], 'link'); os.makedirs('real'); "
        "open('real/secret', 'w').write('own')\n"
        "os.symlink(os.path.dirname(os.environ['HOST_FILE']), 'aside')\n"
        // Two names change places at once, so that neither is ever missing.
        "import ctypes\n"
        "swap = lambda a, b: ctypes.CDLL(None).renameat2(-100, a, -100, b, 2)\n"
        "os.link('own', 'file')\n"
        "assert swap(b'file', b'link') == 0 and swap(b'real', b'aside') == 0");
    INFO((set_up.error ? set_up.error->traceback : ""));
    REQUIRE(set_up.status == Status::ok);
    auto swapping = session.start("while True: swap(b'file', b'link'); swap(b'real', b'aside')\n");
    int answers = 0;
    int refusals = 0;
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (std::chrono::steady_clock::now() < end) {
      for (const char* path : {"file", "real/secret"}) {
        const auto got = session.download(path);
        ++(got ? answers : refusals);
        if (got && *got != "own" && !got->empty()) FAIL_CHECK("the host read: " << *got);
      }
      static_cast<void>(session.upload("real/uploaded", "x"));
    }
    swapping.interrupt();
    const auto swapped = swapping.wait();
    INFO((swapped.error ? swapped.error->traceback : ""));
    CHECK(swapped.status == Status::cancelled);
    INFO("answers " << answers << ", refusals " << refusals);
    CHECK(answers > 0);
    CHECK(refusals > 0);
    CHECK(read_file(host_file()) == "swordfish");
    CHECK_FALSE(fs::exists(fs::path(host_file()).parent_path() / "uploaded"));
    CHECK(session.run("1 + 1").text == "2");
    record("D64", std::string("workspace ") + place.name, "beneath its descriptor only");
  }
  attacked_executor()->switch_off({});
}

TEST_CASE("Cleaning up a session's folder touches nothing outside of it") {
  const ScratchFolder outside;
  write_file(outside / "kept", "kept");
  const ScratchFolder parent;
  std::atomic<bool> stop{false};
  for (int round = 0; round < 20; ++round) {
    const std::string tree = parent / "tree";
    for (int n = 0; n < 20; ++n) fs::create_directories(tree + "/a/" + std::to_string(n) + "/b");
    fs::create_directory_symlink(outside.path(), tree + "/out");
    std::thread swapper([&] {
      while (!stop) {
        // A folder that the host goes into becomes a link, and a folder again.
        if (::rename((tree + "/a").c_str(), (tree + "/z").c_str()) == 0) {
          static_cast<void>(::symlink(outside.path().c_str(), (tree + "/a").c_str()));
          ::unlink((tree + "/a").c_str());
          ::rename((tree + "/z").c_str(), (tree + "/a").c_str());
        }
      }
    });
    host::remove_tree(tree);
    stop = true;
    swapper.join();
    stop = false;
    host::remove_tree(tree);
    CHECK_FALSE(fs::exists(tree));
    REQUIRE(read_file(outside / "kept") == "kept");
  }
  record("D65", "clean-up", "descriptors, no names followed");
}

TEST_CASE("A session's folder on disk is gone with it, whatever it holds") {
  attacked_executor()->switch_off({"mounts"});
  {
    const Traces before = [] {
      auto first = open_attacked(prank_policy({"on disk", {"mounts"}}));
      static_cast<void>(first.run("1"));
      return traces_now();
    }();
    auto session = open_attacked(prank_policy({"on disk", {"mounts"}}));
    const auto made = session.run(
        "import os\n"
        "os.symlink(os.path.dirname(os.environ['HOST_FILE']), 'out')\n"
        "os.makedirs('a/b/c'); open('a/b/c/f', 'w').close()\n"
        "home = os.getcwd()\n"
        "for n in range(300): os.mkdir('d'); os.chdir('d')\n"
        "os.chdir(home)\n"
        "os.mkfifo('fifo')\n"
        "print('made')");
    CHECK(made.out == "made\n");
    session.close();
    CHECK(wait_until([&] { return traces_now().files <= before.files; }, kBound));
    CHECK(read_file(host_file()) == "swordfish");
  }
  attacked_executor()->switch_off({});
}

TEST_CASE("Odd files cost the host bounded time, and their names are well-formed text") {
  for (const Pranks& place : places()) {
    INFO(place.name);
    attacked_executor()->switch_off(place.without);
    SecurityPolicy policy = prank_policy(place);
    policy.max_file_bytes = std::nullopt;
    auto session = open_attacked(policy);
    const auto begin = std::chrono::steady_clock::now();
    const auto made = session.run(
        "import os\n"
        "home = os.getcwd()\n"
        "with open('sparse', 'wb') as f: f.truncate(1 << 40)\n"
        "os.mkfifo('fifo')\n"
        "for name in (b'line\\nbreak', b'esc\\x1b[2J', b'invalid\\xff', b'n' * 255, b'-rf', b' "
        "'):\n"
        "    open(name, 'w').close()\n"
        "for n in range(1000): os.mkdir('d'); os.chdir('d')\n"
        "open('deepest', 'w').close(); os.chdir(home)\n"
        "os.mkdir('shut'); open('shut/f', 'w').close(); open('mode', 'w').close()\n"
        "try: os.chmod('shut', 0); os.chmod('mode', 0)\n"
        "except PermissionError: pass  # where the machine's files are in view\n"
        "os.link('sparse', 'twin'); os.symlink('loop', 'loop')\n"
        "print('made')");
    INFO(made.err << (made.error ? made.error->traceback : ""));
    REQUIRE(made.out == "made\n");
    // What goes to a program is one line of JSON, whatever the names are.
    const auto json = nlohmann::json::parse(made.to_json());
    CHECK(json["files"]["created"].size() >= 8);
    CHECK(made.to_json().find('\x1b') == std::string::npos);
    for (const FileInfo& file : made.files.created)
      CHECK(base::to_valid_utf8(file.path) == file.path);
    const auto whole = session.download("sparse");
    REQUIRE_FALSE(whole);
    CHECK(whole.error().kind == ErrorKind::too_large);
    CHECK(message_of(session.download("sparse", (1ULL << 40) - 8, 8)) ==
          "it was done: " + std::string(8, '\0'));
    CHECK_THAT(message_of(session.download("fifo")), ContainsSubstring("no regular file"));
    // On disk the host counts, and a sparse file for what it says of itself.
    CHECK_THAT(message_of(session.append("fifo", "x")),
               ContainsSubstring(place.without.empty() ? "no regular file" : "full"));
    CHECK(session.files()->size() >= 8);
    replace_process(session);
    const auto kept = session.run(
        "import os\n"
        "depth = 0\n"
        "while os.path.isdir('d'): os.chdir('d'); depth += 1\n"
        "os.chdir(home) if 'home' in globals() else os.chdir(os.environ['HOME'])\n"
        "print(depth, os.path.getsize('sparse'), os.stat('sparse').st_blocks, "
        "os.path.samefile('sparse', 'twin'), os.path.islink('loop'), "
        "b'invalid\\xff' in os.listdir(b'.'))");
    INFO(kept.err << (kept.error ? kept.error->traceback : ""));
    CHECK(kept.out == "1000 1099511627776 0 True True True\n");
    CHECK(std::chrono::steady_clock::now() - begin < kBound);
    record("D67", std::string("workspace ") + place.name, "bounded walk, escaped names");
  }
  attacked_executor()->switch_off({});
}

TEST_CASE("A full workspace fails the cell with ENOSPC and concerns nobody else") {
  SecurityPolicy policy = attack_policy({});
  policy.workspace_bytes = 4ULL << 20;
  policy.workspace_files = 100;
  auto neighbour = open_attacked(policy);
  auto session = open_attacked(policy);
  const IsolationReport report = session.isolation();
  if (const Layer* mounts = find_layer(report, "mounts"); !mounts->on) {
    CELLBLOCK_SKIP("the workspace is no tmpfs here: " + mounts->detail);
  }
  const auto space_before = fs::space(fs::temp_directory_path()).available;
  const auto filled =
      session.run(std::string(kPrelude) +
                  "def fill(folder):\n"
                  "    with open(folder + '/big', 'wb') as f:\n"
                  "        while True: f.write(bytes(1 << 16)); f.flush()\n"
                  "def count(folder):\n"
                  "    for n in range(10 ** 6): open(f'{folder}/{n}', 'w').close()\n"
                  "print(tried(fill, '.'))\n"
                  "os.unlink('big')\n"
                  "print(tried(count, '.'), len(os.listdir()))\n"
                  "print(tried(count, '/tmp'))\n");
  CHECK(filled.out == "ENOSPC\nENOSPC 100\nENOSPC\n");
  CHECK(neighbour.run("with open('own', 'wb') as f: print(f.write(bytes(1 << 20)))").out ==
        "1048576\n");
  CHECK_THAT(message_of(session.upload("one-more", "x")), ContainsSubstring("full"));
  CHECK(session.run("1 + 1").text == "2");
  CHECK(session.run("import os\nfor n in os.listdir(): os.unlink(n)\nopen('f', 'w').write('x')")
            .text == "1");
  const auto space_after = fs::space(fs::temp_directory_path()).available;
  CHECK(space_after + (64ULL << 20) > space_before);
  record("D68", "Python off", "mounts");
}

TEST_CASE("An abort leaves no core file") {
  auto session = open_attacked(attack_policy({}));
  const auto aborted = session.run("import os; os.abort()");
  CHECK(aborted.exit_code == 134);
  CHECK(aborted.files.created.empty());
  CHECK(session.files()->empty());
}
