#include "base/utf8.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock::base;
using namespace std::string_literals;

namespace {

constexpr const char* kMark = "\xEF\xBF\xBD";

std::string marks(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += kMark;
  return text;
}

/// One character of each length, and the borders between the lengths.
const std::vector<std::string> kCharacters{"a",
                                           "\x7F",
                                           "\xC2\x80",
                                           "é",
                                           "\xDF\xBF",
                                           "\xE0\xA0\x80",
                                           "€",
                                           "\xED\x9F\xBF",
                                           "\xEE\x80\x80",
                                           "\xEF\xBF\xBF",
                                           "\xF0\x90\x80\x80",
                                           "😀",
                                           "\xF4\x8F\xBF\xBF"};

}  // namespace

TEST_CASE("Valid text stays as it is") {
  for (const auto& character : kCharacters) {
    CHECK(to_valid_utf8(character) == character);
    CHECK(to_valid_utf8("x" + character + character + "y") == "x" + character + character + "y");
  }
  CHECK(to_valid_utf8("").empty());
  CHECK(to_valid_utf8("a\0b"s) == "a\0b"s);
}

TEST_CASE("Each maximal invalid part becomes one replacement character") {
  // The Unicode Standard, chapter 3, tables 3-8 to 3-11.
  const std::vector<std::pair<std::string, std::string>> examples{
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", marks(8) + "A"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", marks(8) + "A"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", marks(5) + "A" + marks(2) + "B"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", marks(4) + "A"},
      {"\xE2\x82", marks(1)},
      {"\xF0\x9F\x98", marks(1)},
      {"\x80", marks(1)},
      {"\xE2\x82\xE2\x82\xAC", marks(1) + "€"},
      {"\xFE\xFF", marks(2)},
  };
  for (const auto& [bytes, text] : examples) CHECK(to_valid_utf8(bytes) == text);
}

TEST_CASE("The beginning of a character at the end is told by its length") {
  for (const auto& character : kCharacters) {
    for (std::size_t part = 1; part < character.size(); ++part) {
      CHECK(incomplete_tail("abc" + character.substr(0, part)) == part);
      CHECK(incomplete_tail(character.substr(0, part)) == part);
    }
    CHECK(incomplete_tail(character) == 0);
  }
  CHECK(incomplete_tail("") == 0);
  for (const char* hopeless : {"\x80", "\xFF", "\xC0", "\xE0\x80", "\xED\xA0", "\xF4\x90",
                               "\xE2\x82\xAC\x80", "\x80\x80\x80\x80"}) {
    CHECK(incomplete_tail(hopeless) == 0);
  }
}

TEST_CASE("A cut moves to a character's border, left or right") {
  const std::string text = "aé€😀z";  // borders at 0, 1, 3, 6, 10, 11
  const std::vector<std::size_t> floors{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
  const std::vector<std::size_t> ceilings{0, 1, 3, 3, 6, 6, 6, 10, 10, 10, 10, 11};
  for (std::size_t i = 0; i <= text.size(); ++i) {
    CHECK(floor_to_character(text, i) == floors[i]);
    CHECK(ceil_to_character(text, i) == ceilings[i]);
  }
  CHECK(floor_to_character(text, 99) == text.size());
  CHECK(ceil_to_character(text, 99) == text.size());
}

TEST_CASE("A cut in bytes that are no text moves three bytes at most") {
  const std::string bytes(100, '\x80');
  for (std::size_t i = 0; i <= bytes.size(); ++i) {
    CHECK(floor_to_character(bytes, i) + 3 >= i);
    CHECK(ceil_to_character(bytes, i) <= i + 3);
  }
}

TEST_CASE("A stream gives the same text wherever it was split") {
  std::string bytes;
  for (const auto& character : kCharacters) bytes += character;
  bytes +=
      "\xE2\x82\xFF\xF0\x9F"
      "end\xF0\x9F\x98";
  const std::string whole = to_valid_utf8(bytes);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      Utf8Stream stream;
      std::string text;
      for (const auto& chunk :
           {bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}) {
        const std::string piece = stream.feed(chunk);
        REQUIRE(to_valid_utf8(piece) == piece);
        text += piece;
      }
      text += stream.finish();
      REQUIRE(text == whole);
    }
  }
}

TEST_CASE("A stream of single bytes waits for whole characters and no longer") {
  Utf8Stream stream;
  CHECK(stream.feed("\xF0").empty());
  CHECK(stream.feed("\x9F").empty());
  CHECK(stream.feed("\x98").empty());
  CHECK(stream.feed("\x80") == "😀");
  CHECK(stream.feed("\xE2").empty());
  CHECK(stream.feed("x") == marks(1) + "x");
  CHECK(stream.finish().empty());
  CHECK(stream.feed("\xC3").empty());
  CHECK(stream.finish() == marks(1));
  CHECK(stream.finish().empty());
}
