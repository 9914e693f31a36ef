#include "in_process/guest.hpp"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "protocol/messages.hpp"
#include "python/gil.hpp"
#include "session/request_loop.hpp"

namespace cellblock::in_process {
namespace {

using protocol::FrameType;

constexpr std::chrono::milliseconds kNagInterval{100};

/// The thread's own current folder; the host's stays. False where threads cannot have one.
bool enter_folder(const std::string& folder) {
  return ::unshare(CLONE_FS) == 0 && ::chdir(folder.c_str()) == 0;
}

std::vector<Layer> layers_of(bool own_folder) {
  return {{.name = "process",
           .on = false,
           .detail = "in-process sessions share the host's process: for trusted code only"},
          {.name = "working_folder",
           .on = own_folder,
           .detail = own_folder ? "the thread's own current folder"
                                : "threads cannot have a current folder of their own here: name "
                                  "the workspace's files by their full path"}};
}

}  // namespace

Guest::Guest(std::array<base::UniqueFd, 3> descriptors, protocol::ForkRequest request,
             std::shared_ptr<host::ForkClient> client, std::shared_ptr<Mailbox> mailbox,
             std::shared_ptr<std::atomic<std::size_t>> parked)
    : descriptors_(std::move(descriptors)),
      request_(std::move(request)),
      mailbox_(std::move(mailbox)),
      parked_(std::move(parked)),
      channel_(descriptors_[0].get()),
      client_(std::move(client)) {}

void Guest::start() {
  std::thread([self = shared_from_this()] { self->live(); }).detach();
}

void Guest::live() {
  auto config = protocol::SessionConfig::decode(request_.config);
  if (!config) return refuse(config.error().message);
  config->workspace = request_.workspace.folder;
  auto place = PythonHome::of_process().take(config->interpreter != "sub");
  if (!place) return refuse(place.error().message);
  const bool washed = serve(**place, *config);
  PythonHome::of_process().give_back(*std::move(place), washed);
  for (base::UniqueFd& descriptor : descriptors_) descriptor.reset();
  tell_exited(0);
  const std::lock_guard lock(mutex_);
  if (abandoned_) --*parked_;
}

void Guest::refuse(const std::string& message) {
  channel_.send(FrameType::session_failed, 0, protocol::SessionFailed{message}.encode());
  starting_ = false;
  tell_exited(0);
}

/// Whether the interpreter can serve another session.
bool Guest::serve(Place& place, const protocol::SessionConfig& config) {
  const bool own_folder = enter_folder(config.workspace);
  const bool is_main = place.interpreter->is_main();
  const auto attached = python::Attachment::to(*place.interpreter);
  {
    const std::lock_guard lock(mutex_);
    interpreter_ = place.interpreter.get();
    thread_ = python::current_thread();
  }
  const auto begin = [&]() -> Expected<void> {
    if (!place.runtime) {
      auto runtime = python::Runtime::load();
      if (!runtime) return std::move(runtime).error();
      place.runtime = *std::move(runtime);
    }
    return place.runtime->start(
        config, channel_,
        python::Runtime::Guest{
            .out = descriptors_[1].get(), .err = descriptors_[2].get(), .is_shared = is_main});
  };
  const auto begun = begin();
  if (!begun) {
    refuse(begun.error().message);
  } else {
    starting_ = false;
    const protocol::SessionReady ready{.layers = layers_of(own_folder)};
    if (channel_.send(FrameType::session_ready, 0, ready.encode())) {
      session::run_request_loop(channel_, *place.runtime);
    }
    place.runtime->leave();
  }
  if (!is_main) PythonHome::of_process().expect_back();
  let_interrupts_end();
  python::drop_interrupt(python::current_thread());
  if (is_main) {
    place.runtime.reset();
    return false;
  }
  const bool given_up = [this] {
    const std::lock_guard lock(mutex_);
    return abandoned_;
  }();
  return !given_up && place.runtime->wash();
}

/// Who interrupts needs the GIL that this thread holds.
void Guest::let_interrupts_end() {
  const python::GilRelease unlocked;
  std::unique_lock lock(mutex_);
  over_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return interrupts_ == 0; });
}

void Guest::interrupt() {
  const std::uint64_t request = channel_.busy();
  const std::lock_guard lock(mutex_);
  // One that waits for the GIL is enough.
  if (request == 0 || over_ || interpreter_ == nullptr || interrupts_ > 0) return;
  ++interrupts_;
  std::thread([self = shared_from_this(), request] { self->send_interrupt(request); }).detach();
}

void Guest::send_interrupt(std::uint64_t request) {
  interpreter_->interrupt(thread_, [this, request] { return channel_.busy() == request; });
  const std::lock_guard lock(mutex_);
  --interrupts_;
  changed_.notify_all();
}

void Guest::abandon() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(abandoned_, true) || over_) return;
    ++*parked_;
  }
  tell_exited(SIGKILL);
  std::thread([self = shared_from_this()] { self->nag(); }).detach();
}

void Guest::nag() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kNagInterval, [this] { return over_; })) {
    lock.unlock();
    interrupt();
    lock.lock();
  }
}

void Guest::tell_exited(int wait_status) {
  std::shared_ptr<host::ForkClient> client;
  {
    const std::lock_guard lock(mutex_);
    client.swap(client_);
  }
  if (!client) return;
  // Moved: what is told there may end the executor, whom a client must not outlive.
  mailbox_->post([client = std::move(client), wait_status] {
    client->on_exited(protocol::SessionExited{.wait_status = wait_status});
  });
}

}  // namespace cellblock::in_process
