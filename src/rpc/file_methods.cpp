// The session's workspace.
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/base64.hpp"
#include "rpc/later.hpp"

namespace cellblock::rpc {
namespace {

// What fits into one line of an answer with room to spare.
constexpr Bytes kMaxDownloadBytes = 32ULL << 20;

/// A rule for each column, as strings.
std::map<std::string, std::string> read_rules(Params& params, const Json& object) {
  std::map<std::string, std::string> rules;
  for (const auto& [column, rule] : object.items()) {
    if (!rule.is_string()) {
      params.refuse("redact", "names \"drop\", \"mask\" or \"hash\" for each column");
      return {};
    }
    rules[column] = rule.get<std::string>();
  }
  return rules;
}

/// A file of the server's own machine: the peer is the operator.
Prepared upload_local(Engine& engine, Params& params, std::string file) {
  auto path = params.optional_string("path").value_or("");
  const Json* redact = params.optional_object("redact");
  Redaction redaction;
  if (redact != nullptr) {
    redaction.rules = read_rules(params, *redact);
    redaction.format = params.optional_string("format").value_or("");
    redaction.hash_key = params.optional_string("hash_key").value_or("");
    if (path.empty()) path = std::filesystem::path(file).filename().string();
  }
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  return [opened = std::move(*session), path = std::move(path), file = std::move(file),
          redaction = std::move(redaction), redacts = redact != nullptr]() -> Outcome {
    auto& target = opened->session();
    if (redacts) {
      auto report = target.upload_redacted(file, path, redaction);
      if (!report) return server_error(std::move(report).error());
      return report->to_json();
    }
    auto written = target.upload_file(file, path);
    if (!written) return server_error(std::move(written).error());
    return to_text({{"path", *written}});
  };
}

}  // namespace

Prepared session_upload(Engine& engine, Params& params) {
  if (auto file = params.optional_string("file")) {
    return upload_local(engine, params, *std::move(file));
  }
  auto path = params.string("path");
  auto data = params.string("data_base64");
  const bool append = params.optional_flag("append").value_or(false);
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  return [opened = std::move(*session), path = std::move(path), data = std::move(data),
          append]() -> Outcome {
    const auto bytes = base::base64_decode(data);
    if (!bytes) {
      return bad_params("session.upload: \"data_base64\" must be base64 with its padding.");
    }
    auto& target = opened->session();
    auto written = append ? target.append(path, *bytes) : target.upload(path, *bytes);
    if (!written) return server_error(std::move(written).error());
    return to_text({{"path", *written}});
  };
}

Prepared session_download(Engine& engine, Params& params) {
  auto path = params.string("path");
  const Bytes offset = params.optional_count("offset").value_or(0);
  const Bytes limit = params.optional_count("limit").value_or(kMaxDownloadBytes);
  if (limit == 0 || limit > kMaxDownloadBytes) {
    params.refuse("limit", "must be from 1 to " + std::to_string(kMaxDownloadBytes));
  }
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  const auto bytes = [opened = *session, path, limit]() -> std::size_t {
    const auto file = opened->session().stat(path);
    return file ? std::min(file->size, limit + 1) : 0;
  };
  const auto work = [opened = std::move(*session), path = std::move(path), offset,
                     limit]() -> Outcome {
    // One byte more than asked for tells whether this is the end.
    auto bytes = opened->session().download(path, offset, limit + 1);
    if (!bytes) return server_error(std::move(bytes).error());
    const bool at_end = bytes->size() <= limit;
    if (!at_end) bytes->resize(limit);
    return to_text({{"data_base64", base::base64_encode(*bytes)},
                    {"size", bytes->size()},
                    {"next_offset", offset + bytes->size()},
                    {"at_end", at_end}});
  };
  return LargeWork{bytes, work};
}

Prepared session_files(Engine& engine, Params& params) {
  return later(named_session(engine, params), [](Session& session) { return session.files(); });
}

}  // namespace cellblock::rpc
