// Uploads of what is not in memory as a whole.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cellblock/session.hpp"

namespace cellblock {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = 8U << 20;

Error cannot_read(const std::string& local, const std::string& why) {
  return Error{ErrorKind::bad_argument, "Cannot read " + local + ": " + why + "."};
}

Expected<std::string> upload_one(Session& session, const std::string& local,
                                 const std::string& path) {
  std::ifstream file(local, std::ios::binary);
  if (!file) return cannot_read(local, std::strerror(errno));
  return session.upload(path, [&file, &local]() -> Expected<std::string> {
    std::string piece(kPieceBytes, '\0');
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (file.bad()) return cannot_read(local, "reading it failed");
    piece.resize(static_cast<std::size_t>(file.gcount()));
    return piece;
  });
}

}  // namespace

Expected<std::string> Session::upload(std::string_view path, const PieceSource& next) {
  auto piece = next();
  if (!piece) return std::move(piece).error();
  auto written = upload(path, *piece);
  while (written && !piece->empty()) {
    piece = next();
    if (!piece) return std::move(piece).error();
    if (piece->empty()) break;
    written = append(path, *piece);
  }
  return written;
}

Expected<std::string> Session::upload_file(const std::string& local, std::string_view path) {
  std::error_code wrong;
  const fs::path place = fs::path(local).lexically_normal();
  const fs::path own = place.has_filename() ? place.filename() : place.parent_path().filename();
  const std::string target = path.empty() ? own.string() : std::string(path);
  if (!fs::is_directory(local, wrong)) return upload_one(*this, local, target);
  auto entry = fs::recursive_directory_iterator(local, wrong);
  for (; !wrong && entry != fs::recursive_directory_iterator(); entry.increment(wrong)) {
    if (entry->is_symlink(wrong) || !entry->is_regular_file(wrong)) continue;
    const std::string name = target + "/" + entry->path().lexically_relative(local).string();
    if (auto written = upload_one(*this, entry->path().string(), name); !written) return written;
  }
  if (wrong) return cannot_read(local, wrong.message());
  return target;
}

}  // namespace cellblock
