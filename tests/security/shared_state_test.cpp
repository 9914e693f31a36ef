// Sessions of one zygote share its memory as it was: nothing that one does is seen by another.
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "security/attack_runner.hpp"
#include "security/outcome_table.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

/// With packages loaded ahead, which is where state could be shared.
Executor& preloaded() {
  static const std::unique_ptr<Executor> executor = [] {
    attack_policy({});  // the test's own folder for temporary files
    auto made = Executor::create(ExecutorKind::fork, {.preload = {"numpy", "pandas"}});
    if (!made) throw std::runtime_error(made.error().message);
    return *std::move(made);
  }();
  return *executor;
}

/// Empty, or what is not installed.
std::string missing_packages() {
  const auto info = preloaded().info();
  if (!info) return info.error().message;
  std::string text;
  for (const auto& [package, why] : info->missing) text += package + ": " + why + ' ';
  return text;
}

SecurityPolicy open_policy() { return attack_policy({}); }

std::map<std::string, std::string> lines_of(Session& session, const std::string& code) {
  const auto result = session.run(code);
  INFO(result.err << (result.error ? result.error->traceback : ""));
  CHECK(result.status == Status::ok);
  std::map<std::string, std::string> values;
  std::istringstream lines(result.out);
  for (std::string name, value; lines >> name && std::getline(lines, value);) values[name] = value;
  return values;
}

constexpr const char* kRandomValues = R"(
import importlib.util, os, random, secrets, tempfile, uuid
import numpy as np, pandas as pd
print('global', np.random.rand(2))
print('generator', np.random.default_rng().random())
print('legacy', np.random.RandomState().rand())
print('random', random.random())
print('sample', list(pd.Series(range(10 ** 6)).sample(3)))
print('uuid4', uuid.uuid4())
print('secrets', secrets.token_hex())
print('urandom', os.urandom(8).hex())
print('names', next(tempfile._get_candidate_names()))
if importlib.util.find_spec('scipy'):
    import scipy.stats
    print('scipy', scipy.stats.norm.rvs())
)";

constexpr const char* kModuleHash = R"(
import hashlib, json, sys, types
import numpy, pandas
digest = hashlib.sha256()
for name in ('json', 'json.decoder', 'os', 'numpy.core.numeric', 'pandas.core.frame', 'pandas.core.series'):
    module = sys.modules.get(name)
    for key in sorted(vars(module)) if module else ():
        value = vars(module)[key]
        for function in ([value] if isinstance(value, types.FunctionType) else
                         [f for _, f in sorted(vars(value).items()) if isinstance(f, types.FunctionType)]
                         if isinstance(value, type) else []):
            digest.update(function.__qualname__.encode() + function.__code__.co_code)
print('hash', digest.hexdigest(), json.__doc__[:40].replace('\n', ' '), numpy.__version__)
)";

constexpr const char* kSpoil = R"(
import builtins, ctypes, json, os, sys
import numpy as np, pandas as pd
pd.options.display.max_rows = 1
np.sum = lambda *a, **k: 'spoiled'
np.set_printoptions(precision=1)
json.dumps = None
sys.modules['statistics'] = None
os.environ['SPOILED'] = 'yes'
builtins.spoiled = True
pd.DataFrame.sum = None
sys.path.insert(0, '/tmp')
)";

constexpr const char* kSpoiled = R"(
import builtins, json, os, sys
import numpy as np, pandas as pd
print('state', pd.options.display.max_rows, np.sum([1, 2]), np.get_printoptions()['precision'],
      json.dumps([1]), os.environ.get('SPOILED'), hasattr(builtins, 'spoiled'),
      pd.DataFrame({'a': [1]}).sum().a, '/tmp' in sys.path, sys.modules.get('statistics', 1) is None)
)";

}  // namespace

TEST_CASE("Two sessions draw different random numbers from every source") {
  if (const auto missing = missing_packages(); !missing.empty()) CELLBLOCK_SKIP(missing);
  auto one = open_session(preloaded(), open_policy());
  auto two = open_session(preloaded(), open_policy());
  const auto first = lines_of(one, kRandomValues);
  const auto second = lines_of(two, kRandomValues);
  REQUIRE(first.size() >= 9);
  REQUIRE(first.size() == second.size());
  for (const auto& [source, value] : first) {
    INFO(source << ": " << value);
    CHECK(second.at(source) != value);
  }
  record("K146", "Python off", "reseeding after fork");
}

TEST_CASE("What a session changes in shared modules no other session sees") {
  if (const auto missing = missing_packages(); !missing.empty()) CELLBLOCK_SKIP(missing);
  auto pristine = open_session(preloaded(), open_policy());
  const auto before = lines_of(pristine, kSpoiled);
  auto spoiler = open_session(preloaded(), open_policy());
  CHECK(spoiler.run(kSpoil).status == Status::ok);
  CHECK(spoiler.run("1 + 1").text == "2");
  auto later = open_session(preloaded(), open_policy());
  CHECK(lines_of(later, kSpoiled) == before);
  CHECK(lines_of(pristine, kSpoiled) == before);
  record("K148", "Python off", "process of its own");
}

TEST_CASE("Files that a session leaves no other session finds") {
  auto one = open_session(preloaded(), open_policy());
  const auto left = one.run(
      "import os, pathlib\n"
      "for folder in ('/tmp', os.environ['HOME'], os.getcwd()):\n"
      "    pathlib.Path(folder, 'left').write_text('x')\n"
      "for folder in ('.cache/matplotlib', '__pycache__', '.config'): os.makedirs(folder)\n"
      "print(os.path.exists('/dev/shm'))");
  INFO(left.err << (left.error ? left.error->traceback : ""));
  REQUIRE(left.status == Status::ok);
  auto two = open_session(preloaded(), open_policy());
  const IsolationReport report = one.isolation();
  const Layer* mounts = find_layer(report, "mounts");
  const auto seen =
      two.run("import os\nprint(os.listdir(os.environ['HOME']), os.listdir())\n" +
              std::string(mounts->on ? "print([n for n in os.listdir('/tmp') if n == 'left'])"
                                     : "print([])"));
  CHECK(seen.out == "[] []\n[]\n");
  if (mounts->on) CHECK(left.out == "False\n");
  record("K149", "Python off", "mounts");
}

TEST_CASE("What a session writes into the memory that it was forked with stays its own") {
  if (const auto missing = missing_packages(); !missing.empty()) CELLBLOCK_SKIP(missing);
  auto before_session = open_session(preloaded(), open_policy());
  const auto before = lines_of(before_session, kModuleHash);
  REQUIRE(before.at("hash").size() > 64);
  auto attacker = open_session(preloaded(), open_policy());
  const auto attack =
      attacker.run(std::string(kPrelude) +
                   "import json, struct\n"
                   "target = json.dumps.__code__.co_code\n"
                   "iov = struct.pack('QQ', id(target) + 32, 8)\n"
                   "say(*(call(311, pid, iov, 1, iov, 1, 0) for pid in (1, "
                   "os.getppid())), call(101, 16, 1, 0, 0),"
                   " tried(open, '/proc/1/mem', 'r+b'))\n"
                   // Its own copy, and the very bytes that all have in common.
                   "ctypes.memset(id(json.__doc__) + sys.getsizeof('') - 1, 88, 40)\n"
                   "print(json.__doc__[:8])");
  INFO(attack.out << attack.err << (attack.error ? attack.error->traceback : ""));
  CHECK((attack.out == "ENOENT EPERM\nXXXXXXXX\n" || attack.out == "EACCES EPERM\nXXXXXXXX\n"));
  auto after = open_session(preloaded(), open_policy());
  CHECK(lines_of(after, kModuleHash) == before);
  CHECK(lines_of(before_session, kModuleHash) == before);
  record("K151", "Python off", "copy on write, seccomp");
}

TEST_CASE("Sessions that are opened side by side all start") {
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&good] {
      for (int round = 0; round < kEach; ++round) {
        auto session = preloaded().open_session(open_policy());
        if (session && session->run("1 + 1", {.timeout = 20s}).text == "2") ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == kThreads * kEach);
  record("K155", "Python off", "one thread forks");
}
