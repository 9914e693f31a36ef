#include "cli/image_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/local_file.hpp"

namespace cellblock::cli {
namespace {

std::string ending_of(const std::string& type) {
  if (type == "image/png") return ".png";
  if (type == "image/jpeg") return ".jpg";
  if (type == "image/gif") return ".gif";
  if (type == "image/webp") return ".webp";
  if (type == "image/svg+xml") return ".svg";
  if (type == "image/x-sixel") return ".six";
  return ".bin";
}

std::string make_folder() {
  const char* temporary = std::getenv("TMPDIR");
  std::string name = temporary != nullptr && temporary[0] == '/' ? temporary : "/tmp";
  name += "/cellblock-XXXXXX";
  return ::mkdtemp(name.data()) != nullptr ? name : "";
}

}  // namespace

std::string ImageFolder::keep(const DisplayData::Mime& image) {
  if (folder_.empty()) folder_ = make_folder();
  if (folder_.empty()) {
    return "[" + image.type + ": no folder for it: " + std::strerror(errno) + "]";
  }
  const std::string path = folder_ + "/figure-" + std::to_string(++count_) + ending_of(image.type);
  const auto written = write_file(path, image.data);
  return written ? "[" + image.type + ": " + path + "]" : "[" + written.error().message + "]";
}

}  // namespace cellblock::cli
