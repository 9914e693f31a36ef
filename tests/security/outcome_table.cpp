#include "security/outcome_table.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace cellblock::test {
namespace {

struct Outcome {
  std::string id;
  std::string mode;
  std::string outcome;
};

/// Prints itself at the program's end.
class Table final {
 public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() {
    std::size_t widest_id = 0;
    std::size_t widest_mode = 0;
    for (const Outcome& line : lines_) {
      widest_id = std::max(widest_id, line.id.size());
      widest_mode = std::max(widest_mode, line.mode.size());
    }
    if (!lines_.empty()) std::printf("\ncase, mode, and what held it\n");
    for (const Outcome& line : lines_) {
      std::printf("  %-*s  %-*s  %s\n", static_cast<int>(widest_id), line.id.c_str(),
                  static_cast<int>(widest_mode), line.mode.c_str(), line.outcome.c_str());
    }
  }

  void add(Outcome line) { lines_.push_back(std::move(line)); }

 private:
  std::vector<Outcome> lines_;
};

}  // namespace

void record(const std::string& id, const std::string& mode, const std::string& outcome) {
  static Table table;
  table.add({id, mode, outcome});
}

}  // namespace cellblock::test
