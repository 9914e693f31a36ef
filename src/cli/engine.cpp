#include "cli/engine.hpp"

#include <sstream>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "cli/local_file.hpp"
#include "cli/state_folder.hpp"

namespace cellblock::cli {
namespace {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) {
    const auto first = name.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    names.push_back(name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

// A log that nobody asked for by name must not keep a command from running.
std::string default_audit_log() {
  auto folder = state_folder();
  if (folder) return *folder + "/audit.log";
  complain(folder.error().message + " Executions are not logged; --audit-log PATH says where.");
  return {};
}

std::string joined(const std::map<std::string, std::string>& reasons) {
  std::string text;
  for (const auto& [name, reason] : reasons) {
    text.append(text.empty() ? "" : "; ").append(name).append(" (").append(reason).append(")");
  }
  return text;
}

}  // namespace

void add_engine_flags(CLI::App& command, EngineFlags& flags, AuditDefault audit_default) {
  command.add_option("--policy", flags.policy_file, "The sessions' policy, a JSON file")
      ->type_name("FILE");
  command
      .add_option("--python", flags.python,
                  "The Python whose packages are used, for example a venv's bin/python")
      ->type_name("PATH");
  command
      .add_option("--preload", flags.preload,
                  "Packages to load ahead (default: numpy,pandas,matplotlib); \"\" for none")
      ->type_name("NAMES");
  command
      .add_option("--helpers", flags.helpers,
                  "A Python file whose functions every session starts with")
      ->type_name("FILE");
  const bool logs = audit_default == AuditDefault::state_folder;
  const std::string log_help = "Log every execution there, a JSON object a line (default: ";
  auto* audit_log =
      command
          .add_option("--audit-log", flags.audit_log,
                      log_help + (logs ? "cellblock/audit.log in $XDG_STATE_HOME or ~/.local/state)"
                                       : "no log)"))
          ->type_name("PATH");
  command
      .add_flag("--no-audit-log", flags.no_audit_log,
                logs ? "Log nothing" : "Log nothing (default)")
      ->excludes(audit_log);
  command.add_flag("--log-code", flags.log_code, "Log the code itself, not only its hash");
}

void add_session_flags(CLI::App& command, EngineFlags& flags) {
  command.add_option("--max-sessions", flags.max_sessions, "Sessions at once")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
}

Expected<ExecutorOptions> executor_options(const EngineFlags& flags, AuditDefault audit_default) {
  ExecutorOptions options;
  options.python = flags.python;
  options.helpers = flags.helpers;
  if (flags.preload) options.preload = split_names(*flags.preload);
  options.max_sessions = flags.max_sessions;
  options.audit_log = flags.audit_log;
  if (flags.audit_log.empty() && !flags.no_audit_log &&
      audit_default == AuditDefault::state_folder) {
    options.audit_log = default_audit_log();
  }
  options.log_code = flags.log_code ? LogCode::yes : LogCode::no;
  if (flags.log_code && options.audit_log.empty()) {
    return Error{ErrorKind::bad_argument, "--log-code needs a log; add --audit-log PATH."};
  }
  return options;
}

Expected<SecurityPolicy> read_policy(const std::string& file) {
  if (file.empty()) return SecurityPolicy{};
  auto text = read_file(file);
  if (!text) return std::move(text).error();
  auto policy = SecurityPolicy::from_json(*text);
  if (!policy) {
    return Error{ErrorKind::policy_invalid,
                 "The policy in " + file + " is not valid: " + policy.error().message};
  }
  return policy;
}

Expected<EngineInfo> check_engine(Executor& executor, const EngineFlags& flags) {
  auto info = executor.info();
  if (info && flags.preload && !info->missing.empty()) {
    return Error{ErrorKind::bad_argument, "--preload: not available in " + info->python_executable +
                                              ": " + joined(info->missing) +
                                              ". Install it there or leave it out."};
  }
  return info;
}

Expected<Engine> start_engine(const EngineFlags& flags, AuditDefault audit_default) {
  auto policy = read_policy(flags.policy_file);
  if (!policy) return std::move(policy).error();
  auto options = executor_options(flags, audit_default);
  if (!options) return std::move(options).error();
  auto executor = Executor::create(ExecutorKind::fork, std::move(*options));
  if (!executor) return std::move(executor).error();
  auto info = check_engine(**executor, flags);
  if (!info) return std::move(info).error();
  return Engine{std::move(*executor), std::move(*policy)};
}

}  // namespace cellblock::cli
