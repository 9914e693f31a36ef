#include "sandbox/init_image.hpp"

#include <cstring>
#include <string>

#include "sandbox/kernel.hpp"

asm(".pushsection .rodata\n"
    "cellblock_cage_init_begin:\n"
    ".incbin \"" CELLBLOCK_CAGE_INIT
    "\"\n"
    "cellblock_cage_init_end:\n"
    ".popsection\n");

extern "C" {
extern const char cellblock_cage_init_begin[];
extern const char cellblock_cage_init_end[];
}

namespace cellblock::sandbox {
namespace {

Error failed(const char* what) {
  return Error{ErrorKind::host_error, std::string("The cage's init cannot be put into memory (") +
                                          what + ": " + std::strerror(errno) + ")."};
}

int make_executable_memfd() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = ::memfd_create("cellblock-init", flags | kMfdExec);
  return fd >= 0 || errno != EINVAL ? fd : ::memfd_create("cellblock-init", flags);
}

}  // namespace

Expected<base::UniqueFd> make_init_image() {
  base::UniqueFd image(make_executable_memfd());
  if (!image) return failed("memfd_create");
  const auto size = static_cast<std::size_t>(cellblock_cage_init_end - cellblock_cage_init_begin);
  if (::write(image.get(), cellblock_cage_init_begin, size) != static_cast<ssize_t>(size)) {
    return failed("write");
  }
  constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (::fcntl(image.get(), F_ADD_SEALS, seals) != 0) return failed("F_ADD_SEALS");
  return image;
}

}  // namespace cellblock::sandbox
