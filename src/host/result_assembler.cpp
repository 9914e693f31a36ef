#include "host/result_assembler.hpp"

#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/random_id.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "host/hints.hpp"
#include "host/python_stack.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {
namespace {

// The shell's and coreutils' conventions, so that a script can tell the ends apart.
constexpr int kExitError = 1;
constexpr int kExitTimeout = 124;
constexpr int kExitHostError = 125;
constexpr int kExitSignalBase = 128;
constexpr int kExitCancelled = 130;
constexpr int kExitMemory = 137;
constexpr int kExitCpu = 152;

constexpr const char* kDeepStackHint =
    "Calls went so deep that the stack overflowed: check where the recursion ends, or use a loop. "
    "The next run starts in a fresh process.";

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

int exit_code_of(const ExecutionResult& result, int own_code) {
  switch (result.status) {
    case Status::ok:
      return 0;
    case Status::error:
      return kExitError;
    case Status::timeout:
      return kExitTimeout;
    case Status::memory_limit:
      return kExitMemory;
    case Status::cpu_limit:
      return kExitCpu;
    case Status::cancelled:
      return kExitCancelled;
    case Status::host_error:
      return kExitHostError;
    case Status::exit:
    case Status::crashed:
      return own_code;
  }
  return own_code;
}

void set_error(ExecutionResult& result, std::string name, std::string value, std::string hint) {
  std::string traceback = result.error ? std::move(result.error->traceback) : std::string();
  result.error = ExecutionError{.name = std::move(name),
                                .value = std::move(value),
                                .traceback = std::move(traceback),
                                .hint = std::move(hint)};
}

constexpr const char* kSessionExpired = "SessionExpired";
constexpr const char* kCodeTooLarge = "CodeTooLarge";

/// `why`: nothing when the caller took it back.
void apply_never_started(ExecutionResult& result, const std::optional<Error>& why) {
  if (why && (why->kind == ErrorKind::expired || why->kind == ErrorKind::too_large)) {
    // The host's answer, not an end of a cell.
    result.status = Status::host_error;
    result.cause = Cause::host;
    set_error(result, why->kind == ErrorKind::expired ? kSessionExpired : kCodeTooLarge,
              why->message, "");
    return;
  }
  result.status = Status::cancelled;
  result.cause = Cause::caller;
  set_error(result, "Cancelled", why ? why->message : "The cell was taken back before it started.",
            "");
}

/// The watchdog's word counts before the session's own: the first cause wins.
void apply_stop(ExecutionResult& result, const Execution& execution, const Stop& stop,
                const std::optional<Error>& ended) {
  result.stopped_by = stop.rung;
  if (*stop.reason == StopReason::lifetime && ended) {
    result.status = Status::cancelled;
    result.cause = Cause::wall_time;
    set_error(result, kSessionExpired, ended->message, "");
    return;
  }
  if (*stop.reason == StopReason::cpu_time) {
    result.status = Status::cpu_limit;
    result.cause = Cause::cpu_time;
    const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(
        execution.cpu_limit().value_or(std::chrono::microseconds{}));
    set_error(result, "CpuLimit",
              "The cell used up its " + format_seconds(limit) + " of processor time.",
              timeout_hint(execution.code(), limit));
    return;
  }
  if (*stop.reason == StopReason::deadline) {
    result.status = Status::timeout;
    result.cause = Cause::wall_time;
    set_error(result, "TimeoutError",
              "The cell was stopped at its limit of " + format_seconds(execution.timeout()) + ".",
              timeout_hint(execution.code(), execution.timeout()) +
                  longer_hint(execution.timeout(), execution.longest_timeout()));
  } else {
    result.status = Status::cancelled;
    result.cause = Cause::caller;
    set_error(result, "KeyboardInterrupt", "The cell was interrupted by the caller.", "");
  }
}

void apply_reply(ExecutionResult& result, protocol::ExecuteReply reply) {
  result.status = reply.status;
  result.cause = reply.cause;
  result.exit_code = reply.exit_code;
  if (reply.text) result.text = base::to_valid_utf8(*reply.text);
  result.error = std::move(reply.error);
  if (reply.variables) result.variables = *std::move(reply.variables);
  result.changes = std::move(reply.changes);
  result.usage.cpu_ms = static_cast<double>(reply.cpu_us) / 1000.0;
  result.usage.peak_memory_bytes = reply.max_rss_bytes;
  // The host's own names are not the session's to fill.
  for (auto& [name, count] : reply.policy_events) {
    result.policy_events.try_emplace(base::to_valid_utf8(name), count);
  }
  for (const Variable& variable : result.variables) {
    if (!result.variables_summary.empty()) result.variables_summary += '\n';
    result.variables_summary += variable.name + ": " + variable.summary;
  }
}

void apply_violation(ExecutionResult& result) {
  result.status = Status::crashed;
  result.cause = Cause::protocol;
  result.exit_code = kExitSignalBase + SIGKILL;
  set_error(result, "ProtocolError",
            "The session broke off its connection to the host and was ended.",
            "Leave the descriptors that the code did not open itself alone.");
}

void apply_signal(ExecutionResult& result, int number, const PythonStack& stack) {
  result.exit_code = kExitSignalBase + number;
  if (number == SIGXCPU) {
    result.status = Status::cpu_limit;
    result.cause = Cause::cpu_time;
    set_error(result, "CpuLimit", "The cell used up its processor time.", "Do less in one cell.");
    return;
  }
  result.status = Status::crashed;
  result.cause = number == SIGSYS ? Cause::denied_syscall : Cause::signal;
  const bool overflowed = number == SIGSEGV && stack.is_deep;
  if (overflowed) result.cause = Cause::stack_overflow;
  set_error(
      result, signal_name(number),
      "The Python process was ended by " + signal_name(number) + " (" + ::strsignal(number) + ").",
      overflowed ? kDeepStackHint : crash_hint(number));
}

void apply_out_of_memory(ExecutionResult& result, const ProcessEnd& end,
                         std::optional<Bytes> limit) {
  result.status = Status::memory_limit;
  result.cause = Cause::memory;
  set_error(result, "MemoryLimit", "The Python process was ended because it ran out of memory.",
            memory_hint(limit, end.peak_memory_bytes));
}

void apply_process_end(ExecutionResult& result, const ProcessEnd& end, std::optional<Bytes> limit) {
  result.usage.peak_memory_bytes = end.peak_memory_bytes;
  const bool killed = WIFSIGNALED(end.wait_status) && WTERMSIG(end.wait_status) == SIGKILL;
  const PythonStack stack = read_python_stack(end.stack, killed ? StackOf::cell : StackOf::crash);
  if (end.kind != ProcessEnd::Kind::exited) {
    result.status = Status::host_error;
    result.cause = end.kind == ProcessEnd::Kind::zygote_lost ? Cause::zygote_lost : Cause::host;
    set_error(result, "HostError", end.message,
              "Run the cell again: a fresh process is started for it.");
  } else if (end.violated) {
    apply_violation(result);
  } else if (end.out_of_memory) {
    apply_out_of_memory(result, end, limit);
  } else if (WIFSIGNALED(end.wait_status)) {
    apply_signal(result, WTERMSIG(end.wait_status), stack);
  } else {
    result.status = Status::exit;
    result.cause = Cause::exit;
    result.exit_code = WEXITSTATUS(end.wait_status);
    set_error(
        result, "ProcessExit",
        "The Python process ended itself with exit code " + std::to_string(result.exit_code) + ".",
        "Leave a cell with sys.exit() to keep the session's variables.");
  }
  if (WIFSIGNALED(end.wait_status)) result.error->traceback = stack.traceback;
}

}  // namespace

std::string describe_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) return signal_name(WTERMSIG(wait_status));
  return "exit code " + std::to_string(WEXITSTATUS(wait_status));
}

Assembled assemble(Execution& execution, const Outcome& outcome, SessionView view) {
  Assembled assembled;
  ExecutionResult& result = assembled.result;
  result.session_id = std::move(view.session_id);
  result.execution_id = execution.id();
  result.execution_count = execution.count();
  result.code_sha256 = base::sha256_hex(execution.code());
  result.trace = execution.options().trace;
  result.isolation = std::move(view.isolation);
  result.files = std::move(view.files);
  if (execution.timeout_clamped()) result.policy_events["timeout_clamped"] = 1;

  switch (outcome.kind) {
    case Outcome::Kind::cancelled:
      apply_never_started(result, outcome.why);
      break;
    case Outcome::Kind::replied:
      if (auto reply = protocol::ExecuteReply::decode(outcome.reply.body)) {
        assembled.new_variables = reply->variables.has_value();
        if (!assembled.new_variables) reply->variables = std::move(view.variables);
        assembled.imports = std::move(reply->imports);
        if (view.ends_threads && reply->threads > 0) {
          result.policy_events["background_threads_killed"] = reply->threads;
          assembled.ends_process = true;
        }
        apply_reply(result, *std::move(reply));
        if (view.peak_memory_bytes) result.usage.peak_memory_bytes = *view.peak_memory_bytes;
        if (result.cause == Cause::memory && result.error) {
          // Only the host knows the figures.
          result.error->hint = memory_hint(view.max_memory_bytes, result.usage.peak_memory_bytes);
        }
        if (outcome.stop.reason) apply_stop(result, execution, outcome.stop, view.ended);
        // The reply and the kill crossed: the process is as good as dead.
        if (outcome.stop.rung == StoppedBy::sigkill) assembled.ends_process = true;
      } else {
        apply_violation(result);
        for (Variable& variable : view.variables) view.names.push_back(std::move(variable.name));
        assembled.ends_process = true;
      }
      break;
    case Outcome::Kind::process_ended:
      apply_process_end(result, outcome.end, view.max_memory_bytes);
      if (outcome.stop.reason && outcome.end.kind == ProcessEnd::Kind::exited) {
        apply_stop(result, execution, outcome.stop, view.ended);
      }
      assembled.ends_process = true;
      break;
  }
  if (assembled.ends_process) {
    result.state = State::lost;
    result.lost_names = std::move(view.names);
    for (const Variable& variable : result.variables) result.lost_names.push_back(variable.name);
  } else if (execution.lost_before()) {
    result.state = State::lost;
    result.lost_names = *execution.lost_before();
  }
  result.exit_code = exit_code_of(result, result.exit_code);

  result.out = execution.out().text();
  result.err = execution.err().text();
  result.out_truncated = execution.out().truncation();
  result.err_truncated = execution.err().truncation();
  result.late_out = execution.late_out();
  result.late_err = execution.late_err();
  result.results = std::move(execution.displays());
  if (execution.dropped_displays() > 0) {
    result.policy_events["results_dropped"] = execution.dropped_displays();
  }
  if (execution.started() != Clock::time_point{}) {
    result.usage.wall_ms =
        std::chrono::duration<double, std::milli>(outcome.when - execution.started()).count();
  }
  return assembled;
}

ExecutionResult host_failure(std::string_view code, const RunOptions& options, const Error& error) {
  ExecutionResult result;
  result.execution_id = base::random_id("x-");
  result.code_sha256 = base::sha256_hex(code);
  result.trace = options.trace;
  result.status = Status::host_error;
  result.cause = Cause::host;
  result.exit_code = kExitHostError;
  result.isolation.level = "none";
  result.error =
      ExecutionError{.name = "HostError", .value = error.message, .traceback = "", .hint = ""};
  return result;
}

}  // namespace cellblock::host
