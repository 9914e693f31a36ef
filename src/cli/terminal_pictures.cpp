#include "cli/terminal_pictures.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/base64.hpp"

namespace cellblock::cli {
namespace {

constexpr std::size_t kKittyPiece = 4096;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string kitty(std::string_view data) {
  const std::string text = base::base64_encode(data);
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += kKittyPiece) {
    const bool more = at + kKittyPiece < text.size();
    shown += at == 0 ? "\x1b_Ga=T,f=100,q=2,m=" : "\x1b_Gm=";
    shown.append(more ? "1;" : "0;").append(text.substr(at, kKittyPiece)).append("\x1b\\");
  }
  return shown + "\n";
}

std::string iterm2(std::string_view data) {
  return "\x1b]1337;File=inline=1;size=" + std::to_string(data.size()) + ":" +
         base::base64_encode(data) + "\a\n";
}

bool only_draws(std::string_view body) {
  return std::all_of(body.begin(), body.end(), [](char c) {
    return (c >= '?' && c <= '~') || (c >= '0' && c <= '9') || c == ';' || c == '#' || c == '!' ||
           c == '"' || c == '$' || c == '-';
  });
}

}  // namespace

PictureProtocol picture_protocol() {
  const std::string_view chosen = variable("CELLBLOCK_PICTURES");
  if (chosen == "kitty") return PictureProtocol::kitty;
  if (chosen == "iterm2") return PictureProtocol::iterm2;
  if (chosen == "sixel") return PictureProtocol::sixel;
  const std::string_view term = variable("TERM");
  if (!chosen.empty() || term.starts_with("screen") || term.starts_with("tmux")) {
    return PictureProtocol::none;
  }
  const std::string_view program = variable("TERM_PROGRAM");
  if (term == "xterm-kitty" || term == "xterm-ghostty" || !variable("KITTY_WINDOW_ID").empty()) {
    return PictureProtocol::kitty;
  }
  if (program == "iTerm.app" || program == "WezTerm" || variable("LC_TERMINAL") == "iTerm2") {
    return PictureProtocol::iterm2;
  }
  const bool sixel = term.starts_with("foot") || term.starts_with("mlterm") ||
                     term.find("sixel") != std::string_view::npos;
  return sixel ? PictureProtocol::sixel : PictureProtocol::none;
}

std::string_view figure_formats(PictureProtocol protocol) {
  return protocol == PictureProtocol::sixel ? "sixel" : "png";
}

std::string to_terminal(PictureProtocol protocol, const DisplayData::Mime& picture) {
  const bool png = picture.type == "image/png";
  switch (protocol) {
    case PictureProtocol::none:
      return {};
    case PictureProtocol::kitty:
      return png ? kitty(picture.data) : "";
    case PictureProtocol::iterm2:
      return png || picture.type == "image/jpeg" || picture.type == "image/gif"
                 ? iterm2(picture.data)
                 : "";
    case PictureProtocol::sixel:
      return picture.type == "image/x-sixel" && only_draws(picture.data)
                 ? "\x1bPq" + picture.data + "\x1b\\\n"
                 : "";
  }
  return {};
}

}  // namespace cellblock::cli
