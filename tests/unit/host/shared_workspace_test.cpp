#include "host/shared_workspace.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/paused_thread.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using namespace cellblock::host;
using cellblock::test::PausedThread;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;
namespace fs = std::filesystem;

namespace {

using Paths = std::vector<std::string>;

constexpr auto kReplace = Workspace::Write::replace;
constexpr auto kAppend = Workspace::Write::append;

Paths paths(const std::vector<FileInfo>& files) {
  Paths list;
  for (const auto& file : files) list.push_back(file.path);
  return list;
}

bool nothing_changed(const FileChanges& changes) {
  return changes.created.empty() && changes.changed.empty() && changes.deleted.empty();
}

/// Two sessions' workspace with one file, of whose making nobody is told.
struct Place {
  Place() {
    write_file(inside("there"), "0123456789");
    shared.emplace(policy, std::move(workspace));
    reader = shared->add_reader();
  }
  [[nodiscard]] std::string inside(const std::string& name) const { return scratch / "w/" + name; }
  [[nodiscard]] base::UniqueFd new_folder() const {
    fs::create_directory(scratch / "next");
    return base::UniqueFd(::open((scratch / "next").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  SecurityPolicy policy;
  ScratchFolder scratch;
  std::optional<Workspace> workspace = *Workspace::create(scratch / "w", policy);
  std::optional<SharedWorkspace> shared;
  std::shared_ptr<SharedWorkspace::Reader> reader;
};

/// Whether the work ends while something else stands still; else it goes on in the background.
struct Beside {
  explicit Beside(const std::function<void()>& work) : end(std::async(std::launch::async, work)) {}
  bool ends() { return end.wait_for(std::chrono::seconds(30)) == std::future_status::ready; }
  std::future<void> end;
};

bool can_pause(const PausedThread& thread) {
  if (thread.available()) return true;
  test::report_skip("this kernel gives no notification of system calls");
  return false;
}

}  // namespace

TEST_CASE("A download under way delays nothing else") {
  Place place;
  Expected<std::string> got = std::string();
  FileChanges changes;
  std::unique_ptr<Beside> beside;
  PausedThread thread(SYS_pread64, [&] { got = place.shared->download("there", 0, {}); });
  if (!can_pause(thread)) return;
  REQUIRE(thread.wait_until_paused());
  beside = std::make_unique<Beside>([&] {
    place.reader->begin();
    write_file(place.inside("by-code"), "x");
    changes = place.shared->take_changes(*place.reader);
    CHECK(place.shared->upload("new", "y", kReplace).has_value());
    CHECK(place.shared->files()->size() == 3);
    CHECK(place.shared->move_to(place.new_folder(), [] { return true; }).has_value());
  });
  CHECK(beside->ends());
  thread.finish();
  CHECK(*got == "0123456789");
  CHECK(paths(changes.created) == Paths{"by-code"});
}

TEST_CASE("An upload under way delays no result, and is no file before it is whole") {
  Place place;
  Expected<std::string> written = std::string();
  FileChanges changes;
  Paths listed;
  std::unique_ptr<Beside> beside;
  PausedThread thread(SYS_write, [&] { written = place.shared->upload("new", "data", kReplace); });
  if (!can_pause(thread)) return;
  REQUIRE(thread.wait_until_paused());
  REQUIRE(std::distance(fs::directory_iterator(place.inside("")), fs::directory_iterator()) == 2);
  beside = std::make_unique<Beside>([&] {
    changes = place.shared->take_changes(*place.reader);
    listed = paths(*place.shared->files());
    CHECK(*place.shared->download("there", 0, {}) == "0123456789");
  });
  CHECK(beside->ends());
  thread.finish();
  CHECK(written.has_value());
  CHECK(nothing_changed(changes));
  CHECK(listed == Paths{"there"});
  CHECK(nothing_changed(place.shared->take_changes(*place.reader)));
  CHECK(*place.shared->download("new", 0, {}) == "data");
}

TEST_CASE("What the host is adding to a file is no change of an execution's") {
  Place place;
  std::unique_ptr<Beside> beside;
  FileChanges changes;
  PausedThread thread(SYS_write,
                      [&] { CHECK(place.shared->upload("there", "end", kAppend).has_value()); });
  if (!can_pause(thread)) return;
  REQUIRE(thread.wait_until_paused());
  // As if the first piece of it were in the file.
  fs::resize_file(place.inside("there"), 5);
  beside = std::make_unique<Beside>([&] { changes = place.shared->take_changes(*place.reader); });
  CHECK(beside->ends());
  thread.finish();
  CHECK(nothing_changed(changes));
  CHECK(nothing_changed(place.shared->take_changes(*place.reader)));
  CHECK(*place.shared->download("there", 0, {}) == "01234end");
}

TEST_CASE("An upload that fails takes no change away from the code that made it") {
  Place place;
  place.policy.max_file_bytes = 4;
  SharedWorkspace small(place.policy, *Workspace::open(place.scratch / "w", place.policy));
  const auto reader = small.add_reader();
  write_file(place.inside("by-code"), "x");
  CHECK_FALSE(small.upload("by-code", "too large", kReplace).has_value());
  CHECK(paths(small.take_changes(*reader).created) == Paths{"by-code"});
}

TEST_CASE("Of two uploads to one path one is there, whole, and nothing of the other") {
  Place place;
  const std::string first(100'000, 'a');
  const std::string second(100'000, 'b');
  Expected<std::string> one = std::string();
  Expected<std::string> other = std::string();
  std::unique_ptr<Beside> beside;
  PausedThread thread(SYS_write, [&] { one = place.shared->upload("one", first, kReplace); });
  if (!can_pause(thread)) return;
  REQUIRE(thread.wait_until_paused());
  beside = std::make_unique<Beside>([&] { other = place.shared->upload("one", second, kReplace); });
  thread.finish();
  CHECK(beside->ends());
  CHECK(one.has_value());
  CHECK(other.has_value());
  const auto got = *place.shared->download("one", 0, {});
  CHECK((got == first || got == second));
  CHECK(std::distance(fs::directory_iterator(place.inside("")), fs::directory_iterator()) == 2);
}

TEST_CASE("A folder that is given up is there until the last transfer has ended") {
  Place place;
  std::shared_ptr<const Workspace> rest;
  std::unique_ptr<Beside> beside;
  PausedThread thread(SYS_write,
                      [&] { CHECK(place.shared->upload("new", "data", kReplace).has_value()); });
  if (!can_pause(thread)) return;
  REQUIRE(thread.wait_until_paused());
  beside = std::make_unique<Beside>([&] { rest = place.shared->give_up(); });
  CHECK(beside->ends());
  REQUIRE(rest);
  rest.reset();
  CHECK(fs::exists(place.inside("there")));
  thread.finish();
  CHECK_FALSE(fs::exists(place.scratch / "w"));
  CHECK_FALSE(place.shared->is_there());
  CHECK_FALSE(place.shared->files().has_value());
  CHECK_FALSE(place.shared->upload("late", "x", kReplace).has_value());
}

TEST_CASE("What changed before a move is told to those that had not asked yet") {
  Place place;
  place.reader->begin();
  write_file(place.inside("last"), "x");
  REQUIRE(place.shared->move_to(place.new_folder(), [] { return true; }));
  CHECK(paths(place.shared->take_changes(*place.reader).created) == Paths{"last"});
  CHECK(nothing_changed(place.shared->take_changes(*place.reader)));
  CHECK(*place.shared->download("last", 0, {}) == "x");
}
