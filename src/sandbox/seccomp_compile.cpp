#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "sandbox/kernel.hpp"
#include "sandbox/seccomp_filter.hpp"

namespace cellblock::sandbox {
namespace {

using Context = std::unique_ptr<void, decltype(&::seccomp_release)>;

constexpr std::uint32_t kX32Bit = 0x4000'0000;

Error failed(const std::string& what, int error) {
  return Error{ErrorKind::isolation_unavailable,
               "The system call filter cannot be made (" + what + ": " + std::strerror(error) +
                   "): no session starts without it. Check the installed libseccomp."};
}

std::uint32_t action_of(int error) {
  return error == 0 ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error));
}

int add_rule(const Context& context, const SyscallRule& rule) {
  std::vector<scmp_arg_cmp> tests;
  for (const ArgumentTest& test : rule.tests) {
    tests.push_back({.arg = test.argument,
                     .op = SCMP_CMP_MASKED_EQ,
                     .datum_a = test.mask,
                     .datum_b = test.value});
  }
  return ::seccomp_rule_add_array(context.get(), action_of(rule.error),
                                  static_cast<int>(rule.number),
                                  static_cast<unsigned>(tests.size()), tests.data());
}

/// libseccomp has one default for all numbers without a rule. Here those that the table does not
/// know are told apart; foreign architectures pass on, to be killed.
std::vector<sock_filter> make_prologue() {
  constexpr auto architecture = static_cast<std::uint32_t>(offsetof(seccomp_data, arch));
  constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  const std::array<sock_filter, 8> code{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, architecture),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 6),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kNewestKnown, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kFirstUnknown, 0, 2),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kLastUnknown, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  }};
  return {code.begin(), code.end()};
}

/// Appends what libseccomp makes of the rules.
int append_program(const Context& context, std::vector<sock_filter>& program) {
  const base::UniqueFd file(::memfd_create("cellblock-filter", MFD_CLOEXEC));
  if (!file) return errno;
  if (const int result = ::seccomp_export_bpf(context.get(), file.get()); result < 0) {
    return -result;
  }
  const off_t bytes = ::lseek(file.get(), 0, SEEK_END);
  if (bytes <= 0) return EIO;
  const std::size_t begin = program.size();
  program.resize(begin + static_cast<std::size_t>(bytes) / sizeof(sock_filter));
  const ssize_t got = ::pread(file.get(), &program[begin], static_cast<std::size_t>(bytes), 0);
  return got == bytes ? 0 : EIO;
}

}  // namespace

Expected<std::vector<sock_filter>> compile_filter(const std::vector<SyscallRule>& table) {
  const Context context(::seccomp_init(SCMP_ACT_ERRNO(EPERM)), &::seccomp_release);
  if (!context) return failed("start", ENOMEM);
  int result = ::seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // A search tree: a short way for every number, and a quick installation, since the kernel tries
  // all numbers then.
  constexpr std::uint32_t search_tree = 2;
  if (result == 0) {
    result = ::seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, search_tree);
  }
  if (result != 0) return failed("options", -result);
  for (const SyscallRule& rule : table) {
    result = add_rule(context, rule);
    if (result != 0) return failed("the rule for call " + std::to_string(rule.number), -result);
  }
  std::vector<sock_filter> program = make_prologue();
  if (const int error = append_program(context, program); error != 0) {
    return failed("compile", error);
  }
  return program;
}

Expected<FilterPrograms> compile_filters(const Surroundings& surroundings) {
  auto without = compile_filter(syscall_table(Children::refused, surroundings));
  if (!without) return without.error();
  auto with = compile_filter(syscall_table(Children::allowed, surroundings));
  if (!with) return with.error();
  return FilterPrograms{.without_children = *std::move(without), .with_children = *std::move(with)};
}

}  // namespace cellblock::sandbox
