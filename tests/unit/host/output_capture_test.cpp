#include "host/output_capture.hpp"

#include <string>

#include "base/utf8.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using cellblock::host::OutputCapture;

namespace {

/// A text in which every place can be told: "     0\n     7\n…".
std::string numbered(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    std::string number = std::to_string(text.size());
    text += std::string(6 - number.size(), ' ') + number + '\n';
  }
  text.resize(bytes);
  return text;
}

OutputCapture capture_of(const std::string& text, Bytes cap, Bytes spool,
                         std::size_t chunk = 65'536) {
  OutputCapture capture(cap, spool);
  for (std::size_t at = 0; at < text.size(); at += chunk) capture.append(text.substr(at, chunk));
  return capture;
}

std::string notice(const std::string& size, std::size_t omitted) {
  return "\n[output was truncated at " + size + ": " + std::to_string(omitted) +
         " bytes omitted — use .head() or aggregate first]\n";
}

/// Everything from the first byte on, page after page.
std::string page_through(const OutputCapture& capture, Bytes limit) {
  std::string text;
  Bytes offset = 0;
  while (offset < capture.total_bytes()) {
    const auto page = capture.page(offset, limit, std::nullopt);
    REQUIRE(page);
    REQUIRE(page->next_offset > offset);
    REQUIRE(page->total_bytes == capture.total_bytes());
    text += page->text;
    offset = page->next_offset;
  }
  return text;
}

}  // namespace

TEST_CASE("Output up to the cap comes whole, one byte more is cut") {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024}}) {
    const std::string text = numbered(size);
    const auto capture = capture_of(text, 1024, 4096, 100);
    CHECK(capture.text() == text);
    CHECK_FALSE(capture.truncation().has_value());
  }
  const std::string text = numbered(1025);
  const auto capture = capture_of(text, 1024, 4096);
  CHECK(capture.text() == text.substr(0, 512) + notice("1 KB", 1) + text.substr(513));
  REQUIRE(capture.truncation());
  CHECK(capture.truncation()->total_bytes == 1025);
  CHECK(capture.truncation()->omitted_bytes == 1);
}

TEST_CASE("Longer output is its head, a notice with the exact count, and its tail") {
  for (const Bytes spool : {Bytes{0}, Bytes{1024}, Bytes{3000}, Bytes{1} << 20}) {
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{777}, std::size_t{65'536}}) {
      const std::string text = numbered(200'000);
      const auto capture = capture_of(text, 1024, spool, chunk);
      CHECK(capture.text() ==
            text.substr(0, 512) + notice("1 KB", 200'000 - 1024) + text.substr(200'000 - 512));
      CHECK(capture.truncation()->omitted_bytes == 200'000 - 1024);
      CHECK(capture.total_bytes() == 200'000);
    }
  }
}

TEST_CASE("A cap that is no whole number of KB is told in bytes") {
  const std::string text = numbered(1000);
  CHECK(capture_of(text, 300, 0).text() ==
        text.substr(0, 150) + notice("300 bytes", 700) + text.substr(850));
  CHECK(capture_of(numbered(20'000), 16'384, 0).text().find(notice("16 KB", 3616)) !=
        std::string::npos);
}

TEST_CASE("A cut never splits a character and counts what it left out") {
  for (const std::string character : {"é", "€", "😀"}) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::string text(shift, 'x');
      while (text.size() < 2000) text += character;
      for (const Bytes spool : {Bytes{0}, Bytes{1500}, Bytes{1} << 20}) {
        const auto capture = capture_of(text, 600, spool, 77);
        const std::string shown = capture.text();
        CHECK(shown.find("\xEF\xBF\xBD") == std::string::npos);
        CHECK(base::to_valid_utf8(shown) == shown);
        const auto omitted = capture.truncation()->omitted_bytes;
        const auto note = notice("600 bytes", omitted);
        const auto at = shown.find(note);
        REQUIRE(at != std::string::npos);
        CHECK(text.starts_with(shown.substr(0, at)));
        CHECK(text.ends_with(shown.substr(at + note.size())));
        CHECK(shown.size() - note.size() + omitted == text.size());
      }
    }
  }
}

TEST_CASE("Memory stays bounded however much is written") {
  OutputCapture capture(16'384, 1 << 20);
  const std::string chunk(65'536, 'x');
  for (int i = 0; i < 3200; ++i) {
    capture.append(chunk);
    REQUIRE(capture.kept_bytes() < (1 << 20) + 200'000);
  }
  CHECK(capture.total_bytes() == 3200ULL * 65'536);
  CHECK(capture.text().size() < 17'000);
}

TEST_CASE("Bytes that are no text become valid text of bounded size") {
  const auto capture = capture_of(std::string(100'000, '\xFF'), 1024, 4096);
  const auto text = capture.text();
  CHECK(base::to_valid_utf8(text) == text);
  CHECK(text.size() < 3 * 1024 + 200);
  CHECK(capture.truncation()->omitted_bytes + 1024 >= 100'000);
}

TEST_CASE("Paging to the end reassembles the whole, at every page size") {
  std::string text;
  while (text.size() < 3000) text += "aé€😀\n";
  const auto capture = capture_of(text, 300, 10'000, 501);
  for (const Bytes limit : {1, 2, 3, 4, 5, 7, 100, 2999, 3000, 100'000}) {
    CHECK(page_through(capture, limit) == text);
  }
}

TEST_CASE("Paging through bytes that are no text comes to an end") {
  const auto capture = capture_of(std::string(1000, '\x80'), 300, 10'000);
  for (const Bytes limit : {1, 2, 3, 5}) {
    CHECK(base::to_valid_utf8(page_through(capture, limit)) == page_through(capture, limit));
  }
}

TEST_CASE("A page starts where it was asked to and tells the end") {
  const auto capture = capture_of("0123456789", 300, 300);
  CHECK(capture.page(3, 4, std::nullopt)->text == "3456");
  CHECK(capture.page(3, 4, std::nullopt)->next_offset == 7);
  CHECK(capture.page(8, 100, std::nullopt)->text == "89");
  CHECK(capture.page(8, 100, std::nullopt)->next_offset == 10);
  for (const Bytes past : {Bytes{10}, Bytes{11}, ~Bytes{0}}) {
    CHECK(capture.page(past, 5, std::nullopt)->text.empty());
    CHECK(capture.page(past, 5, std::nullopt)->next_offset == 10);
  }
  CHECK(OutputCapture(300, 300).page(0, 5, std::nullopt)->total_bytes == 0);
}

TEST_CASE("What was dropped past the spool is an error that names the limit") {
  const auto capture = capture_of(numbered(5000), 300, 1000);
  const auto last = capture.page(900, 1000, std::nullopt);
  REQUIRE(last);
  CHECK(last->text.size() == 100);
  CHECK(last->next_offset == 1000);
  const auto dropped = capture.page(1000, 1000, std::nullopt);
  REQUIRE_FALSE(dropped);
  CHECK(dropped.error().kind == ErrorKind::too_large);
  CHECK(dropped.error().message.find("spool_bytes") != std::string::npos);
  CHECK(capture.page(5000, 1, std::nullopt).has_value());
}

TEST_CASE("A pattern keeps whole matching lines") {
  const auto capture = capture_of("apple 1\nbanana 2\napple 3\nlast apple", 300, 300);
  const auto page = [&](Bytes offset, Bytes limit, const std::string& pattern) {
    return capture.page(offset, limit, pattern);
  };
  CHECK(page(0, 1000, "^apple")->text == "apple 1\napple 3\n");
  CHECK(page(0, 1000, "apple")->text == "apple 1\napple 3\nlast apple");
  CHECK(page(0, 1000, "^apple [0-9]{1,3}$|^banana")->text == "apple 1\nbanana 2\napple 3\n");
  CHECK(page(0, 1000, "[13]$")->text == "apple 1\napple 3\n");
  CHECK(page(0, 1000, "cherry")->text.empty());
  CHECK(page(0, 1000, "cherry")->next_offset == 35);
  // A limit inside a line leaves that line to the next page.
  CHECK(page(0, 12, "apple|ban")->text == "apple 1\n");
  CHECK(page(0, 12, "apple|ban")->next_offset == 8);
}

TEST_CASE("A pattern is searched past the limit, which counts what was found") {
  const std::string text = numbered(70'000);
  const auto capture = capture_of(text + "DONE total=5\nlast", 300, 100'000);
  for (const char* pattern : {"total=", "total=[0-9]"}) {
    const auto page = capture.page(0, 40, pattern);
    REQUIRE(page);
    CHECK(page->text == "DONE total=5\n");
    CHECK(page->next_offset == page->total_bytes);
  }
  std::string found;
  std::size_t pages = 0;
  for (Bytes offset = 0; offset < capture.total_bytes(); ++pages) {
    const auto page = capture.page(offset, 20, " 7[0-9]{2}$");
    REQUIRE(page);
    CHECK(page->text.size() <= 20);
    REQUIRE(page->next_offset > offset);
    found += page->text;
    offset = page->next_offset;
  }
  CHECK(found.size() == 15 * 7);  // 700, 707, … 798
  CHECK(pages == 8);
}

TEST_CASE("A line that matches and is longer than the limit is cut to it") {
  const auto capture = capture_of("short\n" + std::string(99, 'x') + "ä\nxx end\n", 300, 300);
  const auto first = capture.page(0, 100, "xx");
  REQUIRE(first);
  CHECK(first->text == std::string(99, 'x'));
  const auto second = capture.page(first->next_offset, 100, "xx");
  REQUIRE(second);
  CHECK(second->text == "xx end\n");
}

TEST_CASE("A pattern that cannot be used is refused with its reason") {
  const auto capture = capture_of("text\n", 300, 300);
  for (const std::string& pattern :
       {std::string("("), std::string("[a"), std::string("*"), std::string("(a)\\1"),
        std::string(200'000, '('), std::string(200'000, 'a'), std::string("((a{999}){999}){999}"),
        std::string("a{99999999999999999999}"), std::string("((a{46}){46}){46}"),
        std::string("a)|(b"), std::string("(?=.*(?=.*x))y"), std::string("a[]b](?!c)")}) {
    INFO(pattern.substr(0, 40));
    const auto page = capture.page(0, 100, pattern);
    REQUIRE_FALSE(page);
    CHECK(page.error().kind == ErrorKind::bad_argument);
  }
}

TEST_CASE("What only looks like looking ahead can be searched for") {
  const auto capture = capture_of("f(=a)\nother\n", 300, 300);
  for (const char* pattern : {"f\\(?=a", "f[(?=!]+a", "(?:f)"}) {
    INFO(pattern);
    const auto page = capture.page(0, 100, pattern);
    REQUIRE(page);
    CHECK(page->text == "f(=a)\n");
  }
}

TEST_CASE("A pattern that makes other engines run away ends soon") {
  const auto capture = capture_of(std::string(100'000, 'a') + "\n", 300, 200'000);
  CHECK(capture.page(0, 200'000, "(a+)+$x")->text.empty());
}

TEST_CASE("A pattern that is slow on every line gives a shorter page, not a long wait") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::string(4000, 'a') + '\n';
  const auto capture = capture_of(text, 300, 20 << 20);
  const auto page = capture.page(0, 20 << 20, "(a?b?){200}(a?b?)+x");
  REQUIRE(page);
  CHECK(page->text.empty());
  CHECK(page->next_offset > 0);
  CHECK(page->next_offset < text.size());
  CHECK(page->next_offset % 4001 == 0);
}
