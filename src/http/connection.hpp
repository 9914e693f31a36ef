// One connection: requests in, answers out, one after the other.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/access.hpp"
#include "http/answer.hpp"
#include "http/connections.hpp"
#include "http/limits.hpp"
#include "http/request_parser.hpp"

namespace cellblock::http {

/// What the connections of a server share; outlives them. For the server's own thread.
struct Shared {
  const Limits& limits;
  const Access& access;
  Connections& connections;
  /// An answer to a request that no handler takes: its path, method or type is wrong.
  std::function<std::optional<Response>(const Request& head)> refuse;
  /// Gives the request to its handler, on another thread.
  std::function<void(const std::shared_ptr<Answer>&)> serve;
  /// Bodies of requests under way, in bytes; one that has not come whole counts as announced.
  std::size_t bodies = 0;
  /// What a read fills before it is known whose it is.
  std::string scratch;
};

/// For the server's own thread.
class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::io_context& io, boost::asio::ip::tcp::socket socket, Shared& shared);

  /// It lives from here until its end by itself.
  void start();
  /// Cuts it off; a request under way is told that its client has gone.
  void end();

 private:
  enum class State {
    idle,      ///< nothing of a request has come
    head,      ///< a request's head comes
    body,      ///< its body comes
    serving,   ///< its answer is made or written
    draining,  ///< the last answer is written; what still comes is thrown away
    over,
  };
  using Milliseconds = std::chrono::milliseconds;

  void read();
  void take_bytes();
  void parse();
  bool check_head();
  void serve();
  void refuse(const Response& response);
  void pump();
  void write(std::string bytes, void (Connection::*then)());
  void piece_written();
  void answered();
  void begin_draining();
  void arm(Milliseconds limit);
  void on_deadline();
  void count_body(std::size_t bytes);

  boost::asio::io_context& io_;
  boost::asio::ip::tcp::socket socket_;
  Shared& shared_;
  const Limits& limits_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer write_deadline_;
  State state_ = State::idle;
  std::string incoming_;
  std::optional<RequestParser> parser_;
  std::size_t body_ = 0;  // of Shared::bodies
  std::shared_ptr<Answer> answer_;
  bool writing_ = false;
  std::string outgoing_;
  Answer::Piece piece_;
  std::size_t drained_ = 0;
};

}  // namespace cellblock::http
