// Redaction at the border: a session of the operator's own reads the file, the target gets what it
// wrote.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "cellblock/session.hpp"
#include "host/fork_executor.hpp"
#include "host/fork_session.hpp"

namespace cellblock {
namespace {

using Json = nlohmann::json;

constexpr Bytes kPieceBytes = 8ULL << 20;
constexpr std::string_view kCode =
    "import json\n"
    "from cellblock_runtime.redaction import redact\n"
    "with open('job.json', encoding='utf-8') as file:\n"
    "    job = json.load(file)\n"
    "report = redact('raw', 'redacted', job['format'], job['rules'], job['key'])\n"
    "with open('report.json', 'w', encoding='utf-8') as file:\n"
    "    json.dump(report, file)\n";

std::string format_of(const Redaction& redaction, const std::string& local) {
  if (!redaction.format.empty()) return redaction.format;
  std::string ending = std::filesystem::path(local).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".ndjson") return "jsonl";
  if (ending == ".tsv" || ending == ".txt") return "csv";
  return ending.empty() ? ending : ending.substr(1);
}

/// Trusted is the code, not the file: every kernel layer stays.
SecurityPolicy policy_of_redaction(const SecurityPolicy& target) {
  SecurityPolicy policy;
  if (auto trusted = SecurityPolicy::from_profile("trusted")) policy = *std::move(trusted);
  policy.isolation = target.isolation;
  policy.max_file_bytes.reset();
  policy.workspace_bytes.reset();
  return policy;
}

Expected<RedactionReport> read_report(Session& worker) {
  auto text = worker.download("report.json");
  if (!text) return std::move(text).error();
  const Json json = Json::parse(*text, nullptr, false);
  try {
    return RedactionReport{.path = {},
                           .format = json.at("format"),
                           .columns = json.at("columns"),
                           .rows = json.at("rows"),
                           .rules = json.at("rules")};
  } catch (const Json::exception&) {
    return Error{ErrorKind::host_error, "The redaction gave no report; run it again."};
  }
}

/// The reason in one sentence; tracebacks and output could hold values.
Error failed(const ExecutionResult& result) {
  const bool told = result.error && result.error->name.ends_with("RedactionError");
  const std::string why =
      told ? result.error->value : "it ended with " + std::string(to_string(result.status));
  return {ErrorKind::bad_argument, "The file was not redacted and not uploaded: " + why + "."};
}

}  // namespace

Expected<RedactionReport> Session::upload_redacted(const std::string& local, std::string_view path,
                                                   const Redaction& redaction) {
  auto opened = executor_->open_session(policy_of_redaction(session_->policy()));
  if (!opened) return std::move(opened).error();
  Session worker(executor_, *std::move(opened));
  if (auto raw = worker.upload_file(local, "raw"); !raw) return std::move(raw).error();
  const Json job{{"format", format_of(redaction, local)},
                 {"rules", redaction.rules},
                 {"key", redaction.hash_key}};
  const std::string text = job.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (auto sent = worker.upload("job.json", text); !sent) return std::move(sent).error();
  const ExecutionResult result = worker.run(kCode);
  if (result.status != Status::ok) return failed(result);
  auto report = read_report(worker);
  if (!report) return report;
  Bytes offset = 0;
  auto written = upload(path, [&worker, &offset]() -> Expected<std::string> {
    auto piece = worker.download("redacted", offset, kPieceBytes);
    if (piece) offset += piece->size();
    return piece;
  });
  if (!written) return std::move(written).error();
  report->path = *std::move(written);
  return report;
}

std::string RedactionReport::to_json() const {
  return Json{
      {"path", path}, {"format", format}, {"columns", columns}, {"rows", rows}, {"rules", rules}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cellblock
