#include "security/attack_runner.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "base/unique_fd.hpp"
#include "security/outcome_table.hpp"
#include "support/catch.hpp"
#include "support/cgroups.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

namespace cellblock::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSecret = "swordfish";
constexpr std::chrono::milliseconds kCellLimit{20'000};

base::UniqueFd listen_on(int family, const sockaddr* address, socklen_t size) {
  base::UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(socket.get(), address, size) != 0 || ::listen(socket.get(), 4) != 0) {
    throw std::runtime_error("a socket of the test cannot listen");
  }
  return socket;
}

/// What hostile code would like to reach: a file, a TCP port and two sockets of the host.
class Host final {
 public:
  Host() {
    ::setenv("TMPDIR", scratch_.path().c_str(), 1);
    ::setenv("CELLBLOCK_TEST_SECRET", kSecret, 1);
    write_file(secret_file(), kSecret);
    ::chmod(secret_file().c_str(), 0644);
    ::chmod(scratch_.path().c_str(), 0755);
    sockaddr_in port{.sin_family = AF_INET,
                     .sin_port = 0,
                     .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                     .sin_zero = {}};
    tcp_ = listen_on(AF_INET, reinterpret_cast<const sockaddr*>(&port), sizeof(port));
    socklen_t size = sizeof(port);
    ::getsockname(tcp_.get(), reinterpret_cast<sockaddr*>(&port), &size);
    port_ = ntohs(port.sin_port);
    named_ = listen_unix(scratch_ / "socket", false);
    ::chmod((scratch_ / "socket").c_str(), 0777);
    abstract_ = listen_unix(abstract_name(), true);
  }

  [[nodiscard]] std::string secret_file() const { return scratch_ / "secret"; }
  [[nodiscard]] std::string folder() const { return scratch_.path(); }
  [[nodiscard]] std::string abstract_name() const {
    return "cellblock-test-" + std::to_string(::getpid());
  }
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"HOST_FILE", secret_file()},
            {"HOST_PORT", std::to_string(port_)},
            {"HOST_SOCKET", scratch_ / "socket"},
            {"HOST_ABSTRACT", abstract_name()}};
  }

 private:
  static base::UniqueFd listen_unix(const std::string& name, bool is_abstract) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t skipped = is_abstract ? 1 : 0;
    name.copy(address.sun_path + skipped, sizeof(address.sun_path) - skipped - 1);
    const auto size = offsetof(sockaddr_un, sun_path) + skipped + name.size();
    return listen_on(AF_UNIX, reinterpret_cast<const sockaddr*>(&address),
                     static_cast<socklen_t>(size));
  }

  ScratchFolder scratch_;
  base::UniqueFd tcp_;
  base::UniqueFd named_;
  base::UniqueFd abstract_;
  int port_ = 0;
};

const Host& the_host() {
  static const Host host;
  return host;
}

std::size_t count_lines(const std::string& path) {
  std::ifstream file(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

/// This program's runtime folders: an executor's groups have the same name.
std::set<std::string> executor_names() {
  std::set<std::string> names;
  for (const std::string& path : folders_in(the_host().folder())) {
    names.insert(fs::path(path).filename().string());
  }
  return names;
}

std::size_t count_groups() {
  const auto names = executor_names();
  std::size_t count = 0;
  for (const std::string& executor : groups_of_executors()) {
    if (names.count(fs::path(executor).filename().string()) == 0) continue;
    count += 1 + folders_in(executor).size();
  }
  return count;
}

std::size_t count_files() {
  std::size_t count = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(the_host().folder(), error), end;
       !error && entry != end; entry.increment(error)) {
    // What a session without mounts of its own has in its workspace is its own affair.
    if (entry->path().filename().string().starts_with("w-")) entry.disable_recursion_pending();
    ++count;
  }
  return count;
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string describe(const ExecutionResult& result) {
  std::ostringstream text;
  text << "status " << to_string(result.status) << ", cause "
       << (result.cause ? to_string(*result.cause) : "none") << ", exit code " << result.exit_code
       << "\nout: " << result.out << "\nerr: " << result.err;
  if (result.error)
    text << "\nerror: " << result.error->name << ": " << result.error->value << '\n'
         << result.error->traceback;
  return text.str();
}

bool is_refused_import(const ExecutionResult& result) {
  return result.cause == Cause::import_refused;
}

/// One session under attack, and one beside it.
class Arena final {
 public:
  explicit Arena(const Mode& mode)
      : mode_(mode),
        neighbour_(open_attacked(attack_policy(mode))),
        attacked_(mode.in_context ? open_attacked_context(neighbour_)
                                  : open_attacked(attack_policy(mode))) {
    CHECK(attacked_.run("1").status == Status::ok);
    CHECK(neighbour_.run("kept = 4").status == Status::ok);
    before_ = settled_traces();
  }

  [[nodiscard]] IsolationReport report() const { return attacked_.isolation(); }

  /// The attack, and what must be so after it.
  void meet(const Attack& attack, const std::string& answer, const std::optional<Ending>& ending,
            const std::string& held_by) {
    INFO(attack.id << ' ' << attack.kind << " (" << mode_.name << ")");
    const auto result = attacked_.run(kPrelude + attack.code, {.timeout = kCellLimit});
    INFO(describe(result));
    const bool guarded = mode_.guard == ImportGuard::on && is_refused_import(result);
    const bool held = guarded || (ending ? ended_so(result, *ending) : saw(result, answer));
    CHECK(held);
    // A cell that the guard refused has not run: there is nothing to put in order.
    const bool calm = is_calm(guarded ? std::string() : attack.afterwards);
    const std::string by = guarded ? "import guard" : held_by;
    record(attack.id, mode_.name, held && calm ? by : "NOT HELD");
  }

 private:
  static bool ended_so(const ExecutionResult& result, const Ending& ending) {
    CHECK(result.status == ending.status);
    CHECK(result.cause == ending.cause);
    CHECK(result.exit_code == ending.exit_code);
    CHECK(result.state == State::lost);
    return result.status == ending.status && result.cause == ending.cause &&
           result.exit_code == ending.exit_code && result.state == State::lost;
  }

  static bool saw(const ExecutionResult& result, const std::string& answer) {
    CHECK(result.state == State::kept);
    INFO("expected: " << answer);
    const bool seen = is_one_of(answer, trimmed(result.out));
    CHECK(seen);
    return seen && result.state == State::kept;
  }

  bool is_calm(const std::string& afterwards) {
    const bool next = attacked_.run("1 + 1").text == "2";
    CHECK(next);
    if (!afterwards.empty()) CHECK(attacked_.run(afterwards).status == Status::ok);
    const bool other = neighbour_.run("kept").text == "4";
    CHECK(other);
    const bool clean = traces_become(before_);
    INFO("before: " << before_ << "\nafter: " << traces_now());
    CHECK(clean);
    return next && other && clean;
  }

  Mode mode_;
  Session neighbour_;
  Session attacked_;
  Traces before_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Layers that are of no meaning alone: whoever is user 0 with no other number loses nothing.
std::vector<std::string> with_dependents(const std::string& layer) {
  if (layer == "capabilities") return {"capabilities", "ids"};
  return {layer};
}

void run_without(const std::string& layer, const std::vector<Attack>& attacks) {
  const Mode mode{.name = "without " + layer, .without = with_dependents(layer)};
  attacked_executor()->switch_off(mode.without);
  {
    Arena arena(mode);
    const IsolationReport report = arena.report();
    const Layer* off = find_layer(report, layer);
    INFO(report.to_json());
    if (off != nullptr) CHECK_FALSE(off->on);
    for (const Attack& attack : attacks) {
      for (const AlsoHeld& also : attack.also_held) {
        if (also.without != layer) continue;
        const Layer* other = find_layer(report, also.by);
        if (other != nullptr && !other->on) {
          record(attack.id, mode.name, "skipped: no " + also.by);
          report_skip(attack.id + " without " + layer + ": there is no " + also.by + " here (" +
                      other->detail + ")");
          continue;
        }
        arena.meet(attack, also.answer, also.ending, also.by);
      }
    }
  }
  attacked_executor()->switch_off({});
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const Traces& traces) {
  return stream << "processes " << joined(traces.processes) << "; descriptors "
                << traces.descriptors << "; cgroups " << traces.cgroups << "; mounts "
                << traces.mounts << "; files " << traces.files;
}

Traces traces_now() {
  Traces traces{.descriptors = open_descriptors(),
                .cgroups = count_groups(),
                .mounts = count_lines("/proc/self/mountinfo"),
                .files = count_files()};
  for (const auto& [pid, name] : descendants_of(::getpid())) traces.processes.push_back(name);
  std::sort(traces.processes.begin(), traces.processes.end());
  return traces;
}

Traces settled_traces() {
  constexpr int kSameLooks = 8;
  Traces last = traces_now();
  int same = 0;
  static_cast<void>(wait_until(
      [&] {
        std::this_thread::sleep_for(15ms);
        Traces now = traces_now();
        same = now == last ? same + 1 : 0;
        last = std::move(now);
        return same >= kSameLooks;
      },
      10s));
  return last;
}

bool traces_become(const Traces& before) {
  return wait_until(
      [&] {
        const Traces now = traces_now();
        return now.processes.size() <= before.processes.size() &&
               now.descriptors <= before.descriptors && now.cgroups <= before.cgroups &&
               now.mounts <= before.mounts && now.files <= before.files;
      },
      5s);
}

std::shared_ptr<host::ForkExecutor> attacked_executor() {
  static const auto shared = [] {
    the_host();
    ExecutorOptions options;
    options.preload.clear();
    auto executor = host::ForkExecutor::create(std::move(options));
    if (!executor) throw std::runtime_error(executor.error().message);
    return *std::move(executor);
  }();
  return shared;
}

Session open_attacked(const SecurityPolicy& policy) {
  auto session = attacked_executor()->open_session(policy);
  if (!session) throw std::runtime_error(session.error().message);
  return {attacked_executor(), *std::move(session)};
}

Session open_attacked_context(Session& of) {
  auto context = of.open_context();
  if (!context) throw std::runtime_error(context.error().message);
  return *std::move(context);
}

SecurityPolicy attack_policy(const Mode& mode) {
  SecurityPolicy policy;
  policy.import_guard = mode.guard;
  policy.env = the_host().environment();
  // A session without the layer must start to be attacked.
  if (!mode.without.empty()) policy.isolation = Isolation::none;
  return policy;
}

const Layer* find_layer(const IsolationReport& report, const std::string& name) {
  const auto found = std::find_if(report.layers.begin(), report.layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  return found == report.layers.end() ? nullptr : &*found;
}

bool is_one_of(const std::string& expected, const std::string& seen) {
  const std::string apart = " | ";
  for (std::size_t start = 0; start <= expected.size();) {
    const std::size_t end = std::min(expected.find(apart, start), expected.size());
    if (expected.compare(start, end - start, seen) == 0) return true;
    start = end + apart.size();
  }
  return false;
}

void run_with_all_layers(const std::vector<Attack>& attacks) {
  for (const Mode& mode : {Mode{.name = "all on", .guard = ImportGuard::on},
                           Mode{.name = "Python off", .guard = ImportGuard::off}}) {
    attacked_executor()->switch_off({});
    Arena arena(mode);
    for (const Attack& attack : attacks) {
      arena.meet(attack, attack.answer, attack.ending, attack.held_by);
    }
  }
}

void run_in_context(const std::vector<Attack>& attacks) {
  attacked_executor()->switch_off({});
  Arena arena({.name = "in a context", .guard = ImportGuard::off, .in_context = true});
  for (const Attack& attack : attacks) {
    arena.meet(attack, attack.answer, attack.ending, attack.held_by);
  }
}

void run_without_each_layer(const std::vector<Attack>& attacks) {
  std::set<std::string> layers;
  for (const Attack& attack : attacks) {
    for (const AlsoHeld& also : attack.also_held) layers.insert(also.without);
  }
  for (const std::string& layer : layers) run_without(layer, attacks);
}

}  // namespace cellblock::test
