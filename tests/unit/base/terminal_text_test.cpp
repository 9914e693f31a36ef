#include "base/terminal_text.hpp"

#include "support/catch.hpp"

namespace cellblock::base {
namespace {

TEST_CASE("ordinary text is kept, of every alphabet") {
  const std::string text = "plain\ttext\nnaïve Кино 漢字 📈 👩‍🚀 ‏שלום‎\n";
  CHECK(terminal_safe_text(text) == text);
}

TEST_CASE("control characters are shown") {
  CHECK(terminal_safe_text("\x1b[31mred\x1b[0m") == R"(\x1b[31mred\x1b[0m)");
  CHECK(terminal_safe_text("\x1b]0;title\a") == R"(\x1b]0;title\x07)");
  CHECK(terminal_safe_text("\x1b]52;c;ZXZpbA==\x1b\\") == R"(\x1b]52;c;ZXZpbA==\x1b\)");
  CHECK(terminal_safe_text("\x1b]8;;http://x\a link") == R"(\x1b]8;;http://x\x07 link)");
  CHECK(terminal_safe_text("a\bb\x7f") == R"(a\x08b\x7f)");
  CHECK(terminal_safe_text(std::string_view("\0", 1)) == R"(\x00)");
}

TEST_CASE("C1 controls are shown, as UTF-8 and as bare bytes") {
  CHECK(terminal_safe_text("\u009b31m") == R"(\x9b31m)");
  CHECK(terminal_safe_text("\u0080\u009f\u00a0") == "\\x80\\x9f\u00a0");
  CHECK(terminal_safe_text("\x9b"
                           "31m") == R"(\x9b31m)");
}

TEST_CASE("bidi embeddings, overrides and isolates are shown") {
  CHECK(terminal_safe_text("\u202aa\u202b\u202c\u202d\u202e") ==
        R"(\u202aa\u202b\u202c\u202d\u202e)");
  CHECK(terminal_safe_text("\u2066\u2067\u2068\u2069") == R"(\u2066\u2067\u2068\u2069)");
}

TEST_CASE("a carriage return cannot overwrite a line") {
  CHECK(terminal_safe_text("real\rfake") == R"(real\rfake)");
  CHECK(terminal_safe_text("dos line\r\nnext\r\n") == "dos line\nnext\n");
  CHECK(terminal_safe_text("at the end\r") == R"(at the end\r)");
}

TEST_CASE("bytes that are no UTF-8 are shown") {
  CHECK(terminal_safe_text("\xff\xfe") == R"(\xff\xfe)");
  CHECK(terminal_safe_text("\xc0\x9b") == R"(\xc0\x9b)");                  // overlong
  CHECK(terminal_safe_text("\xe0\x82\x9b") == R"(\xe0\x82\x9b)");          // overlong
  CHECK(terminal_safe_text("\xed\xa0\x80") == R"(\xed\xa0\x80)");          // surrogate
  CHECK(terminal_safe_text("\xf4\x90\x80\x80") == R"(\xf4\x90\x80\x80)");  // too high
  CHECK(terminal_safe_text("\xe2\x82") == R"(\xe2\x82)");                  // cut off
}

TEST_CASE("however a text is cut into chunks, it comes out the same") {
  const std::string text = "a\x1b[2J\u009b\u202e é漢📈\r\nb\rc\xff\xe2\x82 d\r";
  const std::string whole = terminal_safe_text(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    TerminalText filter;
    std::string chunks;
    for (std::size_t at = 0; at < text.size(); at += size) {
      chunks += filter.feed(std::string_view(text).substr(at, size));
    }
    CHECK(chunks + filter.finish() == whole);
  }
}

TEST_CASE("nothing but what is incomplete waits for the next chunk") {
  TerminalText filter;
  CHECK(filter.feed("prompt: ") == "prompt: ");
  CHECK(filter.feed("\x1b") == "\\x1b");
  CHECK(filter.feed("\xe2\x82").empty());
  CHECK(filter.feed("\xac") == "€");
  CHECK(filter.feed("\r").empty());
  CHECK(filter.feed("\n") == "\n");
  CHECK(filter.finish().empty());
}

TEST_CASE("a safe line has no line ends") {
  CHECK(terminal_safe_line("a\nb\tc\x1b") == R"(a\nb\tc\x1b)");
}

}  // namespace
}  // namespace cellblock::base
