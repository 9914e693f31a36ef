#include "http/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace cellblock::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// A client may send the next request before it has the answer to this one, up to here.
constexpr std::size_t kMaxAhead = 64U << 10;
// After a refusal: what is thrown away, and for how long, so that the client can read the reason.
constexpr std::size_t kMaxDrained = 256U << 10;
constexpr std::chrono::milliseconds kDrainTime{2'000};

}  // namespace

Connection::Connection(asio::io_context& io, asio::ip::tcp::socket socket, Shared& shared)
    : io_(io),
      socket_(std::move(socket)),
      shared_(shared),
      limits_(shared.limits),
      deadline_(io),
      write_deadline_(io) {}

void Connection::start() {
  shared_.connections.add(shared_from_this());
  // The first request has to begin at once.
  arm(limits_.head_deadline);
  read();
}

void Connection::end() {
  if (state_ == State::over) return;
  const auto self = shared_from_this();
  state_ = State::over;
  count_body(0);
  deadline_.cancel();
  write_deadline_.cancel();
  error_code ignored;
  socket_.close(ignored);
  shared_.connections.remove(*this);
  if (const auto answer = std::exchange(answer_, nullptr)) answer->gone();
}

// One read is always under way: that is how a client that goes is noticed.
void Connection::read() {
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const error_code& failure) {
                       if (self->state_ == State::over) return;
                       if (failure) return self->end();
                       self->take_bytes();
                       if (self->state_ != State::over) self->read();
                     });
}

void Connection::take_bytes() {
  const ssize_t count =
      ::recv(socket_.native_handle(), shared_.scratch.data(), shared_.scratch.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end();
  const auto size = static_cast<std::size_t>(count);
  if (state_ == State::draining) {
    drained_ += size;
    if (drained_ > kMaxDrained) end();
    return;
  }
  incoming_.append(shared_.scratch, 0, size);
  if (state_ != State::serving) return parse();
  if (incoming_.size() > kMaxAhead) end();
}

void Connection::parse() {
  if (state_ == State::idle) {
    if (incoming_.empty()) return;
    state_ = State::head;
    parser_.emplace(limits_);
    arm(limits_.head_deadline);
  }
  while (true) {
    switch (parser_->take(incoming_)) {
      case RequestParser::Got::more:
        return;
      case RequestParser::Got::head:
        if (!check_head()) return;
        break;
      case RequestParser::Got::request:
        return serve();
      case RequestParser::Got::refused:
        return refuse(parser_->refusal());
    }
  }
}

// Nothing of a body is read before its head is found in order.
bool Connection::check_head() {
  const Request& head = parser_->request();
  if (const auto refused = shared_.access.refuse(head)) {
    refuse(*refused);
    return false;
  }
  shared_.connections.move(*this, Connections::Waits::no);
  const std::size_t announced = parser_->announced_body();
  auto refused = shared_.refuse(head);
  if (!refused && announced > limits_.max_body) {
    refused = http::refusal(413, "The body is too long: this server takes " +
                                     std::to_string(limits_.max_body) + " bytes at most.");
  }
  if (!refused && shared_.bodies + announced > limits_.max_bodies) {
    refused = http::refusal(503, "Too many large requests are under way; try again soon.",
                            {{"Retry-After", "1"}});
  }
  if (refused) {
    refuse(*refused);
    return false;
  }
  count_body(announced);
  state_ = State::body;
  arm(limits_.body_deadline + std::chrono::seconds(announced / limits_.body_rate));
  if (announced > 0 && parser_->expects_continue() && incoming_.empty()) {
    // Nothing else is being written: these few bytes always have room.
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    if (::send(socket_.native_handle(), kContinue.data(), kContinue.size(),
               MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(kContinue.size())) {
      end();
      return false;
    }
  }
  return true;
}

void Connection::count_body(std::size_t bytes) {
  shared_.bodies = shared_.bodies - body_ + bytes;
  body_ = bytes;
}

void Connection::serve() {
  count_body(parser_->request().body.size());
  state_ = State::serving;
  const After after = parser_->keeps_alive() ? After::keep : After::close;
  // The answer may outlive the server; then it has been told that its client has gone.
  answer_ = std::make_shared<Answer>(std::move(parser_->request()), limits_, after,
                                     [weak = weak_from_this(), &io = io_] {
                                       asio::post(io, [weak] {
                                         if (const auto self = weak.lock()) self->pump();
                                       });
                                     });
  parser_.reset();
  arm(limits_.keep_alive);
  shared_.serve(answer_);
}

void Connection::pump() {
  if (writing_ || !answer_) return;
  piece_ = answer_->take(limits_.write_piece);
  if (!piece_.bytes.empty()) return write(std::move(piece_.bytes), &Connection::piece_written);
  if (piece_.last) answered();
}

void Connection::piece_written() {
  answer_->written(outgoing_.size());
  if (piece_.last) return answered();
  pump();
}

void Connection::answered() {
  std::exchange(answer_, nullptr)->over();
  count_body(0);
  if (piece_.after == After::close) return begin_draining();
  state_ = State::idle;
  shared_.connections.move(*this, Connections::Waits::known);
  arm(limits_.idle_limit);
  parse();
}

void Connection::refuse(const Response& response) {
  std::string bytes = to_bytes(response, After::close);
  count_body(0);
  parser_.reset();
  incoming_ = {};
  state_ = State::draining;
  arm(kDrainTime + limits_.write_deadline);
  write(std::move(bytes), &Connection::begin_draining);
}

// Closing with unread bytes would reset the connection, and the client might not see the answer.
void Connection::begin_draining() {
  state_ = State::draining;
  incoming_ = {};
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  shared_.connections.move(*this, Connections::Waits::unknown);
  arm(kDrainTime);
}

void Connection::write(std::string bytes, void (Connection::*then)()) {
  writing_ = true;
  outgoing_ = std::move(bytes);
  write_deadline_.expires_after(limits_.write_deadline);
  write_deadline_.async_wait([weak = weak_from_this()](const error_code& failure) {
    const auto self = weak.lock();
    if (failure || !self || self->write_deadline_.expiry() > asio::steady_timer::clock_type::now())
      return;
    self->end();
  });
  asio::async_write(socket_, asio::buffer(outgoing_),
                    [self = shared_from_this(), then](const error_code& failure, std::size_t) {
                      self->writing_ = false;
                      self->write_deadline_.cancel();
                      if (self->state_ == State::over) return;
                      if (failure) return self->end();
                      (self.get()->*then)();
                    });
}

void Connection::arm(Milliseconds limit) {
  deadline_.expires_after(limit);
  deadline_.async_wait([weak = weak_from_this()](const error_code& failure) {
    const auto self = weak.lock();
    // It may have been armed anew while this call was already queued.
    if (failure || !self || self->deadline_.expiry() > asio::steady_timer::clock_type::now())
      return;
    self->on_deadline();
  });
}

void Connection::on_deadline() {
  switch (state_) {
    case State::head:
    case State::body:
      return refuse(http::refusal(408, "The request did not come in time."));
    case State::serving:
      answer_->keep_alive();
      return arm(limits_.keep_alive);
    case State::idle:
    case State::draining:
      return end();
    case State::over:
      return;
  }
}

}  // namespace cellblock::http
