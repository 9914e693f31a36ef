// What a model is told about execute_python.
#pragma once

#include <string>

#include "tool/facts.hpp"

namespace cellblock::tool {

/// The whole description, in paragraphs.
std::string full_description(const Facts& facts);

/// The same in at most kShortDescription bytes, which every model API takes: the most useful first,
/// as many packages as fit.
std::string short_description(const Facts& facts);
inline constexpr std::size_t kShortDescription = 1024;

/// For a system message: the full description, and how to work with the tool.
std::string system_prompt(const Facts& facts);

}  // namespace cellblock::tool
