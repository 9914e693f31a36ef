// One cell at a terminal: it runs until it is done or the user has enough.
#pragma once

#include <optional>
#include <string_view>

#include "cellblock/session.hpp"
#include "cli/signals.hpp"

namespace cellblock::cli {

/// Ctrl-C interrupts the cell. Nothing: a second Ctrl-C, SIGTERM or SIGHUP came first; the cell may
/// still run.
std::optional<ExecutionResult> run_cell(Session& session, std::string_view code,
                                        const RunOptions& options, RunCallbacks callbacks,
                                        Signals& signals);

}  // namespace cellblock::cli
