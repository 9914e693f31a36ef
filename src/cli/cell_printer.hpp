// What a cell does, shown to a person.
#pragma once

#include <functional>
#include <string>

#include "cellblock/result.hpp"
#include "cellblock/session.hpp"
#include "cli/console.hpp"
#include "cli/terminal_pictures.hpp"

namespace cellblock::cli {

/// Streams and values go to standard output, errors and remarks to standard error.
class CellPrinter final {
 public:
  /// `tell_image` gives the remark for a picture that `pictures` cannot show.
  using TellImage = std::function<std::string(const DisplayData::Mime& image)>;

  CellPrinter(Console& console, TellImage tell_image,
              PictureProtocol pictures = PictureProtocol::none)
      : console_(console), tell_image_(std::move(tell_image)), pictures_(pictures) {}

  /// Prints what comes while the cell runs. They refer to this object.
  RunCallbacks callbacks();
  /// Prints the rest: the value of the last expression, the error with its hint, what was lost.
  void finish(const ExecutionResult& result);

 private:
  void show(const DisplayData& data);
  void show_late(const ExecutionResult& result);
  void tell_unseen(std::string_view name, const std::optional<Truncation>& truncated, Bytes shown);
  void show_error(const ExecutionResult& result);
  void tell_state(const ExecutionResult& result);

  Console& console_;
  TellImage tell_image_;
  PictureProtocol pictures_;
  Bytes shown_out_ = 0;  // of this cell
  Bytes shown_err_ = 0;
};

}  // namespace cellblock::cli
