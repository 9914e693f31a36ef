#include "host/runtime_folder.hpp"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using cellblock::host::RuntimeFolder;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;
namespace fs = std::filesystem;

namespace {

/// Sets an environment variable for one test.
class Setting final {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::string own_name(const std::string& rest) {
  return "cellblock-" + std::to_string(::geteuid()) + "-" + rest;
}

}  // namespace

TEST_CASE("A runtime folder is private and ends with its owner") {
  const ScratchFolder scratch;
  const Setting setting("TMPDIR", scratch.path());
  std::string path;
  {
    const auto folder = RuntimeFolder::create();
    REQUIRE(folder);
    path = folder->path();
    CHECK(path.starts_with(scratch / own_name("")));
    CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms::owner_all);
    write_file(path + "/file", "x");
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("Folders of owners that died are removed, those of living ones and of others are not") {
  const ScratchFolder scratch;
  const Setting setting("TMPDIR", scratch.path());
  fs::create_directories(scratch / own_name("dead1") + "/w-1/deep/deeper");
  write_file(scratch / own_name("dead1") + "/w-1/file", "x");
  fs::create_directory(scratch / own_name("dead2"));
  fs::permissions(scratch / own_name("dead1") + "/w-1/deep", fs::perms::none);
  fs::create_directory(scratch / "cellblock-notes");
  fs::create_directory(scratch / ("cellblock-" + std::to_string(::geteuid() + 1) + "-x"));
  fs::create_directory(scratch / "target");
  write_file(scratch / "target/kept", "x");
  fs::create_directory_symlink(scratch / "target", scratch / own_name("link"));
  write_file(scratch / own_name("file"), "x");

  const auto alive = RuntimeFolder::create();
  REQUIRE(alive);
  const auto second = RuntimeFolder::create();
  REQUIRE(second);
  CHECK(fs::exists(alive->path()));
  CHECK(alive->path() != second->path());
  CHECK_FALSE(fs::exists(scratch / own_name("dead1")));
  CHECK_FALSE(fs::exists(scratch / own_name("dead2")));
  CHECK(fs::exists(scratch / "cellblock-notes"));
  CHECK(fs::exists(scratch / ("cellblock-" + std::to_string(::geteuid() + 1) + "-x")));
  CHECK(fs::exists(scratch / "target/kept"));
}

TEST_CASE("A folder that another user owns is left alone") {
  // Only root can give a folder away to make the case; the tests are run as root too.
  if (::geteuid() != 0) return;
  const ScratchFolder scratch;
  const Setting setting("TMPDIR", scratch.path());
  fs::create_directory(scratch / own_name("foreign"));
  REQUIRE(::chown((scratch / own_name("foreign")).c_str(), 65534, 65534) == 0);
  REQUIRE(RuntimeFolder::create());
  CHECK(fs::exists(scratch / own_name("foreign")));
}

TEST_CASE("A temporary folder that cannot be used is told by name") {
  const Setting setting("TMPDIR", "/proc/nothing");
  const auto folder = RuntimeFolder::create();
  REQUIRE_FALSE(folder);
  CHECK(folder.error().kind == ErrorKind::host_error);
  CHECK(folder.error().message.find("/proc/nothing") != std::string::npos);
  CHECK(folder.error().message.find("TMPDIR") != std::string::npos);
}

TEST_CASE("The font cache is the user's, or the fallback where there is none") {
  const ScratchFolder scratch;
  {
    const Setting cache("XDG_CACHE_HOME", scratch / "cache");
    CHECK(host::font_cache_folder(scratch / "other") == scratch / "cache/cellblock/matplotlib");
    CHECK(fs::is_directory(scratch / "cache/cellblock/matplotlib"));
  }
  {
    const Setting cache("XDG_CACHE_HOME", "relative");
    const Setting home("HOME", scratch / "home");
    CHECK(host::font_cache_folder(scratch / "other") ==
          scratch / "home/.cache/cellblock/matplotlib");
  }
  {
    const Setting cache("XDG_CACHE_HOME", "/proc/nothing");
    CHECK(host::font_cache_folder(scratch / "other") == scratch / "other/matplotlib");
    CHECK(fs::is_directory(scratch / "other/matplotlib"));
  }
}
