#include "host/audit_log.hpp"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/unique_fd.hpp"

namespace cellblock::host {
namespace {

constexpr std::size_t kRotateBytes = 16UL << 20;
constexpr std::size_t kRotatedFiles = 5;

/// RFC 3339, UTC, milliseconds.
std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const std::time_t seconds = milliseconds / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string millis = std::to_string(1000 + milliseconds % 1000);
  return std::string(text.data(), length) + "." + millis.substr(1) + "Z";
}

/// Made before spdlog opens it, so that its mode is ours. Owns nothing: errno.
base::UniqueFd make_private_file(const std::string& path) {
  return base::UniqueFd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
}

}  // namespace

Expected<std::unique_ptr<AuditLog>> AuditLog::open(const std::string& path, LogCode log_code) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorKind::bad_argument, "The audit log " + path + " cannot be written (" + why +
                                              "): name a file in a folder that exists."};
  };
  const base::UniqueFd file = make_private_file(path);
  struct stat status {};
  if (!file) return refused(std::strerror(errno));
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return refused("it is no regular file");
  }
  try {
    // Rotation makes files too.
    spdlog::file_event_handlers handlers;
    handlers.before_open = [](const std::string& name) { make_private_file(name); };
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        path, kRotateBytes, kRotatedFiles, false, handlers);
    auto logger = std::make_shared<spdlog::logger>("cellblock-audit", std::move(sink));
    logger->set_pattern("%v", spdlog::pattern_time_type::utc);
    logger->flush_on(spdlog::level::info);
    return std::unique_ptr<AuditLog>(new AuditLog(std::move(logger), log_code));
  } catch (const std::exception& problem) {
    return refused(problem.what());
  }
}

void AuditLog::write(const ExecutionResult& result, const std::string& code, Bytes stdout_bytes,
                     Bytes stderr_bytes) {
  nlohmann::ordered_json line{
      {"time", timestamp()},
      {"session_id", result.session_id},
      {"execution_id", result.execution_id},
      {"execution_count", result.execution_count},
      {"code_sha256", result.code_sha256},
      {"status", to_string(result.status)},
      {"cause",
       result.cause ? nlohmann::ordered_json(to_string(*result.cause)) : nlohmann::ordered_json()},
      {"exit_code", result.exit_code},
      {"state", to_string(result.state)},
      {"wall_ms", result.usage.wall_ms},
      {"cpu_ms", result.usage.cpu_ms},
      {"code_bytes", code.size()},
      {"stdout_bytes", stdout_bytes},
      {"stderr_bytes", stderr_bytes},
      {"result_count", result.results.size()},
      {"policy_events", result.policy_events},
  };
  if (!result.trace.request_id.empty()) line["request_id"] = result.trace.request_id;
  if (!result.trace.tenant.empty()) line["tenant"] = result.trace.tenant;
  if (!result.trace.traceparent.empty()) line["traceparent"] = result.trace.traceparent;
  if (log_code_ == LogCode::yes) line["code"] = code;
  logger_->info(line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace cellblock::host
