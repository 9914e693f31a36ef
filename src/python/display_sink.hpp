// Where display data of user code goes.
#pragma once

#include <span>
#include <string_view>

namespace cellblock::python {

class DisplaySink {
 public:
  DisplaySink() = default;
  DisplaySink(const DisplaySink&) = delete;
  DisplaySink& operator=(const DisplaySink&) = delete;
  virtual ~DisplaySink() = default;

  /// Blocks until the host took it; called from any thread, without the GIL. `body` is a
  /// display_event's. False: it was refused (too large) or the host is gone.
  virtual bool send_display(std::string_view body,
                            std::span<const std::string_view> attachments) = 0;
};

}  // namespace cellblock::python
