#include "cli/run_cell.hpp"

#include <chrono>
#include <utility>

namespace cellblock::cli {
namespace {

constexpr std::chrono::milliseconds kSignalCheck{50};

}  // namespace

std::optional<ExecutionResult> run_cell(Session& session, std::string_view code,
                                        const RunOptions& options, RunCallbacks callbacks,
                                        Signals& signals, OnSecondInterrupt on_second_interrupt) {
  signals.take_interrupts();
  auto running = session.start(code, options, std::move(callbacks));
  int interrupts = 0;
  while (true) {
    if (auto result = running.wait_for(kSignalCheck)) return result;
    const int before = interrupts;
    interrupts += signals.take_interrupts();
    const bool leaves = interrupts > 1 && on_second_interrupt == OnSecondInterrupt::leave;
    if (leaves || signals.ended_by() != 0) return std::nullopt;
    if (interrupts > before) running.interrupt();
  }
}

}  // namespace cellblock::cli
