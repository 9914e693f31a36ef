#include "host/policy_event_totals.hpp"

#include <string>

#include "support/catch.hpp"

namespace cellblock::host {
namespace {

TEST_CASE("Events of several results are added up by name") {
  PolicyEventTotals totals;
  totals.add({});
  totals.add({{"os.system", 2}, {"import:socket", 1}});
  totals.add({{"os.system", 40}});
  CHECK(totals.all() ==
        std::map<std::string, std::uint64_t>{{"import:socket", 1}, {"os.system", 42}});
}

TEST_CASE("However many names sessions think up, few are kept, and no count is lost") {
  PolicyEventTotals totals;
  for (int i = 0; i < 5000; ++i) totals.add({{"name " + std::to_string(i), 1}});
  const auto all = totals.all();
  CHECK(all.size() <= 513);
  std::uint64_t sum = 0;
  for (const auto& [name, count] : all) sum += count;
  CHECK(sum == 5000);
  CHECK(all.at("others") > 4000);
}

TEST_CASE("A claimed number beyond all bounds does not wrap around") {
  PolicyEventTotals totals;
  totals.add({{"a", ~0ULL}});
  totals.add({{"a", 5}});
  CHECK(totals.all().at("a") == ~0ULL);
}

}  // namespace
}  // namespace cellblock::host
