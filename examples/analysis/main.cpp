// A data analysis of several cells, run the way that an agent's tool would: one session, one cell
// after another, one of them wrong, the next one right.
//
// Usage: cellblock-example-analysis [--out DIR]; exits 0 when it went as intended.
#include <algorithm>
#include <cellblock/cellblock.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace cellblock;

/// Stands in the name of the one cell that is meant to fail.
constexpr std::string_view kMistake = "mistake";

struct Cell {
  std::string name;
  std::string code;
};

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The cells in the order of their names; empty when the folder cannot be read.
std::vector<Cell> read_cells(const fs::path& folder) {
  std::vector<Cell> cells;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".py") continue;
    if (auto code = read_file(entry.path())) {
      cells.push_back({.name = entry.path().stem().string(), .code = std::move(*code)});
    }
  }
  std::sort(cells.begin(), cells.end(),
            [](const Cell& a, const Cell& b) { return a.name < b.name; });
  return cells;
}

/// Every line of the text behind a mark; nothing for an empty text.
void print_marked(std::string_view mark, std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) std::cout << mark << line << '\n';
}

void print_result(const ExecutionResult& result) {
  print_marked("    ", result.out);
  print_marked("  ! ", result.err);
  if (result.text) print_marked("  = ", *result.text);
  if (result.error) {
    print_marked("  ! ", result.error->traceback);
    if (!result.error->hint.empty()) std::cout << "  hint: " << result.error->hint << '\n';
  }
  std::cout << "  (" << to_string(result.status) << ", " << std::lround(result.usage.wall_ms)
            << " ms)\n\n";
}

/// Where the picture was written; an Error when it could not be.
Expected<fs::path> write_chart(const fs::path& folder, const std::string& name,
                               const std::string& png) {
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path path = folder / (name + ".png");
  std::ofstream file(path, std::ios::binary);
  file << png;
  file.close();
  if (!file) {
    return Error{ErrorKind::host_error, "Cannot write " + path.string() +
                                            ": name a folder that can be written with --out DIR."};
  }
  return path;
}

/// Runs the cells; returns what did not go as intended, or nothing.
std::optional<std::string> run_cells(Session& session, const std::vector<Cell>& cells,
                                     const fs::path& out) {
  std::size_t charts = 0;
  std::string variables;
  for (const Cell& cell : cells) {
    std::cout << "--- " << cell.name << '\n';
    print_marked("  > ", cell.code);
    const ExecutionResult result = session.run(cell.code);
    print_result(result);
    for (const DisplayData& data : result.results) {
      const std::string* png = data.find("image/png");
      if (png == nullptr) continue;
      ++charts;
      const auto path = write_chart(out, "birdstrikes-" + std::to_string(charts), *png);
      if (!path) return path.error().message;
      std::cout << "chart: " << path.value().string() << "\n\n";
    }
    variables = result.variables_summary;
    const bool mistake = cell.name.find(kMistake) != std::string::npos;
    if (mistake != (result.status == Status::error)) {
      return "The cell " + cell.name + " ended with status " +
             std::string(to_string(result.status)) + (mistake ? ", not with an error." : ".");
    }
    if (!mistake && result.status != Status::ok) {
      return "The cell " + cell.name + " ended with status " +
             std::string(to_string(result.status)) + ".";
    }
  }
  std::cout << "variables:\n";
  print_marked("  ", variables);
  if (charts == 0) return "No cell gave a chart.";
  return std::nullopt;
}

/// The whole example; returns what went wrong, or nothing.
std::optional<std::string> run_example(const fs::path& out) {
  const fs::path folder = CELLBLOCK_EXAMPLE_DIR;
  const auto data = read_file(folder / "data" / "birdstrikes.csv");
  const std::vector<Cell> cells = read_cells(folder / "cells");
  if (!data || cells.empty()) {
    return "The example's files are not in " + folder.string() + ": run it from its checkout.";
  }

  auto executor = Executor::create(ExecutorKind::fork);
  if (!executor) return executor.error().message;
  auto info = (*executor)->info();  // waits until the zygote is warm
  if (!info) return info.error().message;
  auto session = (*executor)->open_session();
  if (!session) return session.error().message;

  std::cout << "Python " << info->python_version << ", zygote warm after "
            << std::lround(info->zygote_start_ms) << " ms\nsession started in " << std::fixed
            << std::setprecision(1) << static_cast<double>(session->start_time().count()) / 1000.0
            << " ms\n\n";
  const auto uploaded = session->upload("birdstrikes.csv", *data);
  if (!uploaded) return uploaded.error().message;
  return run_cells(*session, cells, out);
}

}  // namespace

int main(int argc, char* argv[]) {
  fs::path out = "build/example-output";
  if (argc == 3 && std::string_view(argv[1]) == "--out") {
    out = argv[2];
  } else if (argc != 1) {
    std::cerr << "usage: cellblock-example-analysis [--out DIR]\n";
    return 2;
  }
  const std::optional<std::string> problem = run_example(out);
  if (problem) std::cerr << "cellblock-example-analysis: " << *problem << '\n';
  return problem ? 1 : 0;
}
