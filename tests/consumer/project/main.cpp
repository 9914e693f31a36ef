#include <cellblock/cellblock.hpp>
#include <iostream>

int main() {
  auto executor = cellblock::Executor::create(cellblock::ExecutorKind::fork,
                                              {.preload = {}, .zygote_path = ZYGOTE});
  if (!executor) {
    std::cerr << executor.error().message << '\n';
    return 1;
  }
  const cellblock::ExecutionResult result = (*executor)->run("6 * 7");
  std::cout << result.text.value_or("no value") << '\n';
  return result.status == cellblock::Status::ok && result.text == "42" ? 0 : 1;
}
