#include "cli/terminal_pictures.hpp"

#include <cstdlib>
#include <string>

#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::cli;

namespace {

/// The environment of a terminal; put back at the end.
class Environment final {
 public:
  Environment(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }
  ~Environment() {
    for (const char* name : kNames) ::unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static constexpr const char* kNames[] = {"CELLBLOCK_PICTURES", "TERM", "TERM_PROGRAM",
                                           "KITTY_WINDOW_ID", "LC_TERMINAL"};
};

PictureProtocol in(std::initializer_list<std::pair<const char*, const char*>> variables) {
  const Environment environment(variables);
  return picture_protocol();
}

}  // namespace

TEST_CASE("The environment tells what a terminal can show") {
  CHECK(in({{"TERM", "xterm-kitty"}}) == PictureProtocol::kitty);
  CHECK(in({{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}}) == PictureProtocol::iterm2);
  CHECK(in({{"TERM", "foot"}}) == PictureProtocol::sixel);
  CHECK(in({{"TERM", "xterm-256color"}}) == PictureProtocol::none);
  CHECK(in({}) == PictureProtocol::none);
}

TEST_CASE("Inside screen and tmux no picture is sent, and a variable overrules everything") {
  CHECK(in({{"TERM", "tmux-256color"}, {"KITTY_WINDOW_ID", "1"}}) == PictureProtocol::none);
  CHECK(in({{"TERM", "tmux"}, {"CELLBLOCK_PICTURES", "sixel"}}) == PictureProtocol::sixel);
  CHECK(in({{"TERM", "xterm-kitty"}, {"CELLBLOCK_PICTURES", "none"}}) == PictureProtocol::none);
}

TEST_CASE("kitty gets a PNG in pieces, of which each but the last says that more comes") {
  const std::string shown =
      to_terminal(PictureProtocol::kitty, {.type = "image/png", .data = std::string(5000, 'x')});
  CHECK(shown.starts_with("\x1b_Ga=T,f=100,q=2,m=1;eHh4"));
  CHECK(shown.find("\x1b\\\x1b_Gm=0;") != std::string::npos);
  CHECK(shown.ends_with("\x1b\\\n"));
  CHECK(to_terminal(PictureProtocol::kitty, {.type = "image/jpeg", .data = "x"}).empty());
}

TEST_CASE("iTerm2 gets a picture with its size") {
  CHECK(to_terminal(PictureProtocol::iterm2, {.type = "image/jpeg", .data = "abc"}) ==
        "\x1b]1337;File=inline=1;size=3:YWJj\a\n");
}

TEST_CASE("A sixel picture is shown only when it does nothing but draw") {
  const auto shown = [](const std::string& data) {
    return to_terminal(PictureProtocol::sixel, {.type = "image/x-sixel", .data = data});
  };
  CHECK(shown("\"1;1;2;6#1;2;0;0;0#1!2~$-") == "\x1bPq\"1;1;2;6#1;2;0;0;0#1!2~$-\x1b\\\n");
  CHECK(shown("~\x1b\\\x1b]0;title\a").empty());
  CHECK(shown("~\x9c~").empty());
  CHECK(shown("~\n").empty());
}

TEST_CASE("Without a protocol nothing is shown") {
  CHECK(to_terminal(PictureProtocol::none, {.type = "image/png", .data = "x"}).empty());
  CHECK(figure_formats(PictureProtocol::sixel) == "sixel");
  CHECK(figure_formats(PictureProtocol::kitty) == "png");
}
