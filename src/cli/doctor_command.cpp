#include "cli/doctor_command.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cellblock/version.hpp"
#include "cli/console.hpp"

namespace cellblock::cli {
namespace {

constexpr int kNotIsolated = 1;

struct Diagnosis {
  std::string machine;
  std::string python;
  IsolationReport report;
  bool required_starts = false;
  std::string why_not;
};

std::string machine_name() {
  utsname name{};
  ::uname(&name);
  const std::string user = ::geteuid() == 0 ? "root" : "uid " + std::to_string(::geteuid());
  return std::string(name.sysname) + " " + name.release + " " + name.machine + ", " + user;
}

/// From a real session: what is told is what that session saw.
Expected<Diagnosis> diagnose(Executor& executor, SecurityPolicy policy) {
  policy.isolation = Isolation::required;
  Diagnosis diagnosis{.machine = machine_name()};
  auto session = executor.open_session(policy);
  diagnosis.required_starts = session.has_value();
  if (!session) {
    if (session.error().kind != ErrorKind::isolation_unavailable) return std::move(session).error();
    diagnosis.why_not = session.error().message;
    // It asks for nothing, and gets what there is.
    policy.isolation = Isolation::none;
    session = executor.open_session(policy);
    if (!session) return std::move(session).error();
  }
  diagnosis.report = session->isolation();
  if (auto info = executor.info()) diagnosis.python = info->python_version;
  return diagnosis;
}

void print_table(const Diagnosis& diagnosis) {
  std::printf("cellblock %s on %s, Python %s\n\n", std::string(version()).c_str(),
              diagnosis.machine.c_str(), diagnosis.python.c_str());
  std::size_t widest = 0;
  for (const Layer& layer : diagnosis.report.layers) widest = std::max(widest, layer.name.size());
  std::string told;
  for (const Layer& layer : diagnosis.report.layers) {
    std::printf("  %-*s  %-3s  %s\n", static_cast<int>(widest), layer.name.c_str(),
                layer.on ? "on" : "off", layer.detail.c_str());
    if (!layer.remedy.empty()) {
      std::printf("  %-*s       to have it: %s\n", static_cast<int>(widest), "",
                  layer.remedy == told ? "as above" : layer.remedy.c_str());
      told = layer.remedy;
    }
  }
  std::printf("\nisolation: %s; a session that requires isolation %s\n",
              diagnosis.report.level.c_str(),
              diagnosis.required_starts ? "starts here" : "does not start here");
  if (!diagnosis.why_not.empty()) std::printf("%s\n", diagnosis.why_not.c_str());
}

void print_json(const Diagnosis& diagnosis) {
  nlohmann::json layers = nlohmann::json::array();
  for (const Layer& layer : diagnosis.report.layers) {
    layers.push_back({{"name", layer.name},
                      {"on", layer.on},
                      {"detail", layer.detail},
                      {"remedy", layer.remedy}});
  }
  const nlohmann::json json{{"version", version()},
                            {"machine", diagnosis.machine},
                            {"python_version", diagnosis.python},
                            {"level", diagnosis.report.level},
                            {"required_starts", diagnosis.required_starts},
                            {"why_not", diagnosis.why_not},
                            {"layers", std::move(layers)}};
  std::printf("%s\n", json.dump().c_str());
}

}  // namespace

CLI::App* add_doctor_command(CLI::App& app, DoctorFlags& flags) {
  auto* command = app.add_subcommand("doctor", "Say what confines a session on this machine");
  command->add_flag("--json", flags.json, "one JSON object instead of a table");
  add_engine_flags(*command, flags.engine, AuditDefault::nowhere);
  command->footer("Exit status 0 only if a session that requires isolation starts here.");
  return command;
}

int doctor(DoctorFlags flags) {
  // No package changes what confines a session, and loading them takes time.
  if (!flags.engine.preload) flags.engine.preload = "";
  auto engine = start_engine(flags.engine, AuditDefault::nowhere);
  if (!engine) return misuse(engine.error().message);
  auto diagnosis = diagnose(*engine->executor, engine->policy);
  if (!diagnosis) return misuse(diagnosis.error().message);
  if (flags.json) {
    print_json(*diagnosis);
  } else {
    print_table(*diagnosis);
  }
  return diagnosis->required_starts ? 0 : kNotIsolated;
}

}  // namespace cellblock::cli
