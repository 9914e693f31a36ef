// Pictures that a terminal shows itself.
#pragma once

#include <string>
#include <string_view>

#include "cellblock/result.hpp"

namespace cellblock::cli {

enum class PictureProtocol { none, kitty, iterm2, sixel };

/// What the environment says of the terminal; CELLBLOCK_PICTURES (kitty, iterm2, sixel, none)
/// overrules it. Inside screen and tmux: none.
PictureProtocol picture_protocol();

/// The formats in which the session must draw figures for it, for the session's environment.
std::string_view figure_formats(PictureProtocol protocol);

/// What to write to the terminal for this picture; empty: this protocol cannot show it. Safe
/// whatever a session sends: pictures travel in base64, and of a sixel picture only what draws.
std::string to_terminal(PictureProtocol protocol, const DisplayData::Mime& picture);

}  // namespace cellblock::cli
