#include "rpc/socket_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "rpc/peer.hpp"

namespace cellblock::rpc {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kEndLimit{2'000};
/// How long accepting rests when the process is out of descriptors.
constexpr milliseconds kOutOfDescriptorsPause{100};

/// Tells peers that they are one too many. For one thread.
class Refusals {
 public:
  void refuse(base::UniqueFd connection, const char* sentence) {
    const std::string line = R"({"jsonrpc":"2.0","id":null,"error":)" +
                             to_text({{"code", kServerError},
                                      {"message", sentence},
                                      {"data", {{"kind", to_string(ErrorKind::busy_limit)}}}}) +
                             "}\n";
    static_cast<void>(
        ::send(connection.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    ::shutdown(connection.get(), SHUT_WR);
    // Who is still sending would meet a broken connection before it has read why: the last ones
    // stay open until others take their place.
    kept_.push_back(std::move(connection));
    if (kept_.size() > kKept) kept_.pop_front();
  }

 private:
  static constexpr std::size_t kKept = 16;
  std::deque<base::UniqueFd> kept_;
};

/// The connections and their threads. Thread-safe.
class Connections {
 public:
  explicit Connections(Service& service) : service_(service) {}

  /// Serves it on a thread of its own; one too many is refused. For one thread.
  void add(base::UniqueFd connection);
  /// Ends all of them. False: not within the limit.
  bool end_all(milliseconds limit);

 private:
  struct Connection {
    explicit Connection(base::UniqueFd fd) : socket(std::move(fd)) {}
    const base::UniqueFd socket;
    const base::UniqueFd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  };

  void serve(const Connection& connection);
  [[nodiscard]] bool is_full();
  void remove(const std::shared_ptr<Connection>& connection);

  Service& service_;
  Refusals refusals_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::shared_ptr<Connection>> open_;
};

void Connections::add(base::UniqueFd socket) {
  if (is_full()) {
    return refusals_.refuse(std::move(socket), "Too many programs are connected; end one first.");
  }
  const auto connection = std::make_shared<Connection>(std::move(socket));
  {
    const std::lock_guard lock(mutex_);
    open_.insert(connection);
  }
  try {
    std::thread([this, connection] {
      serve(*connection);
      remove(connection);
    }).detach();
  } catch (const std::system_error&) {  // no thread is left; the connection closes
    remove(connection);
  }
}

bool Connections::is_full() {
  const std::lock_guard lock(mutex_);
  return open_.size() >= kMaxPeers;
}

void Connections::serve(const Connection& connection) {
  base::UniqueFd output(::fcntl(connection.socket.get(), F_DUPFD_CLOEXEC, 3));
  if (!output || !connection.wake) return;  // out of descriptors
  Peer peer(service_, std::move(output), connection.wake.get());
  peer.serve(connection.socket.get());
  static_cast<void>(peer.end(kEndLimit));
}

void Connections::remove(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
  // Under the lock: once it is free, end_all may return and this object go.
  changed_.notify_all();
}

bool Connections::end_all(milliseconds limit) {
  std::unique_lock lock(mutex_);
  for (const auto& connection : open_) ::eventfd_write(connection->wake.get(), 1);
  return changed_.wait_for(lock, limit, [this] { return open_.empty(); });
}

// The path is gone when it returns.
void accept_peers(ListeningSocket listener, int wake_fd, Connections& connections) {
  std::array<pollfd, 2> waits = {pollfd{listener.get(), POLLIN, 0}, pollfd{wake_fd, POLLIN, 0}};
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (waits[1].revents != 0) return;
    if (waits[0].revents == 0) continue;
    auto connection = listener.accept();
    if (!connection) {
      if (errno == EMFILE || errno == ENFILE)
        ::poll(&waits[1], 1, static_cast<int>(kOutOfDescriptorsPause.count()));
      continue;
    }
    if (is_own_user(connection.get())) connections.add(std::move(connection));
  }
}

}  // namespace

Expected<void> serve_socket(ListeningSocket listener, int wake_fd, const ServerOptions& options) {
  auto service = std::make_unique<Service>(options, wake_fd);
  if (auto started = service->start(); !started) return started;
  auto connections = std::make_unique<Connections>(*service);
  accept_peers(std::move(listener), wake_fd, *connections);

  const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
  const bool ended = connections->end_all(kEndLimit);
  const bool checked = service->wait_until_checked(
      std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()));
  auto outcome = service->outcome();
  // Threads that are late still use them.
  if (!ended) static_cast<void>(connections.release());
  if (!ended || !checked) static_cast<void>(service.release());
  return outcome;
}

}  // namespace cellblock::rpc
