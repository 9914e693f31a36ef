#include "base/sha256.hpp"

#include <sys/types.h>
// libmd's header needs the types above first.
#include <sha2.h>

#include <array>
#include <cstdint>

namespace cellblock::base {

std::string sha256_hex(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digits.data());
  return {digits.data(), digits.size() - 1};
}

}  // namespace cellblock::base
