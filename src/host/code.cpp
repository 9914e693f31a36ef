#include "cellblock/code.hpp"

#include <string>

namespace cellblock {

std::optional<Error> code_problem(std::string_view code) {
  if (code.size() <= kMaxCodeBytes) return std::nullopt;
  return Error{ErrorKind::too_large, "The code has " + std::to_string(code.size()) +
                                         " bytes, the limit is " + std::to_string(kMaxCodeBytes) +
                                         ": send it in pieces, and read data from files."};
}

}  // namespace cellblock
