#include "policy/nearest_name.hpp"

#include <string>

#include "support/catch.hpp"

using cellblock::policy::nearest_name;

TEST_CASE("A name that was meant is found by its letters or as a part, and no far one is") {
  const std::vector<std::string_view> known{"timeout_s",   "grace_s",       "max_memory_bytes",
                                            "max_threads", "session_ttl_s", "idle_ttl_s",
                                            "env"};
  CHECK(nearest_name("timeout", known) == "timeout_s");
  CHECK(nearest_name("Timeout_S", known) == "timeout_s");
  CHECK(nearest_name("timeuot_s", known) == "timeout_s");
  CHECK(nearest_name("memory", known) == "max_memory_bytes");
  CHECK(nearest_name("max_memory", known) == "max_memory_bytes");
  CHECK(nearest_name("thread", known) == "max_threads");
  CHECK(nearest_name("ttl_s", known) == "idle_ttl_s");
  CHECK(nearest_name("envs", known) == "env");
  for (const std::string& far : {std::string(), std::string("x"), std::string("colour"),
                                 std::string("gpu"), std::string(100'000, 'a')}) {
    CHECK_FALSE(nearest_name(far, known).has_value());
  }
  CHECK_FALSE(nearest_name("timeout", {}).has_value());
}
