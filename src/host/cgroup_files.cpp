#include "host/cgroup_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

#include "base/unique_fd.hpp"

namespace cellblock::host {
namespace {

/// Takes the text up to the first of `separators` off its front.
std::string_view take(std::string_view& text, std::string_view separators) {
  const auto end = std::min(text.find_first_of(separators), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// The kernel writes spaces and the like in a path as \040.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string whole_file(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The group's place below a mount that shows `root`.
std::optional<std::string> place_below(const CgroupMount& mount, std::string_view group) {
  if (mount.root == "/") return group == "/" ? mount.point : mount.point + std::string(group);
  if (!group.starts_with(mount.root)) return std::nullopt;
  group.remove_prefix(mount.root.size());
  if (!group.empty() && group.front() != '/') return std::nullopt;
  return mount.point + std::string(group);
}

}  // namespace

std::vector<OwnCgroup> parse_own_cgroups(std::string_view text) {
  std::vector<OwnCgroup> groups;
  while (!text.empty()) {
    auto line = take(text, "\n");
    take(line, ":");
    const auto controllers = take(line, ":");
    if (line.starts_with('/')) {
      groups.push_back({.controllers = std::string(controllers), .path = std::string(line)});
    }
  }
  return groups;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text) {
  // id parent major:minor root point options [optional...] - type source super_options
  std::vector<CgroupMount> mounts;
  while (!text.empty()) {
    auto line = take(text, "\n");
    const auto separator = line.find(" - ");
    if (separator == std::string_view::npos) continue;
    auto tail = line.substr(separator + 3);
    const auto type = take(tail, " ");
    if (type != "cgroup" && type != "cgroup2") continue;
    take(tail, " ");
    for (int skipped = 0; skipped < 3; ++skipped) take(line, " ");
    CgroupMount mount;
    mount.version = type == "cgroup" ? CgroupMount::Version::v1 : CgroupMount::Version::v2;
    mount.root = unescape(take(line, " "));
    mount.point = unescape(take(line, " "));
    if (mount.version == CgroupMount::Version::v1) mount.controllers = tail;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

CgroupView CgroupView::of_this_process() {
  return {.own = parse_own_cgroups(whole_file("/proc/self/cgroup")),
          .mounts = parse_cgroup_mounts(whole_file("/proc/self/mountinfo"))};
}

std::optional<OwnCgroupFolder> find_own_cgroup(const CgroupView& view,
                                               std::string_view controller) {
  const auto fits = [&](std::string_view controllers) {
    return controller.empty() ? controllers.empty() : has_word(controllers, controller);
  };
  const auto own = std::find_if(view.own.begin(), view.own.end(),
                                [&](const OwnCgroup& group) { return fits(group.controllers); });
  if (own == view.own.end()) return std::nullopt;
  const auto version = controller.empty() ? CgroupMount::Version::v2 : CgroupMount::Version::v1;
  for (const CgroupMount& mount : view.mounts) {
    if (mount.version != version || !fits(mount.controllers)) continue;
    if (auto path = place_below(mount, own->path)) {
      return OwnCgroupFolder{.path = *std::move(path), .mount_point = mount.point};
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    auto line = take(text, "\n");
    if (take(line, " ") == key) return to_number(line);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> to_number(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (take(list, ", \n") == word) return true;
  }
  return false;
}

std::optional<std::string> read_text(int at, const std::string& path) {
  const base::UniqueFd file(::openat(at, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 4096> text;  // NOLINT: filled by read
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  if (got < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(got));
}

bool write_text(int at, const std::string& path, std::string_view text) {
  const base::UniqueFd file(::openat(at, path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) >= 0;
}

}  // namespace cellblock::host
