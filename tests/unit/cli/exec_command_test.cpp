#include "cli/exec_command.hpp"

#include <algorithm>

#include "cli/uploads.hpp"
#include "support/catch.hpp"

namespace cellblock::cli {
namespace {

std::vector<std::string> order_of(std::vector<std::string> arguments) {
  CLI::App app;
  ExecFlags flags;
  CLI::App* command = add_exec_command(app, flags);
  arguments.insert(arguments.begin(), "exec");
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
  std::vector<std::string> order;
  for (const auto& cell : cells_in_order(*command, flags)) {
    order.push_back((cell.kind == CellSource::Kind::code ? "code " : "file ") + cell.text);
  }
  return order;
}

using Order = std::vector<std::string>;

TEST_CASE("code and files keep the order of the command line") {
  CHECK(order_of({"-c", "a", "b.py", "-c", "c", "d.py", "e.py"}) ==
        Order{"code a", "file b.py", "code c", "file d.py", "file e.py"});
  CHECK(order_of({"a.py", "--json", "-", "--code", "b"}) == Order{"file a.py", "file -", "code b"});
  CHECK(order_of({}).empty());
}

TEST_CASE("code may look like a flag or be empty") {
  CHECK(order_of({"-c", "-1", "-c", "--json", "-c", ""}) ==
        Order{"code -1", "code --json", "code "});
}

TEST_CASE("after two dashes come files only") {
  CHECK(order_of({"-c", "a", "--", "-c"}) == Order{"code a", "file -c"});
}

TEST_CASE("a file to upload may have another name in the workspace") {
  CHECK(parse_upload("data/in.csv").workspace == "in.csv");
  CHECK(parse_upload("data/in.csv:out/new.csv").local == "data/in.csv");
  CHECK(parse_upload("data/in.csv:out/new.csv").workspace == "out/new.csv");
  CHECK(parse_upload("in.csv:").workspace == "in.csv");
}

}  // namespace
}  // namespace cellblock::cli
