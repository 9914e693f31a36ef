// Each system call of the set-up made to fail by strace, in zygote and sessions: either no session,
// with a clear error, or one whose report says which layer is off. What the report says is compared
// with what the code in the session finds.
#include <sstream>
#include <string>
#include <vector>

#include "security/outcome_table.hpp"
#include "security/strace.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Fault {
  std::string call;
  std::string when = "1+";
};

// Without a count: each time. With one: that time, in every process anew.
const std::vector<Fault> kFaults{{"unshare"},
                                 {"unshare", "2"},
                                 {"unshare", "3"},
                                 {"unshare", "4"},
                                 {"unshare", "5"},
                                 {"setns"},
                                 {"setns", "1"},
                                 {"setns", "2"},
                                 {"setns", "3"},
                                 {"mount"},
                                 {"mount", "2"},
                                 {"open_tree"},
                                 {"move_mount"},
                                 {"move_mount", "1"},
                                 {"move_mount", "3"},
                                 {"fsopen"},
                                 {"fsmount"},
                                 {"fsmount", "2"},
                                 {"fsconfig"},
                                 {"fsconfig", "3"},
                                 {"mount_setattr"},
                                 {"mount_setattr", "2"},
                                 {"pivot_root"},
                                 {"umount2"},
                                 {"landlock_create_ruleset"},
                                 {"landlock_create_ruleset", "2"},
                                 {"landlock_add_rule"},
                                 {"landlock_restrict_self"},
                                 {"seccomp"},
                                 {"setresuid"},
                                 {"setresgid"},
                                 {"setgroups"},
                                 {"prctl"},
                                 {"capset"},
                                 {"capget"},
                                 {"prlimit64"},
                                 {"setrlimit"},
                                 {"close_range"},
                                 {"close_range", "2"},
                                 {"clone"},
                                 {"clone", "1"},
                                 {"clone3"},
                                 {"execveat"},
                                 {"setsid"},
                                 {"pidfd_open"},
                                 {"keyctl"},
                                 {"memfd_create"},
                                 {"dup2"},
                                 {"sethostname"},
                                 {"socket"},
                                 {"poll"}};

// What holds, by other means than the session's own report. Layers that cannot be seen from inside
// are left out.
constexpr const char* kFound = R"(
import resource, struct
def capabilities():
    header, data = struct.pack('Ii', 0x20080522, 0), ctypes.create_string_buffer(24)
    return call(125, header, data) == 'done' and data.raw == bytes(24)
found = {
    'descriptors': [fd for fd in range(1024) if tried(os.fstat, fd) == 'done'] == [0, 1, 2, 3, 4],
    'pid_namespace': os.getpid() == 2 and os.getppid() == 0,
    'mounts': not os.path.exists('/proc/self') and not os.path.exists('/etc/passwd'),
    'no_new_privs': libc.prctl(39, 0, 0, 0, 0) == 1,
    'capabilities': capabilities(),
    'process_group': os.getsid(0) == os.getpid(),
    'seccomp': libc.prctl(21, 0, 0, 0, 0) == 2,
    'landlock': tried(os.open, '/', os.O_RDONLY | os.O_DIRECTORY) == 'EACCES',
    'rlimits': resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
               and resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 256,
}
print(*(name for name, on in found.items() if not on))
)";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// What became of it, in words.
std::string judge(const FaultyExecutor& executor) {
  SecurityPolicy policy = attack_policy({});
  auto session = executor.open(policy);
  if (!session) {
    INFO(session.error().message);
    CHECK(session.error().message.size() > 20);
    CHECK(session.error().message.ends_with("."));
    return "no session: " + session.error().message.substr(0, 90);
  }
  const IsolationReport report = session->isolation();
  INFO(report.to_json());
  CHECK((report.level == "full" || report.level == "reduced"));
  const auto result = session->run(std::string(kPrelude) + kFound);
  INFO(result.err << (result.error ? result.error->traceback : ""));
  CHECK(result.status == Status::ok);
  std::string missing;
  for (const Layer& layer : report.layers) missing += layer.on ? "" : " " + layer.name;
  for (const std::string& name : words_of(result.out)) {
    INFO("not found by the code in the session: " << name);
    const Layer* layer = find_layer(report, name);
    REQUIRE(layer != nullptr);
    CHECK_FALSE(layer->on);
  }
  return missing.empty() ? "whole session" : "reported as off:" + missing;
}

}  // namespace

TEST_CASE("A system call of the set-up that fails leaves no layer off and reported as on") {
  if (const auto why = why_no_strace(); !why.empty()) CELLBLOCK_SKIP(why);
  attack_policy({});
  static_cast<void>(judge(FaultyExecutor({"trace=none"})));
  const Traces before = settled_traces();
  for (const Fault& fault : kFaults) {
    INFO(fault.call << " fails, when=" << fault.when);
    const std::string expression = "inject=" + fault.call + ":error=EPERM:when=" + fault.when;
    const std::string outcome = judge(FaultyExecutor({"trace=" + fault.call, expression}));
    const bool clean = traces_become(before);
    INFO("before: " << before << "\nafter: " << traces_now());
    CHECK(clean);
    record("P193", fault.call + " fails, " + fault.when, outcome);
  }
}

TEST_CASE("Without Landlock sessions start reduced, and the report names the reason") {
  if (const auto why = why_no_strace(); !why.empty()) CELLBLOCK_SKIP(why);
  struct Kernel {
    const char* injected;
    const char* detail;
  };
  for (const Kernel& kernel : {Kernel{"error=ENOSYS", "this kernel has no Landlock"},
                               Kernel{"error=EOPNOTSUPP", "switched off in this kernel"}}) {
    INFO(kernel.injected);
    const std::vector<std::string> faults{
        "trace=landlock_create_ruleset",
        std::string("inject=landlock_create_ruleset:") + kernel.injected};
    const FaultyExecutor executor(faults);
    auto session = executor.open(attack_policy({}));
    if (!session) {
      // Where nothing else holds the files.
      CHECK(session.error().kind == ErrorKind::isolation_unavailable);
      CHECK_THAT(session.error().message, ContainsSubstring("nothing holds files"));
    } else {
      const IsolationReport report = session->isolation();
      CHECK(report.level == "reduced");
      const Layer* landlock = find_layer(report, "landlock");
      CHECK_FALSE(landlock->on);
      CHECK_THAT(landlock->detail, ContainsSubstring(kernel.detail));
      CHECK(session->run("open('/etc/passwd')").error->name == "FileNotFoundError");
      const IsolationReport told = session->run("1").isolation;
      CHECK_FALSE(find_layer(told, "landlock")->on);
    }
    executor->switch_off({"mounts"});
    const auto bare = executor.open(attack_policy({}));
    REQUIRE_FALSE(bare);
    CHECK(bare.error().kind == ErrorKind::isolation_unavailable);
    CHECK_THAT(bare.error().message, ContainsSubstring("nothing holds files"));
    SecurityPolicy less = attack_policy({});
    less.isolation = Isolation::best_effort;
    auto partial = executor.open(less);
    REQUIRE(partial);
    CHECK(partial->run("1").isolation.level == "partial");
    record("P190", kernel.injected, "reduced, or refused");
  }
}

TEST_CASE("The oldest Landlock is used for what it can, and named by its number") {
  if (const auto why = why_no_strace(); !why.empty()) CELLBLOCK_SKIP(why);
  const IsolationReport here = open_attacked(attack_policy({})).isolation();
  if (!find_layer(here, "landlock")->on) {
    CELLBLOCK_SKIP("there is no Landlock here");
  }
  const FaultyExecutor executor(
      {"trace=landlock_create_ruleset", "inject=landlock_create_ruleset:retval=1:when=1"});
  auto session = executor.open(attack_policy({}));
  REQUIRE(session);
  const IsolationReport report = session->isolation();
  const Layer* landlock = find_layer(report, "landlock");
  CHECK(landlock->on);
  CHECK(landlock->detail == "ABI 1");
  CHECK(session->run("1 + 1").text == "2");
  record("P190", "ABI 1", "landlock ABI 1");
}

TEST_CASE("Without the system call filter no session starts, whatever is asked") {
  if (const auto why = why_no_strace(); !why.empty()) CELLBLOCK_SKIP(why);
  for (const char* error : {"EINVAL", "ENOSYS", "EACCES"}) {
    const FaultyExecutor executor({"trace=seccomp", std::string("inject=seccomp:error=") + error});
    for (const Isolation asked : {Isolation::required, Isolation::best_effort, Isolation::none}) {
      SecurityPolicy policy = attack_policy({});
      policy.isolation = asked;
      const auto session = executor.open(policy);
      REQUIRE_FALSE(session);
      CHECK_THAT(session.error().message, ContainsSubstring("no session starts"));
    }
    record("P191", std::string("seccomp: ") + error, "no session");
  }
}
