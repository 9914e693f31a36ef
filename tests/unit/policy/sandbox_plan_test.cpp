#include "policy/sandbox_plan.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock;

TEST_CASE("A fork request carries what the policy says") {
  SecurityPolicy policy;
  policy.allowed_imports = {"math"};
  policy.import_guard = ImportGuard::off;
  policy.env = {{"A", "b"}};
  policy.max_text_bytes = 300;
  policy.max_result_bytes = 2048;
  policy.max_memory_bytes = 1ULL << 30;
  policy.max_open_files = 20;
  policy.max_file_bytes = 5;
  policy.max_threads = 4;
  policy.max_processes = 3;
  policy.workspace_bytes = 1ULL << 20;
  policy.workspace_files = 7;
  policy.read_paths = {"/data"};
  const auto request = policy::make_fork_request(policy, "/tmp/w");
  const auto config = protocol::SessionConfig::decode(request.config);
  REQUIRE(config);
  CHECK(request.mode == protocol::ForkMode::cage);
  CHECK(request.workspace.folder == "/tmp/w");
  CHECK(request.workspace.bytes == 1ULL << 20);
  CHECK(request.workspace.files == 7U);
  CHECK(request.read_paths == std::vector<std::string>{"/data"});
  CHECK(config->allowed_imports == policy.allowed_imports);
  CHECK(config->import_guard == "off");
  CHECK(config->env == policy.env);
  CHECK(config->max_text_bytes == 300);
  CHECK(config->max_result_bytes == 2048);
  CHECK(request.limits.data_bytes == 1ULL << 30);
  CHECK(request.limits.open_files == 20U);
  CHECK(request.limits.file_bytes == 5U);
  CHECK(request.limits.tasks == 8U);
  CHECK(request.limits.processes == 3U);
}

TEST_CASE("Threads are kept or ended within half the grace, imports noted or not, as it says") {
  SecurityPolicy policy;
  const auto config_of = [](const SecurityPolicy& of) {
    const auto config =
        protocol::SessionConfig::decode(policy::make_fork_request(of, "/tmp/w").config);
    REQUIRE(config);
    return *config;
  };
  CHECK(config_of(policy).end_threads_ms == 0);
  CHECK_FALSE(config_of(policy).notes_imports);
  policy.background = BackgroundThreads::end;
  policy.on_restart = OnRestart::reimport;
  CHECK(config_of(policy).end_threads_ms == 500);
  CHECK(config_of(policy).notes_imports);
  policy.grace = std::chrono::milliseconds(100);
  CHECK(config_of(policy).end_threads_ms == 50);
  policy.grace = std::chrono::milliseconds(0);
  CHECK(config_of(policy).end_threads_ms == 1);
}

TEST_CASE("A limit that the policy does not have is none in the fork request") {
  SecurityPolicy policy;
  policy.max_memory_bytes.reset();
  policy.max_open_files.reset();
  policy.max_file_bytes.reset();
  policy.max_threads.reset();
  policy.workspace_bytes.reset();
  policy.max_processes.reset();
  policy.allowed_imports.clear();
  const auto request = policy::make_fork_request(policy, "/tmp/w");
  CHECK_FALSE(request.limits.data_bytes.has_value());
  CHECK_FALSE(request.limits.open_files.has_value());
  CHECK_FALSE(request.limits.file_bytes.has_value());
  CHECK_FALSE(request.limits.tasks.has_value());
  CHECK_FALSE(request.workspace.bytes.has_value());
  const auto config = protocol::SessionConfig::decode(request.config);
  REQUIRE(config);
  CHECK(config->allowed_imports.empty());
  CHECK(config->import_guard == "on");
}
