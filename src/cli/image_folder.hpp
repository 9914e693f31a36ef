// Pictures that a terminal cannot show.
#pragma once

#include <string>

#include "cellblock/result.hpp"

namespace cellblock::cli {

/// Writes pictures into a folder of its own below the temporary folder; both stay when the process
/// ends, for the user to look at.
class ImageFolder final {
 public:
  /// The remark for the user: where the picture is, or why it could not be written.
  std::string keep(const DisplayData::Mime& image);

 private:
  std::string folder_;  // made with the first picture
  int count_ = 0;
};

}  // namespace cellblock::cli
