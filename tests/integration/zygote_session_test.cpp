// What a session of a zygote is held to, and what it sends.
#include <signal.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/pidfd.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/sessions.hpp"
#include "support/zygote_process.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;
using protocol::ForkMode;

namespace {

std::set<pid_t> inits_below(pid_t zygote) {
  std::set<pid_t> inits;
  for (const auto& [pid, name] : descendants_of(zygote)) {
    if (name.starts_with("cellblock-init")) inits.insert(pid);
  }
  return inits;
}

pid_t init_of(const SessionProcess& session) {
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(session.pidfds.back().get()));
  for (std::string word; file >> word;) {
    pid_t pid = 0;
    if (word == "Pid:" && file >> pid) return pid;
  }
  return 0;
}

}  // namespace

TEST_CASE("Limits hold: memory, open files, the size of a file") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open(with_limits());
  REQUIRE(session);
  if (kMemoryIsMeasurable) {
    CHECK_THAT(session->value_of("len(bytearray(300 << 20))"), ContainsSubstring("MemoryError"));
    CHECK(session->value_of("len(bytearray(100 << 20))") == "104857600");
  }
  CHECK_THAT(
      session->value_of("import tempfile\nfiles = [tempfile.TemporaryFile() for _ in range(80)]"),
      ContainsSubstring("Errno 24"));
  CHECK_THAT(session->value_of("f = tempfile.TemporaryFile()\nf.write(bytes(2 << 20)); f.flush()"),
             ContainsSubstring("File too large"));
  CHECK(session->value_of("'kept'") == "'kept'");
}

TEST_CASE("A bare session is a plain fork that answers alike") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.fork_session({.mode = ForkMode::bare});
  REQUIRE(session);
  CHECK(session->pidfds.size() == 1);
  const auto ready = session->wait_ready();
  REQUIRE(ready);
  CHECK_FALSE(layer_is_on(*ready, "pid_namespace"));
  CHECK_FALSE(layer_is_on(*ready, "no_new_privs"));
  CHECK_FALSE(layer_is_on(*ready, "rlimits"));
  CHECK(session->value_of("1 + 1") == "2");
  base::send_signal(session->pidfds.front().get(), SIGKILL);
  CHECK(zygote.wait_exited(*session));
}

TEST_CASE("Pictures travel as attachments") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open();
  REQUIRE(session);
  // A megabyte: more than the socket holds at once.
  const auto reply = session->execute(
      "import _cellblock_session\n"
      "_cellblock_session.send_display({'mime': {'text/plain': 'a \\ud800 b', 'n': 2**70},\n"
      "    'attachments': ['image/png'], 'chart': None, 'is_main_result': False},\n"
      "    [bytes(1 << 20)])");
  REQUIRE(reply);
  CHECK_FALSE(reply->error);
  REQUIRE(session->displays.size() == 1);
  const protocol::Frame& frame = session->displays.front();
  CHECK(frame.id == 1);
  REQUIRE(frame.attachments.size() == 1);
  CHECK(frame.attachments.front() == std::string(1U << 20, '\0'));
  const auto data = protocol::decode_display(frame.body, frame.attachments);
  REQUIRE(data);
  std::map<std::string, std::string> mime;
  for (const auto& part : data->mime) mime[part.type] = part.data;
  CHECK(mime["text/plain"] == "a \xEF\xBF\xBD b");
  CHECK(mime["image/png"].size() == 1U << 20);
  CHECK_THAT(session->value_of("_cellblock_session.send_display({}, [bytes(65 << 20)])"),
             ContainsSubstring("too large"));
}

TEST_CASE("A session joins a living cage by its number, and is refused when there is none") {
  ZygoteProcess zygote({.placement = placements().back()});
  const auto ready = zygote.wait_ready();
  REQUIRE(ready);
  if (!ready->cages) CELLBLOCK_SKIP("no cages can be made here: " + ready->cages_detail);
  const protocol::ForkRequest founding{.cage = 7};
  const protocol::ForkRequest joining{.cage = 7, .joins_cage = true};
  CHECK_FALSE(zygote.fork_session(joining));

  auto first = zygote.open(founding);
  auto second = zygote.open(joining);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(second->pidfds.size() == 2);
  CHECK_FALSE(second->workspace);
  CHECK(first->value_of("open('/tmp/a', 'w').write('x')") == "1");
  CHECK(second->value_of("open('/tmp/a').read()") == "'x'");
  // The whole pid namespace of the one that made the cage.
  base::send_signal(first->pidfds.back().get(), SIGKILL);
  CHECK(zygote.wait_exited(*first));
  auto third = zygote.open(joining);
  REQUIRE(third);
  CHECK(third->value_of("open('/tmp/a').read()") == "'x'");
  for (auto* session : {&*second, &*third}) {
    base::send_signal(session->pidfds.back().get(), SIGKILL);
    CHECK(zygote.wait_exited(*session));
  }
  CHECK_FALSE(zygote.fork_session(joining));
  auto next = zygote.open(founding);
  REQUIRE(next);
  CHECK(next->value_of("import os; os.path.exists('/tmp/a')") == "False");
}

TEST_CASE("A cage that was made ahead and ended from outside is not handed out") {
  ZygoteProcess zygote({.placement = placements().back()});
  const auto ready = zygote.wait_ready();
  REQUIRE(ready);
  if (!ready->cages) CELLBLOCK_SKIP("no cages can be made here: " + ready->cages_detail);
  auto first = zygote.open();
  REQUIRE(first);
  for (int round = 0; round < 3; ++round) {
    // After the answer it makes one ahead: the only init that is no session's.
    std::set<pid_t> ahead;
    CHECK(wait_until([&] {
      ahead = inits_below(zygote.pid());
      return ahead.size() == 2;
    }));
    for (const pid_t init : ahead) {
      if (init != init_of(*first)) ::kill(init, SIGKILL);
    }
    auto next = zygote.open();
    REQUIRE(next);
    CHECK(next->value_of("1 + 1") == "2");
    base::send_signal(next->pidfds.back().get(), SIGKILL);
    CHECK(zygote.wait_exited(*next));
  }
  CHECK(first->value_of("'kept'") == "'kept'");
}
