// cellblock-zygote: embeds CPython, preloads packages, forks sessions. Started by a host; runs no
// user code, ever.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/socket.hpp"
#include "protocol/frame.hpp"
#include "protocol/messages.hpp"
#include "python/interpreter.hpp"
#include "python/interpreter_choice.hpp"
#include "python/runtime.hpp"
#include "sandbox/descriptors.hpp"
#include "sandbox/file_view.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/minimal_root.hpp"
#include "sandbox/resource_limits.hpp"
#include "sandbox/seccomp_filter.hpp"
#include "sandbox/session_keyring.hpp"
#include "sandbox/shared_namespaces.hpp"
#include "zygote/cage_builder.hpp"
#include "zygote/fork_server.hpp"
#include "zygote/options.hpp"
#include "zygote/process_setup.hpp"

namespace cellblock::zygote {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr const char* kSwitchedOff = "switched off";

Expected<python::Runtime::HelperModule> read_helpers(const std::string& path) {
  python::Runtime::HelperModule module{.path = path, .source = {}};
  if (path.empty()) return module;
  std::ifstream file(path, std::ios::binary);
  module.source.assign(std::istreambuf_iterator<char>(file), {});
  if (file) return module;
  return Error{ErrorKind::bad_argument,
               "The helpers in " + path + " cannot be read: name a Python file."};
}

/// From here on this process and its sessions see the minimal root, where cages can be made and
/// the mounts be changed; elsewhere `facts` gets the reason. Fails when half of it is done.
Expected<void> enter_root(CageBuilder& cages, const sandbox::FileView& view, ZygoteFacts& facts) {
  if (!cages.available()) {
    facts.mounts_detail = "no cage to have them in: " + cages.detail();
    return {};
  }
  auto machine = sandbox::enter_minimal_root(view);
  if (!machine) {
    facts.mounts_detail = machine.error().message;
    return {};
  }
  return cages.use_minimal_root(MachineFiles(sandbox::HostMounts(*std::move(machine)), view));
}

/// Paths that are not in the minimal root are left out by Landlock::prepare().
std::vector<sandbox::PathRule> rules_for(const sandbox::FileView& view, const CageBuilder& cages) {
  std::vector<sandbox::PathRule> rules;
  for (const auto& path : view.readable) rules.push_back({path, sandbox::PathAccess::read});
  for (const auto& path : view.devices) rules.push_back({path, sandbox::PathAccess::device});
  if (cages.has_mounts()) {
    rules.push_back({sandbox::kWritableFolder, sandbox::PathAccess::read_write});
  }
  return rules;
}

sandbox::Surroundings surroundings(const CageBuilder& cages, const sandbox::Landlock& landlock) {
  const bool bounded = cages.available() || landlock.bounds_signals();
  return {
      .host_files = cages.has_mounts() ? sandbox::HostFiles::hidden : sandbox::HostFiles::in_view,
      .signals = bounded ? sandbox::Signals::bounded : sandbox::Signals::unbounded};
}

/// Returns only when the zygote cannot start.
Error serve(const Options& options) {
  const auto helpers = read_helpers(options.helpers);
  if (!helpers) return helpers.error();
  if (auto ready = set_up_process(options); !ready) return ready.error();
  const auto executable = python::choose_interpreter(options.python);
  if (!executable) return executable.error();
  if (auto started = python::start_interpreter(*executable); !started) return started.error();
  auto runtime = python::Runtime::load();
  if (!runtime) return runtime.error();
  auto preloaded = runtime->preload(options.preload, *helpers);
  if (!preloaded) return preloaded.error();
  if (auto told = runtime->write_stacks(protocol::kStackSignal, sandbox::kStackFd); !told) {
    return told.error();
  }
  if (auto frozen = python::freeze_heap(); !frozen) return frozen.error();
  if (auto checked = check_process(options); !checked) return checked.error();

  if (const auto failure = sandbox::join_new_keyring()) {
    return Error{ErrorKind::isolation_unavailable,
                 std::string("The zygote cannot ") + failure.step + "."};
  }

  const auto view = sandbox::make_file_view(preloaded->folders);
  CageBuilder cages(options);
  ZygoteFacts facts{.liveness_fd = options.liveness_fd,
                    .base_data_bytes = sandbox::data_segment_bytes(),
                    .shared = options.is_without("network")
                                  ? sandbox::SharedNamespaces{.detail = kSwitchedOff}
                                  : sandbox::leave_shared_namespaces()};
  facts.cages_detail = cages.detail();
  if (options.is_without("mounts")) {
    facts.mounts_detail = kSwitchedOff;
  } else if (auto entered = enter_root(cages, view, facts); !entered) {
    return entered.error();
  }
  const auto landlock = sandbox::Landlock::prepare(rules_for(view, cages));
  if (!landlock) return landlock.error();
  auto filters = sandbox::compile_filters(surroundings(cages, *landlock));
  if (!filters) return filters.error();
  facts.landlock = &*landlock;
  facts.filters = &*filters;
  ForkServer server(options.control_fd, facts, cages, *runtime);
  const protocol::ZygoteReady ready{.python_version = python::interpreter_version(),
                                    .python_executable = *executable,
                                    .loaded = std::move(preloaded->loaded),
                                    .missing = std::move(preloaded->missing),
                                    .helpers = std::move(preloaded->helpers),
                                    .installed = std::move(preloaded->installed),
                                    .cages = cages.available(),
                                    .cages_detail = cages.detail(),
                                    .mounts = cages.has_mounts()};
  if (!base::send_all(options.control_fd, protocol::encode_frame(protocol::FrameType::zygote_ready,
                                                                 0, ready.encode()))) {
    ::_exit(kFailed);
  }
  server.run();
}

int main_of(std::span<char* const> arguments) {
  const auto options = parse_options(arguments);
  if (!options) {
    std::fprintf(stderr, "%s\n", options.error().message.c_str());
    return kWrongUsage;
  }
  std::string message;
  try {
    message = serve(*options).message;
  } catch (const std::exception& problem) {
    message = std::string("The zygote cannot start (") + problem.what() + ").";
  }
  base::send_all(options->control_fd,
                 protocol::encode_frame(protocol::FrameType::zygote_failed, 0,
                                        protocol::ZygoteFailed{message}.encode()));
  // Neither Python nor the packages are torn down: they may hang, and nothing of them is needed.
  ::_exit(kFailed);
}

}  // namespace
}  // namespace cellblock::zygote

int main(int argc, char** argv) {
  return cellblock::zygote::main_of({argv, static_cast<std::size_t>(argc)});
}
