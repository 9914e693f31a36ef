#include "cli/history_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/catch.hpp"

namespace cellblock::cli {
namespace {

struct Folder {
  std::string path;

  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "history-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file() const { return path + "/history"; }
};

TEST_CASE("entries of several lines and alphabets come back whole") {
  const Folder folder;
  const std::vector<std::string> entries = {"x = 1", "for i in x:\n\tprint('é\\n')\n",
                                            "'''\n\n'''"};
  for (const auto& entry : entries) HistoryFile(folder.file()).append(entry);
  CHECK(HistoryFile(folder.file()).load() == entries);
}

TEST_CASE("the file is private") {
  const Folder folder;
  HistoryFile(folder.file()).append("secret = 1");
  struct stat status {};
  REQUIRE(::stat(folder.file().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("the last entries are kept and the file does not grow without end") {
  const Folder folder;
  HistoryFile history(folder.file(), 3);
  for (int i = 0; i < 10; ++i) history.append(std::to_string(i));
  CHECK(history.load() == std::vector<std::string>{"7", "8", "9"});
  std::ifstream file(folder.file());
  CHECK(std::count(std::istreambuf_iterator<char>(file), {}, '\n') == 3);
}

TEST_CASE("lines that are no entries are passed over") {
  const Folder folder;
  std::ofstream(folder.file()) << "nonsense\n\"good\"\n{\"a\": 1}\n\"cut off";
  CHECK(HistoryFile(folder.file()).load() == std::vector<std::string>{"good"});
}

TEST_CASE("without a file there is no history and nothing fails") {
  HistoryFile nowhere("");
  nowhere.append("x");
  CHECK(nowhere.load().empty());
  HistoryFile absent("/absent/folder/history");
  absent.append("x");
  CHECK(absent.load().empty());
}

}  // namespace
}  // namespace cellblock::cli
