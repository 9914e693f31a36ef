#include "http/token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/random_id.hpp"
#include "base/sha256.hpp"
#include "base/unique_fd.hpp"

namespace cellblock::http {
namespace {

constexpr std::size_t kMinLength = 16;
constexpr std::size_t kMaxLength = 512;

Error bad(std::string message) { return {ErrorKind::bad_argument, std::move(message)}; }

bool is_token_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

}  // namespace

Token::Token(std::string text) : text_(std::move(text)), digest_(base::sha256_hex(text_)) {}

Token Token::random() { return Token(base::random_id("") + base::random_id("")); }

Expected<Token> Token::from_text(std::string_view text, std::string_view source) {
  if (text.size() < kMinLength || text.size() > kMaxLength ||
      !std::all_of(text.begin(), text.end(), is_token_character)) {
    return bad("The token in " + std::string(source) +
               " must have 16 to 512 characters of A-Z, a-z, 0-9 and -._~+/=.");
  }
  return Token(std::string(text));
}

Expected<Token> Token::from_file(const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    return bad("Cannot read the token file " + path + ": " + std::strerror(errno) + ".");
  }
  if (!S_ISREG(status.st_mode)) return bad("The token file " + path + " is no regular file.");
  if ((status.st_uid != ::geteuid() && status.st_uid != 0) || (status.st_mode & 077) != 0) {
    return bad("Others can use the token file " + path + "; chmod 600 it, as your own file.");
  }
  std::array<char, kMaxLength + 2> bytes{};
  const ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
  if (size < 0)
    return bad("Cannot read the token file " + path + ": " + std::strerror(errno) + ".");
  std::string_view text(bytes.data(), static_cast<std::size_t>(size));
  if (text.ends_with('\n')) text.remove_suffix(1);
  return from_text(text, "the file " + path);
}

bool Token::matches(std::string_view text) const {
  // Of equal length whatever was given; what the comparison's time could tell is about the digest.
  const std::string given = base::sha256_hex(text);
  unsigned char differs = 0;
  for (std::size_t i = 0; i < digest_.size(); ++i) {
    differs = static_cast<unsigned char>(differs | (given[i] ^ digest_[i]));
  }
  return differs == 0;
}

}  // namespace cellblock::http
