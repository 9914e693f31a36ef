// The zygote's command line; written by the host, not by people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"

namespace cellblock::zygote {

struct Options {
  int control_fd = -1;   ///< SOCK_STREAM unix socket to the host
  int liveness_fd = -1;  ///< reading end of a pipe whose writing end only the host has
  std::string python;    ///< empty: the one chosen at build time
  std::vector<std::string> preload;
  std::string helpers;  ///< the operator's module, read before this process is moved; empty: none
  /// For tests of what holds without them: "pid_namespace" (no cages), "mounts", "ids", "network".
  std::vector<std::string> without;

  [[nodiscard]] bool is_without(std::string_view layer) const;
};

/// cellblock-zygote --control-fd N --liveness-fd N [--python PATH] [--preload a,b,c]
/// [--helpers PATH] [--without LAYER,...]
Expected<Options> parse_options(std::span<char* const> arguments);

}  // namespace cellblock::zygote
