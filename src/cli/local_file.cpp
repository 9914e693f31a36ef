#include "cli/local_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/unique_fd.hpp"
#include "base/utf8.hpp"

namespace cellblock::cli {
namespace {

Error trouble(std::string_view doing, const std::string& name) {
  return Error{ErrorKind::bad_argument,
               "Cannot " + std::string(doing) + " " + name + ": " + std::strerror(errno) + "."};
}

}  // namespace

Expected<std::string> read_file(const std::string& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return trouble("read", path);
  return read_all(file.get(), path);
}

Expected<std::string> read_all(int fd, const std::string& name) {
  std::string data;
  std::array<char, 65'536> chunk;
  while (true) {
    const ssize_t count = ::read(fd, chunk.data(), chunk.size());
    if (count == 0) return data;
    if (count < 0) {
      if (errno == EINTR) continue;
      return trouble("read", name);
    }
    data.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

Expected<void> write_file(const std::string& path, std::string_view data) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(data.data(), static_cast<std::streamsize>(data.size()));
  file.close();
  if (!file) return trouble("write", path);
  return {};
}

Expected<std::string> as_source(std::string text, const std::string& name) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (base::to_valid_utf8(text) != text) {
    return Error{ErrorKind::bad_argument, name + " is not UTF-8 text; save it as UTF-8."};
  }
  return text;
}

}  // namespace cellblock::cli
