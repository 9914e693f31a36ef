// Every system call number with bad arguments, made inside a real session, against the checked-in
// table. CELLBLOCK_TEST_WRITE_SYSCALL_TABLE=1 writes the table anew: read its difference.
#include <sys/syscall.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

constexpr int kLastNumber = 500;
const std::string kTablePath =
    std::string(CELLBLOCK_TEST_SOURCE_DIR) + "/tests/security/syscall_table.txt";

struct Line {
  std::string name;
  std::string result;
};

std::map<int, Line> read_table() {
  std::map<int, Line> table;
  std::ifstream file(kTablePath);
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    int number = 0;
    Line line;
    if (words >> number >> line.name >> line.result) table[number] = line;
  }
  return table;
}

void write_table(const std::map<int, Line>& table) {
  std::ofstream file(kTablePath);
  file
      << "# Written by syscall_surface_test. `kernel`: the call reaches the kernel; `skipped`: it\n"
         "# would end or stop the session; `mounts`: the kernel where the host's files are out of "
         "view, else\n# EPERM.\n";
  for (const auto& [number, line] : table) {
    file << number << ' ' << line.name << ' ' << line.result << '\n';
  }
}

// -1 as every argument: no pointer, descriptor, process or flag that is good. futex says ENOSYS to
// its flags, so it gets an operation; a mode of all bits is refused as such, so that is 0.
constexpr const char* kProbe = R"(
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
special = {202: (0, 1), 2: (-1, -1, 0), 85: (-1, 0), 90: (-1, 0), 91: (-1, 0),
           257: (-1, -1, -1, 0), 268: (-1, -1, 0)}
names = {1: 'EPERM', 38: 'ENOSYS', 97: 'EAFNOSUPPORT'}
skipped = {15: 'rt_sigreturn', 34: 'pause', 60: 'exit', 231: 'exit_group'}
# Kernels since 6.14 let these two past every filter, and end a process that makes them with SIGILL.
skipped |= {335: 'uretprobe', 336: 'uprobe'}
for number in range(%LAST% + 1):
    if number in skipped:
        print(number, 'skipped')
        continue
    arguments = [ctypes.c_long(a) for a in (special.get(number, ()) + (-1,) * 6)[:6]]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    print(number, names.get(ctypes.get_errno(), 'kernel') if result == -1 else 'kernel')
)";

/// What the table's word means in this session.
std::string meaning(const std::string& word, const ExecutionResult& result) {
  if (word != "mounts") return word;
  for (const Layer& layer : result.isolation.layers) {
    if (layer.name == "mounts" && layer.on) return "kernel";
  }
  return "EPERM";
}

std::string probe() {
  std::string code = kProbe;
  const std::string place = "%LAST%";
  return code.replace(code.find(place), place.size(), std::to_string(kLastNumber));
}

}  // namespace

TEST_CASE("Every system call number answers as the table says") {
  const auto executor = make_executor();
  SecurityPolicy policy;
  policy.import_guard = ImportGuard::off;
  auto session = open_session(*executor, policy);
  const auto result = session.run(probe());
  INFO(result.out);
  REQUIRE(result.status == Status::ok);

  auto expected = read_table();
  std::map<int, Line> seen;
  std::istringstream lines(result.out);
  int number = 0;
  for (std::string answer; lines >> number >> answer;) {
    const auto known = expected.find(number);
    seen[number] = known == expected.end() ? Line{"-", answer} : known->second;
    if (meaning(seen[number].result, result) != answer) seen[number].result = answer;
  }
  REQUIRE(seen.size() == kLastNumber + 1);
  if (std::getenv("CELLBLOCK_TEST_WRITE_SYSCALL_TABLE") != nullptr) write_table(seen);
  expected = read_table();
  for (const auto& [call, line] : seen) {
    INFO(call << ' ' << line.name);
    CHECK(line.result == expected[call].result);
  }
  CHECK(session.run("1 + 1").text == "2");
}
