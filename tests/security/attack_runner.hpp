// Runs attacks in real sessions and keeps the table of what held them.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "cellblock/policy.hpp"
#include "cellblock/session.hpp"
#include "host/fork_executor.hpp"
#include "security/attack.hpp"

namespace cellblock::test {

struct Mode {
  std::string name;
  ImportGuard guard = ImportGuard::off;
  std::vector<std::string> without = {};  ///< layers that are switched off
  bool in_context = false;                ///< the attacks come from a context of the neighbour
};

/// Whatever a session or an executor could leave behind on the machine.
struct Traces {
  std::vector<std::string> processes;  ///< names of those below this one, sorted
  std::size_t descriptors = 0;
  std::size_t cgroups = 0;
  std::size_t mounts = 0;
  std::size_t files = 0;

  friend bool operator==(const Traces&, const Traces&) = default;
};

std::ostream& operator<<(std::ostream& stream, const Traces& traces);

/// What is there now, of this process and its executors only.
Traces traces_now();
/// The same when it has stopped changing: spares are made, and ended sessions removed, behind the
/// caller's back.
Traces settled_traces();
/// Whether nothing more than before is there, within a bound; what ends slowly has its time.
bool traces_become(const Traces& before);

/// One for the whole program, without packages. Its temporary folders lie in a folder of the test.
std::shared_ptr<host::ForkExecutor> attacked_executor();
Session open_attacked(const SecurityPolicy& policy);
Session open_attacked_context(Session& of);
/// Everything that hostile code is told of the host, in its environment.
SecurityPolicy attack_policy(const Mode& mode);
const Layer* find_layer(const IsolationReport& report, const std::string& name);
const Layer* find_layer(IsolationReport&& report, const std::string& name) = delete;
/// Whether `seen` is one of `expected`'s alternatives.
bool is_one_of(const std::string& expected, const std::string& seen);

/// Every attack with all kernel layers, with the Python layer on and off.
void run_with_all_layers(const std::vector<Attack>& attacks);
/// The same from a context, beside a session in the same cage.
void run_in_context(const std::vector<Attack>& attacks);
/// Each layer switched off in turn, with the attacks that another one holds.
void run_without_each_layer(const std::vector<Attack>& attacks);

}  // namespace cellblock::test
