// The package cellblock_runtime, called from C++. GIL held by the caller; main thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cellblock/expected.hpp"
#include "protocol/messages.hpp"

namespace cellblock::python {

class DisplaySink;

/// Every call below `start` gives the body of the reply frame, whatever user code did to the
/// interpreter: if the runtime itself raises, the body says so in the reply's own terms.
class Runtime final {
 public:
  struct Preloaded {
    std::map<std::string, std::string> loaded;   ///< package: version
    std::map<std::string, std::string> missing;  ///< package: why it was left out
    std::vector<Helper> helpers;                 ///< what every session starts with
    std::vector<std::string> installed;          ///< every top-level name
    std::vector<std::string> folders;            ///< what Python and the packages read
  };

  /// Imports the package and keeps what it needs of it, out of the reach of user code.
  static Expected<Runtime> load();
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  ~Runtime();

  /// The operator's own helpers: a module's file and its source. An empty path: none.
  struct HelperModule {
    std::string path;
    std::string source;
  };

  /// In the zygote: imports and warms the packages, then loads the helpers.
  Expected<Preloaded> preload(const std::vector<std::string>& names, const HelperModule& helpers);

  /// In the zygote: from now on `signal`, and a crash, write the stacks of all threads to
  /// descriptor `fd` of the process that is hit, without the GIL and without running any Python.
  Expected<void> write_stacks(int signal, int fd);

  /// How a session lives in a host program's process.
  struct Guest {
    int out = 1;  ///< descriptors for its output
    int err = 2;
    /// Others use the interpreter as well: each call below waits for its turn, puts the session's
    /// things in place and afterwards the others' back.
    bool is_shared = false;
  };

  /// In the session, once, before any other call. `sink` outlives this object. Without a guest the
  /// process is the session's.
  Expected<void> start(const protocol::SessionConfig& config, DisplaySink& sink,
                       const std::optional<Guest>& guest = std::nullopt);

  /// Runs the cell. The body is an ExecuteReply's.
  std::string execute(const protocol::ExecuteRequest& request);
  std::string complete(const protocol::CodeRequest& request);
  std::string inspect(const protocol::CodeRequest& request);
  std::string is_complete(const protocol::CodeRequest& request);
  std::string variables();
  std::string reset();
  /// Runs the atexit functions; those of a shared interpreter are not the session's.
  void shutdown();

  /// The end of a guest: its descriptors may be closed afterwards.
  void leave();

  /// For an interpreter that serves one session after another: notes its state before the first,
  /// and brings it back to that. False: it cannot, and serves no other.
  bool remember();
  bool wash();
  /// Every top-level name that can be imported.
  std::vector<std::string> installed();

 private:
  struct Functions;
  class Turn;
  explicit Runtime(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

}  // namespace cellblock::python
