#include "http/token.hpp"

#include <sys/stat.h>

#include <fstream>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace cellblock::http {
namespace {

TEST_CASE("a random token has 256 bits and is never the same") {
  const Token token = Token::random();
  CHECK(token.text().size() == 64);
  CHECK(token.text() != Token::random().text());
  CHECK(token.matches(token.text()));
  CHECK(!token.matches(token.text().substr(1)));
  CHECK(!token.matches(""));
}

TEST_CASE("a token that was given is long enough and fits into a header") {
  CHECK(Token::from_text("abcdefghij-._~+/0==", "x"));
  for (const std::string& bad : {std::string(), std::string("short"), std::string(15, 'a'),
                                 std::string(513, 'a'), std::string("aaaaaaaaaaaaaaaa a"),
                                 std::string("aaaaaaaaaaaaaaaa\r\nX: y"), std::string(20, '\0')}) {
    const auto token = Token::from_text(bad, "the place");
    REQUIRE(!token);
    CHECK(token.error().kind == ErrorKind::bad_argument);
    CHECK(token.error().message.find("the place") != std::string::npos);
  }
}

TEST_CASE("a token file belongs to its owner alone") {
  const test::ScratchFolder folder;
  const std::string path = folder.path() + "/token";
  std::ofstream(path) << "0123456789abcdef\n";
  ::chmod(path.c_str(), 0600);
  const auto token = Token::from_file(path);
  REQUIRE(token);
  CHECK(token->text() == "0123456789abcdef");
  for (const mode_t mode : {0640U, 0604U, 0660U, 0602U}) {
    ::chmod(path.c_str(), mode);
    CHECK(!Token::from_file(path));
  }
  ::chmod(path.c_str(), 0600);
  std::ofstream(path) << "0123456789abcdef\nmore\n";
  CHECK(!Token::from_file(path));
  std::ofstream(path) << "";
  CHECK(!Token::from_file(path));
  CHECK(!Token::from_file(folder.path()));
  CHECK(!Token::from_file(folder.path() + "/missing"));
  CHECK(!Token::from_file("/dev/zero"));
}

}  // namespace
}  // namespace cellblock::http
