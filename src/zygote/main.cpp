// cellblock-zygote: embeds CPython, preloads packages, forks sessions. Started by a host; runs no
// user code, ever.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "base/socket.hpp"
#include "protocol/frame.hpp"
#include "protocol/messages.hpp"
#include "python/interpreter.hpp"
#include "python/interpreter_choice.hpp"
#include "python/runtime.hpp"
#include "sandbox/resource_limits.hpp"
#include "zygote/cage_builder.hpp"
#include "zygote/fork_server.hpp"
#include "zygote/options.hpp"
#include "zygote/process_setup.hpp"

namespace cellblock::zygote {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Returns only when the zygote cannot start.
Error serve(const Options& options) {
  if (auto ready = set_up_process(options); !ready) return ready.error();
  const auto executable = python::choose_interpreter(options.python);
  if (!executable) return executable.error();
  if (auto started = python::start_interpreter(*executable); !started) return started.error();
  auto runtime = python::Runtime::load();
  if (!runtime) return runtime.error();
  auto preloaded = runtime->preload(options.preload);
  if (!preloaded) return preloaded.error();
  if (auto frozen = python::freeze_heap(); !frozen) return frozen.error();
  if (auto checked = check_process(options); !checked) return checked.error();

  CageBuilder cages(options.liveness_fd);
  const ZygoteFacts facts{.liveness_fd = options.liveness_fd,
                          .base_data_bytes = sandbox::data_segment_bytes(),
                          .in_user_namespace = in_user_namespace()};
  ForkServer server(options.control_fd, facts, cages, *runtime);
  const protocol::ZygoteReady ready{.python_version = python::interpreter_version(),
                                    .python_executable = *executable,
                                    .loaded = std::move(preloaded->loaded),
                                    .missing = std::move(preloaded->missing),
                                    .installed = std::move(preloaded->installed),
                                    .cages = cages.available(),
                                    .cages_detail = cages.detail()};
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
