#include "cli/repl_line.hpp"

#include "support/catch.hpp"

namespace cellblock::cli {
namespace {

using Kind = ReplLine::Kind;

TEST_CASE("code is passed as it is") {
  const auto line = parse_repl_line("  x = {'a': 1}\n");
  CHECK(line.kind == Kind::code);
  CHECK(line.argument == "  x = {'a': 1}\n");
}

TEST_CASE("commands take what follows them") {
  const auto [text, kind, argument] = GENERATE(table<const char*, Kind, const char*>({
      {":vars", Kind::vars, ""},
      {"  :reset \n", Kind::reset, ""},
      {":time", Kind::time, ""},
      {":time  sum(range(10))", Kind::time, "sum(range(10))"},
      {":run my file.py", Kind::run, "my file.py"},
      {":write /tmp/a.py ", Kind::write, "/tmp/a.py"},
      {":help", Kind::help, ""},
  }));
  const auto line = parse_repl_line(text);
  CHECK(line.kind == kind);
  CHECK(line.argument == argument);
}

TEST_CASE("commands that are not understood are told") {
  CHECK(parse_repl_line(":nonsense x").kind == Kind::unknown);
  CHECK(parse_repl_line(":nonsense x").argument == ":nonsense");
  CHECK(parse_repl_line(":").kind == Kind::unknown);
  CHECK(parse_repl_line(":run").kind == Kind::incomplete);
  CHECK(parse_repl_line(":write ").kind == Kind::incomplete);
  CHECK(parse_repl_line(":vars x").kind == Kind::incomplete);
}

TEST_CASE("leaving is understood as in Python") {
  for (const auto* text : {"exit", "quit", "exit()", " quit() "}) {
    CHECK(parse_repl_line(text).kind == Kind::leave);
  }
  CHECK(parse_repl_line("exit(1)").kind == Kind::code);
  CHECK(parse_repl_line("exits").kind == Kind::code);
}

TEST_CASE("nothing is nothing") {
  CHECK(parse_repl_line("").kind == Kind::empty);
  CHECK(parse_repl_line(" \n\t").kind == Kind::empty);
}

TEST_CASE("the help names every command") {
  for (const auto* name : {":vars", ":reset", ":time", ":run", ":write", ":help"}) {
    CHECK(repl_help().find(name) != std::string_view::npos);
  }
}

}  // namespace
}  // namespace cellblock::cli
