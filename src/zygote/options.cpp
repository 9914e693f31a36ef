#include "zygote/options.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace cellblock::zygote {
namespace {

Error refused(std::string message) {
  return Error{ErrorKind::bad_argument,
               std::move(message) + " cellblock-zygote is started by a host, not by hand."};
}

/// -1 if it is no open descriptor.
int to_descriptor(std::string_view text) {
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc{} || end != text.data() + text.size()) return -1;
  return fd >= 3 && ::fcntl(fd, F_GETFD) >= 0 ? fd : -1;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    if (!name.empty()) names.emplace_back(name);
    list.remove_prefix(name.size() < list.size() ? name.size() + 1 : name.size());
  }
  return names;
}

}  // namespace

bool Options::is_without(std::string_view layer) const {
  return std::find(without.begin(), without.end(), layer) != without.end();
}

Expected<Options> parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view flag = arguments[i];
    if (i + 1 == arguments.size())
      return refused("The flag " + std::string(flag) + " needs a value.");
    const std::string_view value = arguments[i + 1];
    if (flag == "--control-fd") {
      options.control_fd = to_descriptor(value);
    } else if (flag == "--liveness-fd") {
      options.liveness_fd = to_descriptor(value);
    } else if (flag == "--python") {
      options.python = value;
    } else if (flag == "--preload") {
      options.preload = split(value);
    } else if (flag == "--helpers") {
      options.helpers = value;
    } else if (flag == "--without") {
      options.without = split(value);
    } else {
      return refused("The flag " + std::string(flag) + " is unknown.");
    }
  }
  if (options.control_fd < 0 || options.liveness_fd < 0) {
    return refused("--control-fd and --liveness-fd must name open descriptors.");
  }
  return options;
}

}  // namespace cellblock::zygote
