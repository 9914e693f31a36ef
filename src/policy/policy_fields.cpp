#include "policy/policy_fields.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace cellblock::policy {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

// Bounds are wide: they catch absurd numbers, not bold ones. A size of 0 would mean "no limit" to
// the kernel, so where a number is a size of something that must exist it starts at 1.
constexpr double kLongestSeconds = 30.0 * 24 * 3600;
constexpr Bytes kMostBytes = 1ULL << 46;

milliseconds read_seconds(const Json& value, double least) {
  if (!value.is_number()) refuse("must be a number of seconds");
  const auto seconds = value.get<double>();
  if (!std::isfinite(seconds) || seconds < least || seconds > kLongestSeconds) {
    refuse("must be between " + Json(least).dump() + " and 2592000 seconds");
  }
  return milliseconds(std::llround(seconds * 1000));
}

double read_number(const Json& value, double least, double most) {
  if (!value.is_number()) refuse("must be a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < least || number > most) {
    refuse("must be between " + Json(least).dump() + " and " + Json(most).dump());
  }
  return number;
}

std::uint64_t read_count(const Json& value, std::uint64_t least, std::uint64_t most) {
  if (!value.is_number_integer()) refuse("must be a whole number");
  const bool negative = !value.is_number_unsigned() && value.get<std::int64_t>() < 0;
  if (negative || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most) {
    refuse("must be between " + std::to_string(least) + " and " + std::to_string(most));
  }
  return value.get<std::uint64_t>();
}

std::string read_string(const Json& value) {
  if (!value.is_string()) refuse("must be a string");
  auto text = value.get<std::string>();
  if (text.find('\0') != std::string::npos) refuse("must not hold a NUL character");
  return text;
}

std::vector<std::string> read_strings(const Json& value) {
  if (!value.is_array()) refuse("must be a list of strings");
  std::vector<std::string> strings;
  for (const Json& item : value) strings.push_back(read_string(item));
  return strings;
}

std::string read_absolute_path(const Json& value) {
  auto path = read_string(value);
  if (path.empty() || path.front() != '/') refuse("must be an absolute path");
  return path;
}

template <class Enum, std::size_t n>
struct EnumNames {
  std::array<std::pair<std::string_view, Enum>, n> names;

  [[nodiscard]] Enum read(const Json& value) const {
    std::string allowed;
    for (const auto& [name, result] : names) {
      if (value == name) return result;
      allowed += (allowed.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    }
    refuse("must be one of " + allowed);
  }
  [[nodiscard]] std::string write(Enum value) const {
    for (const auto& [name, result] : names) {
      if (result == value) return std::string(name);
    }
    return {};
  }
};

constexpr EnumNames<ImportGuard, 2> kImportGuards{
    {{{"on", ImportGuard::on}, {"off", ImportGuard::off}}}};
constexpr EnumNames<BackgroundThreads, 2> kBackgrounds{
    {{{"keep", BackgroundThreads::keep}, {"end", BackgroundThreads::end}}}};
constexpr EnumNames<OnRestart, 2> kOnRestarts{
    {{{"fresh", OnRestart::fresh}, {"reimport", OnRestart::reimport}}}};
constexpr EnumNames<Isolation, 3> kIsolations{{{{"required", Isolation::required},
                                                {"best_effort", Isolation::best_effort},
                                                {"none", Isolation::none}}}};
constexpr EnumNames<Interpreter, 2> kInterpreters{
    {{{"main", Interpreter::main}, {"sub", Interpreter::sub}}}};

Json write_seconds(milliseconds value) {
  if (value.count() % 1000 == 0) return value.count() / 1000;
  return static_cast<double>(value.count()) / 1000.0;
}

template <class T>
Json write_optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// null → no limit.
template <class T, class Read>
void read_optional(const Json& value, std::optional<T>& field, const Read& read) {
  if (value.is_null()) {
    field.reset();
  } else {
    field = static_cast<T>(read(value));
  }
}

}  // namespace

const std::vector<Field>& fields() {
  using P = SecurityPolicy;
  static const std::vector<Field> table{
      {"timeout_s", [](const Json& v, P& p) { p.timeout = read_seconds(v, 0.001); },
       [](const P& p) { return write_seconds(p.timeout); }},
      {"grace_s", [](const Json& v, P& p) { p.grace = read_seconds(v, 0.0); },
       [](const P& p) { return write_seconds(p.grace); }},
      {"cpu_seconds",
       [](const Json& v, P& p) {
         read_optional(v, p.cpu_seconds,
                       [](const Json& n) { return read_number(n, 0.001, kLongestSeconds); });
       },
       [](const P& p) { return write_optional(p.cpu_seconds); }},
      {"max_cpus",
       [](const Json& v, P& p) {
         read_optional(v, p.max_cpus, [](const Json& n) { return read_number(n, 0.01, 1024); });
       },
       [](const P& p) { return write_optional(p.max_cpus); }},
      {"max_memory_bytes",
       [](const Json& v, P& p) {
         read_optional(v, p.max_memory_bytes,
                       [](const Json& n) { return read_count(n, 1 << 20, kMostBytes); });
       },
       [](const P& p) { return write_optional(p.max_memory_bytes); }},
      {"max_processes",
       [](const Json& v, P& p) {
         read_optional(v, p.max_processes,
                       [](const Json& n) { return read_count(n, 0, 1'000'000); });
       },
       [](const P& p) { return write_optional(p.max_processes); }},
      {"max_threads",
       [](const Json& v, P& p) {
         read_optional(v, p.max_threads, [](const Json& n) { return read_count(n, 0, 1'000'000); });
       },
       [](const P& p) { return write_optional(p.max_threads); }},
      {"max_open_files",
       [](const Json& v, P& p) {
         read_optional(v, p.max_open_files,
                       [](const Json& n) { return read_count(n, 16, 1'000'000); });
       },
       [](const P& p) { return write_optional(p.max_open_files); }},
      {"max_file_bytes",
       [](const Json& v, P& p) {
         read_optional(v, p.max_file_bytes,
                       [](const Json& n) { return read_count(n, 1, kMostBytes); });
       },
       [](const P& p) { return write_optional(p.max_file_bytes); }},
      {"workspace_bytes",
       [](const Json& v, P& p) {
         read_optional(v, p.workspace_bytes,
                       [](const Json& n) { return read_count(n, 4096, kMostBytes); });
       },
       [](const P& p) { return write_optional(p.workspace_bytes); }},
      {"workspace_files",
       [](const Json& v, P& p) {
         read_optional(v, p.workspace_files,
                       [](const Json& n) { return read_count(n, 1, 1'000'000'000); });
       },
       [](const P& p) { return write_optional(p.workspace_files); }},
      {"workspace_dir",
       [](const Json& v, P& p) { read_optional(v, p.workspace_dir, read_absolute_path); },
       [](const P& p) { return write_optional(p.workspace_dir); }},
      {"max_stdout_bytes",
       [](const Json& v, P& p) { p.max_stdout_bytes = read_count(v, 256, 1ULL << 30); },
       [](const P& p) { return Json(p.max_stdout_bytes); }},
      {"max_stderr_bytes",
       [](const Json& v, P& p) { p.max_stderr_bytes = read_count(v, 256, 1ULL << 30); },
       [](const P& p) { return Json(p.max_stderr_bytes); }},
      {"max_text_bytes",
       [](const Json& v, P& p) { p.max_text_bytes = read_count(v, 256, 4ULL << 20); },
       [](const P& p) { return Json(p.max_text_bytes); }},
      {"max_result_bytes",
       [](const Json& v, P& p) { p.max_result_bytes = read_count(v, 1024, 48ULL << 20); },
       [](const P& p) { return Json(p.max_result_bytes); }},
      {"spool_bytes", [](const Json& v, P& p) { p.spool_bytes = read_count(v, 0, 1ULL << 32); },
       [](const P& p) { return Json(p.spool_bytes); }},
      {"allowed_imports", [](const Json& v, P& p) { p.allowed_imports = read_strings(v); },
       [](const P& p) { return Json(p.allowed_imports); }},
      {"import_guard", [](const Json& v, P& p) { p.import_guard = kImportGuards.read(v); },
       [](const P& p) { return Json(kImportGuards.write(p.import_guard)); }},
      {"network",
       [](const Json& v, P& p) {
         p.network = read_string(v);
         if (p.network != "none") refuse("must be \"none\": this version has no other");
       },
       [](const P& p) { return Json(p.network); }},
      {"read_paths",
       [](const Json& v, P& p) {
         if (!v.is_array()) refuse("must be a list of absolute paths");
         p.read_paths.clear();
         for (const Json& item : v) p.read_paths.push_back(read_absolute_path(item));
       },
       [](const P& p) { return Json(p.read_paths); }},
      {"env",
       [](const Json& v, P& p) {
         if (!v.is_object()) refuse("must be an object of strings");
         p.env.clear();
         for (const auto& [name, text] : v.items()) {
           if (name.empty() ||
               name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
             refuse("has a name that cannot be an environment variable's");
           }
           p.env[name] = read_string(text);
         }
       },
       [](const P& p) { return Json(p.env); }},
      {"background", [](const Json& v, P& p) { p.background = kBackgrounds.read(v); },
       [](const P& p) { return Json(kBackgrounds.write(p.background)); }},
      {"on_restart", [](const Json& v, P& p) { p.on_restart = kOnRestarts.read(v); },
       [](const P& p) { return Json(kOnRestarts.write(p.on_restart)); }},
      {"isolation", [](const Json& v, P& p) { p.isolation = kIsolations.read(v); },
       [](const P& p) { return Json(kIsolations.write(p.isolation)); }},
      {"interpreter", [](const Json& v, P& p) { p.interpreter = kInterpreters.read(v); },
       [](const P& p) { return Json(kInterpreters.write(p.interpreter)); }},
      {"session_ttl_s", [](const Json& v, P& p) { p.session_ttl = read_seconds(v, 0.001); },
       [](const P& p) { return write_seconds(p.session_ttl); }},
      {"idle_ttl_s", [](const Json& v, P& p) { p.idle_ttl = read_seconds(v, 0.001); },
       [](const P& p) { return write_seconds(p.idle_ttl); }},
  };
  return table;
}

}  // namespace cellblock::policy
