#include "base/random_id.hpp"

#include <sys/random.h>

#include <array>
#include <cstdlib>

namespace cellblock::base {

std::string random_id(std::string_view prefix) {
  std::array<unsigned char, 16> bytes{};
  // Up to 256 bytes come whole once the kernel's generator is seeded, and this waits for that.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(prefix);
  for (const unsigned char byte : bytes) {
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

}  // namespace cellblock::base
