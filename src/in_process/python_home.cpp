#include "in_process/python_home.hpp"

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "python/interpreter.hpp"
#include "python/interpreter_choice.hpp"

namespace cellblock::in_process {
namespace {

using Clock = std::chrono::steady_clock;

// Where ending one gives nothing back, all of them are kept: never more than there were sessions at
// the same time.
constexpr std::size_t kMostIdleThatAreFreed = 4;
// Making one takes about as long.
constexpr std::chrono::milliseconds kTimeToWash{20};
// To use an interpreter again leaves what sessions did to classes and C code, and to end it may
// leak (Subinterpreter::end_frees_memory): a bound for both.
constexpr int kMostSessions = 256;

}  // namespace

PythonHome& PythonHome::of_process() {
  static auto* const home = new PythonHome;
  return *home;
}

Expected<PythonHome::Facts> PythonHome::start(const std::string& python) {
  std::unique_lock lock(mutex_);
  if (!std::exchange(started_, true)) {
    std::thread([this, python] { live(python); }).detach();
  }
  changed_.wait(lock, [this] { return facts_.has_value(); });
  return *facts_;
}

void PythonHome::live(const std::string& python) {
  const auto begin = Clock::now();
  auto facts = enter(python);
  const bool entered = facts.has_value();
  if (entered) {
    facts->start_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  }
  void* const thread = entered ? python::pause_thread() : nullptr;
  std::unique_lock lock(mutex_);
  facts_ = std::move(facts);
  changed_.notify_all();
  if (!entered) return;
  for (;;) {
    changed_.wait(lock, [this] { return !jobs_.empty(); });
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    python::resume_thread(thread);
    job();
    python::pause_thread();
    lock.lock();
  }
}

Expected<PythonHome::Facts> PythonHome::enter(const std::string& python) {
  if (python::interpreter_runs()) {
    const auto main = python::Subinterpreter::main();
    // This thread stays one of the interpreter's for good.
    (void)python::Attachment::to(*main).release();
    if (auto adopted = python::adopt_interpreter(); !adopted) return std::move(adopted).error();
  } else {
    const auto executable = python::choose_interpreter(python);
    if (!executable) return executable.error();
    if (auto started = python::start_interpreter(*executable); !started) {
      return std::move(started).error();
    }
  }
  auto runtime = python::Runtime::load();
  if (!runtime) return std::move(runtime).error();
  return Facts{.version = python::interpreter_version(),
               .executable = python::interpreter_executable(),
               .installed = runtime->installed()};
}

void PythonHome::post(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

Expected<std::unique_ptr<Place>> PythonHome::take(bool main) {
  if (main) {
    auto place = std::make_unique<Place>();
    place->interpreter = python::Subinterpreter::main();
    return place;
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kTimeToWash, [this] { return !idle_.empty() || expected_ == 0; });
    if (!idle_.empty()) {
      auto place = std::move(idle_.back());
      idle_.pop_back();
      return place;
    }
  }
  const auto made = std::make_shared<std::promise<Expected<std::unique_ptr<Place>>>>();
  auto future = made->get_future();
  post([made] { made->set_value(make_place()); });
  return future.get();
}

Expected<std::unique_ptr<Place>> PythonHome::make_place() {
  auto interpreter = python::Subinterpreter::create();
  if (!interpreter) return std::move(interpreter).error();
  auto place = std::make_unique<Place>();
  place->interpreter = *std::move(interpreter);
  std::optional<Error> failure;
  // Modules that note the main thread note one that stays.
  place->interpreter->visit([&] {
    auto runtime = python::Runtime::load();
    if (!runtime) {
      failure = runtime.error();
    } else if (!runtime->remember()) {
      failure = Error{ErrorKind::host_error, "The session runtime cannot note its own state."};
    }
    if (runtime) place->runtime = *std::move(runtime);
  });
  if (!failure) return place;
  end(*place);
  return *std::move(failure);
}

void PythonHome::expect_back() {
  const std::lock_guard lock(mutex_);
  ++expected_;
}

void PythonHome::give_back(std::unique_ptr<Place> place, bool washed) {
  if (place->interpreter->is_main()) return;
  ++place->sessions;
  const std::shared_ptr<Place> worn = [&]() -> std::shared_ptr<Place> {
    const std::lock_guard lock(mutex_);
    --expected_;
    changed_.notify_all();
    const bool is_spare =
        python::Subinterpreter::end_frees_memory() && idle_.size() >= kMostIdleThatAreFreed;
    if (!washed || place->sessions >= kMostSessions || is_spare) {
      return std::move(place);
    }
    idle_.push_back(std::move(place));
    return nullptr;
  }();
  if (worn) {
    post([worn] { end(*worn); });
  }
}

void PythonHome::end(Place& place) {
  place.interpreter->visit([&] { place.runtime.reset(); });
  // One whose threads live on stays: nothing of it may be taken away under them.
  if (!place.interpreter->end()) (void)place.interpreter.release();
}

}  // namespace cellblock::in_process
