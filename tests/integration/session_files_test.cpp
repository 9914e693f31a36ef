// The workspace, from both sides.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

TEST_CASE("What is uploaded the code reads, what it writes is downloaded") {
  auto session = open_session(shared_executor());
  const auto path = session.upload("data/in.csv", "a,b\n1,2\n");
  REQUIRE(path);
  REQUIRE(session.append("data/in.csv", "3,4\n"));
  const auto result = session.run("text = open('" + *path + "').read()\n" +
                                  "open('out.bin', 'wb').write(bytes(range(256)))\ntext");
  CHECK(result.text == "'a,b\\n1,2\\n3,4\\n'");
  const auto bytes = session.download("out.bin");
  REQUIRE(bytes);
  CHECK(bytes->size() == 256);
  CHECK(session.download("out.bin", 250, 3)->size() == 3);
  CHECK(session.files()->size() == 2);
}

TEST_CASE("A run tells the files that it created, changed and deleted, and no upload") {
  auto session = open_session(shared_executor());
  REQUIRE(session.upload("a.csv", "1"));
  REQUIRE(session.upload("b.csv", "1"));
  CHECK(session.run("1").files.created.empty());
  const auto result = session.run(
      "import os\nopen('a.csv', 'w').write('22')\nos.remove('b.csv')\n"
      "os.makedirs('sub')\nopen('sub/c.png', 'w').close()");
  REQUIRE(result.files.created.size() == 1);
  CHECK(result.files.created[0].path == "sub/c.png");
  CHECK(result.files.created[0].mime == "image/png");
  REQUIRE(result.files.changed.size() == 1);
  CHECK(result.files.changed[0].path == "a.csv");
  CHECK(result.files.changed[0].size == 2);
  REQUIRE(result.files.deleted.size() == 1);
  CHECK(result.files.deleted[0].path == "b.csv");
  CHECK(session.run("1").files.changed.empty());
}

TEST_CASE("A path that the code calls absolute is taken as the code has it") {
  const ScratchFolder folder;
  SecurityPolicy in_folder;
  in_folder.workspace_dir = folder.path();
  for (const SecurityPolicy& policy : {SecurityPolicy{}, in_folder}) {
    auto session = open_session(shared_executor(), policy);
    const auto unquoted = [&](const char* code) {
      const std::string text = session.run(code).text.value();
      return text.substr(1, text.size() - 2);
    };
    for (const std::string& path : {unquoted("import os\nos.path.abspath('a.csv')"),
                                    unquoted("os.path.join(os.environ['HOME'], 'a.csv')")}) {
      INFO(path);
      CHECK(path.starts_with('/'));
      CHECK(session.upload(path, "1").value() == "a.csv");
      CHECK(session.append(path, "2").value() == "a.csv");
      CHECK(session.stat(path)->path == "a.csv");
      const auto result = session.run("print(open('" + path + "', 'a').write('3'))");
      CHECK(result.files.created.empty());
      CHECK(session.download(path).value() == "123");
    }
  }
}

TEST_CASE("What the code left in its workspace leads the host nowhere") {
  auto session = open_session(shared_executor());
  REQUIRE(session
              .run("import os\n"
                   "os.symlink('/etc/passwd', 'link')\n"
                   "os.symlink('/etc', 'folder')\n"
                   "os.mkfifo('pipe')\n"
                   "open(b'bad\\xff\\nname', 'w').write('x')")
              .status == Status::ok);
  for (const char* path : {"link", "folder/passwd", "pipe", "../x", "/etc/passwd"}) {
    INFO(path);
    const auto download = session.download(path);
    REQUIRE_FALSE(download);
    CHECK(download.error().kind == ErrorKind::bad_argument);
    CHECK_FALSE(session.upload(path, "x").has_value());
  }
  const auto files = session.files();
  REQUIRE(files->size() == 1);
  CHECK(files->front().path == "bad\xEF\xBF\xBD\nname");
}

TEST_CASE("A private workspace goes with its session, whatever is in it") {
  const ScratchFolder scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  const auto own = make_executor();
  ::unsetenv("TMPDIR");
  {
    auto session = open_session(*own);
    REQUIRE(session
                .run("import os\n"
                     "def close(path):  # refused where the host's files are in view\n"
                     "    try: os.chmod(path, 0)\n"
                     "    except PermissionError: pass\n"
                     "for _ in range(1000):\n"
                     "    os.mkdir('d'); os.chdir('d')\n"
                     "open('file', 'w').close()\n"
                     "close('.')\n"
                     "os.chdir(os.environ['HOME'])\n"
                     "os.makedirs('a/b/c'); close('a/b'); close('a'); close('.')")
                .status == Status::ok);
  }
  const auto folders = [&] {
    std::size_t count = 0;
    for (const auto& runtime : std::filesystem::directory_iterator(scratch.path())) {
      for (const auto& entry : std::filesystem::directory_iterator(runtime.path())) {
        if (entry.path().filename().string().starts_with("w-")) ++count;
      }
    }
    return count;
  };
  CHECK(wait_until([&] { return folders() == 0; }));
}

TEST_CASE("A host folder as the workspace is used in place and stays") {
  const ScratchFolder scratch;
  write_file(scratch / "given.txt", "given");
  SecurityPolicy policy;
  policy.workspace_dir = scratch.path();
  {
    auto session = open_session(shared_executor(), policy);
    CHECK(session.run("open('made.txt', 'w').write('made')\nopen('given.txt').read()").text ==
          "'given'");
  }
  CHECK(read_file(scratch / "made.txt") == "made");
  CHECK(read_file(scratch / "given.txt") == "given");
  policy.workspace_dir = scratch / "missing";
  const auto missing = shared_executor().open_session(policy);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == ErrorKind::bad_argument);
}

TEST_CASE("A file comes in pieces, and a source that fails ends it") {
  auto session = open_session(shared_executor());
  int pieces = 0;
  const auto written = session.upload("in/big.csv", [&pieces]() -> Expected<std::string> {
    return ++pieces <= 3 ? std::string(1000, static_cast<char>('a' + pieces)) : std::string();
  });
  REQUIRE(written);
  CHECK(*written == "in/big.csv");
  CHECK(session.download("in/big.csv")->size() == 3000);
  const auto failed = session.upload("other", []() -> Expected<std::string> {
    return Error{ErrorKind::bad_argument, "The source is gone."};
  });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "The source is gone.");
}

TEST_CASE("What the caller uploads is no change of a run's, and hides none of the run's") {
  auto session = open_session(shared_executor());
  REQUIRE(session.upload("of_the_caller", "1"));
  const auto result = session.run("open('of_the_run', 'w').write('22'); None");
  REQUIRE(result.files.created.size() == 1);
  CHECK(result.files.created[0].path == "of_the_run");
  CHECK(result.files.created[0].size == 2);
}

TEST_CASE("Files of a large workspace are told run by run") {
  auto session = open_session(shared_executor());
  CHECK(session
            .run("import os\nfor i in range(300):\n    os.makedirs(f'd{i % 7}', exist_ok=True)\n"
                 "    open(f'd{i % 7}/{i}.txt', 'w').write('x')")
            .files.created.size() == 300);
  CHECK(session.run("1").files.created.empty());
  const auto result = session.run(
      "open('d3/3.txt', 'a').write('y'); os.remove('d4/4.txt'); os.makedirs('new/deep')\n"
      "open('new/deep/chart.png', 'w').close()");
  REQUIRE(result.files.created.size() == 1);
  CHECK(result.files.created[0].path == "new/deep/chart.png");
  CHECK(result.files.created[0].mime == "image/png");
  REQUIRE(result.files.changed.size() == 1);
  CHECK(result.files.changed[0].path == "d3/3.txt");
  REQUIRE(result.files.deleted.size() == 1);
  CHECK(result.files.deleted[0].path == "d4/4.txt");
  const auto quiet = session.run("1");
  CHECK(quiet.files.created.empty());
  CHECK(quiet.files.changed.empty());
  CHECK(quiet.files.deleted.empty());
}
