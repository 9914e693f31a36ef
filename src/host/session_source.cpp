#include "host/session_source.hpp"

#include <optional>
#include <utility>

#include "host/runtime_folder.hpp"
#include "host/zygote.hpp"

namespace cellblock::host {
namespace {

std::optional<SourceKind>& announced() {
  static std::optional<SourceKind> kind;
  return kind;
}

}  // namespace

SourceKind zygote_sources() {
  return {.executor = "fork",
          .isolates = true,
          .start = [](const SourceOptions& wanted,
                      Supervisor& supervisor) -> Expected<std::shared_ptr<SessionSource>> {
            auto zygote = Zygote::start({.program = wanted.options.zygote_path,
                                         .python = wanted.options.python,
                                         .preload = wanted.options.preload,
                                         .helpers = wanted.options.helpers,
                                         .cache_folder = font_cache_folder(wanted.runtime_folder),
                                         .without = wanted.without},
                                        supervisor);
            if (!zygote) return std::move(zygote).error();
            return std::shared_ptr<SessionSource>(*std::move(zygote));
          }};
}

void announce_in_process_sources(SourceKind kind) { announced() = std::move(kind); }

const SourceKind* in_process_sources() { return announced() ? &*announced() : nullptr; }

}  // namespace cellblock::host
