// The Python of the host's process: started here, or found running, and its further interpreters.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cellblock/expected.hpp"
#include "python/runtime.hpp"
#include "python/subinterpreter.hpp"

namespace cellblock::in_process {

/// An interpreter with the runtime in it, for one session at a time.
struct Place {
  std::unique_ptr<python::Subinterpreter> interpreter;
  std::optional<python::Runtime> runtime;  // touched with the interpreter's GIL only
  int sessions = 0;                        // served so far
};

/// A process has one Python, hence one of these, which is never destroyed: a thread that nothing
/// ends may still be in it when the process exits. Thread-safe; its calls block on a thread of its
/// own, which holds no GIL while it has nothing to do. Call without a GIL.
class PythonHome final {
 public:
  static PythonHome& of_process();

  struct Facts {
    std::string version;
    std::string executable;
    std::vector<std::string> installed;
    double start_ms = 0;
  };
  /// Starts Python with the packages of that interpreter (empty: the system's), or adopts the one
  /// that runs, whatever was asked for. Later calls get what the first one found.
  Expected<Facts> start(const std::string& python);

  /// A fresh or washed interpreter, or the main one, which is always the same.
  Expected<std::unique_ptr<Place>> take(bool main);
  /// Before it is washed: who wants one now waits a little for this one.
  void expect_back();
  /// `washed`: it can serve another session. Otherwise it is ended, as soon as no thread of it
  /// lives; it is left alone if some do.
  void give_back(std::unique_ptr<Place> place, bool washed);

 private:
  PythonHome() = default;
  void live(const std::string& python);
  Expected<Facts> enter(const std::string& python);
  /// Runs the job on the home thread, with the main interpreter's GIL; does not wait.
  void post(std::function<void()> job);
  static Expected<std::unique_ptr<Place>> make_place();
  static void end(Place& place);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::optional<Expected<Facts>> facts_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::unique_ptr<Place>> idle_;
  int expected_ = 0;
};

}  // namespace cellblock::in_process
