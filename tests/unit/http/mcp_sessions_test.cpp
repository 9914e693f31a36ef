#include "http/mcp_sessions.hpp"

#include <set>

#include "support/catch.hpp"

namespace cellblock::http {
namespace {

TEST_CASE("a handshake is found by its id until it is ended") {
  McpSessions sessions;
  const auto connection = mcp::Server::connect();
  const std::string id = sessions.add(connection);
  CHECK(sessions.use(id) == connection);
  CHECK(sessions.use(id.substr(1)) == nullptr);
  CHECK(sessions.use("") == nullptr);
  CHECK(sessions.remove(id));
  CHECK(!sessions.remove(id));
  CHECK(sessions.use(id) == nullptr);
}

TEST_CASE("ids are long and never the same") {
  McpSessions sessions;
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(sessions.add(mcp::Server::connect()));
  CHECK(ids.size() == 1000);
  CHECK(ids.begin()->size() >= 32);
}

TEST_CASE("at the limit the one goes that was not used for longest") {
  McpSessions sessions(3);
  const std::string first = sessions.add(mcp::Server::connect());
  const std::string second = sessions.add(mcp::Server::connect());
  const std::string third = sessions.add(mcp::Server::connect());
  CHECK(sessions.use(first) != nullptr);
  const std::string fourth = sessions.add(mcp::Server::connect());
  CHECK(sessions.use(second) == nullptr);
  CHECK(sessions.use(first) != nullptr);
  CHECK(sessions.use(third) != nullptr);
  CHECK(sessions.use(fourth) != nullptr);
}

}  // namespace
}  // namespace cellblock::http
