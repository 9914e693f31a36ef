// One cell at a terminal: it runs until it is done or the user has enough.
#pragma once

#include <optional>
#include <string_view>

#include "cellblock/session.hpp"
#include "cli/signals.hpp"

namespace cellblock::cli {

/// A second Ctrl-C while the cell is already being ended, which takes the policy's grace at most.
enum class OnSecondInterrupt { wait, leave };

/// Ctrl-C interrupts the cell. Nothing: SIGTERM, SIGHUP or a second Ctrl-C that leaves came first;
/// the cell may still run.
std::optional<ExecutionResult> run_cell(Session& session, std::string_view code,
                                        const RunOptions& options, RunCallbacks callbacks,
                                        Signals& signals, OnSecondInterrupt on_second_interrupt);

}  // namespace cellblock::cli
