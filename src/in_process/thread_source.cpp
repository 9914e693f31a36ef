// Sessions as threads of the host: announced to the library when this one is linked.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "host/session_source.hpp"
#include "in_process/guest.hpp"
#include "in_process/mailbox.hpp"
#include "in_process/python_home.hpp"
#include "python/interpreter.hpp"
#include "python/subinterpreter.hpp"

namespace cellblock::in_process {
namespace {

using host::ForkClient;
using host::KillTarget;

class ThreadSource final : public host::SessionSource {
 public:
  ThreadSource(std::string python, std::shared_ptr<Mailbox> mailbox)
      : python_(std::move(python)), mailbox_(std::move(mailbox)) {}
  ~ThreadSource() override { mailbox_->close(); }

  Expected<protocol::ZygoteReady> wait_ready() override {
    auto facts = PythonHome::of_process().start(python_);
    if (!facts) return std::move(facts).error();
    start_ms_ = facts->start_ms;
    return protocol::ZygoteReady{.python_version = facts->version,
                                 .python_executable = facts->executable,
                                 .installed = facts->installed};
  }
  [[nodiscard]] bool usable() const override { return true; }
  [[nodiscard]] double start_ms() const override { return start_ms_; }
  [[nodiscard]] std::size_t parked_threads() const override { return *parked_; }

  void fork(const protocol::ForkRequest& request, std::span<const int> descriptors,
            const std::shared_ptr<ForkClient>& client) override {
    std::array<base::UniqueFd, 3> copies;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      copies[i] = base::UniqueFd(::fcntl(descriptors[i], F_DUPFD_CLOEXEC, 0));
    }
    const bool complete = std::all_of(copies.begin(), copies.end(), [](const base::UniqueFd& fd) {
      return static_cast<bool>(fd);
    });
    const auto ready = complete ? wait_ready() : out_of_descriptors();
    if (!ready) {
      mailbox_->post([client, error = ready.error()] { client->on_forked(error); });
      return;
    }
    const auto guest =
        std::make_shared<Guest>(std::move(copies), request, client, mailbox_, parked_);
    {
      const std::lock_guard lock(mutex_);
      const auto gone = std::remove_if(starting_.begin(), starting_.end(), [](const auto& known) {
        const auto alive = known.lock();
        return !alive || !alive->is_starting();
      });
      starting_.erase(gone, starting_.end());
      starting_.push_back(guest);
    }
    const auto target = std::make_shared<KillTarget>([guest] { guest->interrupt(); },
                                                     [guest] { guest->abandon(); });
    mailbox_->post([client, target] {
      client->on_forked(host::ForkedProcess{.target = target, .workspace = {}});
    });
    guest->start();
  }

  /// Given up with it: the sessions that do not come to start, because a cell keeps the GIL.
  [[nodiscard]] std::shared_ptr<KillTarget> kill_target() const override {
    return std::make_shared<KillTarget>([] {},
                                        [this] {
                                          const std::lock_guard lock(mutex_);
                                          for (const auto& known : starting_) {
                                            const auto guest = known.lock();
                                            if (guest && guest->is_starting()) guest->abandon();
                                          }
                                        });
  }

 private:
  static Expected<protocol::ZygoteReady> out_of_descriptors() {
    return Error{ErrorKind::host_error,
                 "No descriptors are left for a session: raise the limit on open files or close "
                 "sessions."};
  }

  const std::string python_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<std::atomic<std::size_t>> parked_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::atomic<double> start_ms_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<Guest>> starting_;
};

/// A host program may call from Python's own threads: it waits without the GIL.
std::shared_ptr<void> step_out_of_python() {
  if (!python::holds_gil()) return nullptr;
  return {python::pause_thread(), [](void* thread) { python::resume_thread(thread); }};
}

host::SourceKind thread_sources() {
  return {
      .executor = "in_process",
      .isolates = false,
      .start = [](const host::SourceOptions& wanted,
                  host::Supervisor& supervisor) -> Expected<std::shared_ptr<host::SessionSource>> {
        auto mailbox = Mailbox::open(supervisor);
        if (!mailbox) {
          return Error{ErrorKind::host_error,
                       "No descriptors are left: raise the limit on open files."};
        }
        return std::shared_ptr<host::SessionSource>(
            std::make_shared<ThreadSource>(wanted.options.python, std::move(mailbox)));
      },
      .step_out = &step_out_of_python};
}

const bool kAnnounced = [] {
  host::announce_in_process_sources(thread_sources());
  return true;
}();

}  // namespace
}  // namespace cellblock::in_process

// Who links the library asks the linker for this name, which brings the object in.
extern "C" bool cellblock_in_process_is_linked() { return cellblock::in_process::kAnnounced; }
