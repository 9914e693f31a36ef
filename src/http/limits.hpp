// What one peer, and all of them together, may ask of the server.
#pragma once

#include <chrono>
#include <cstddef>

namespace cellblock::http {

/// Deadlines are total: a peer that sends a byte now and then is cut off when they are over, like
/// one that sends nothing.
struct Limits {
  std::size_t max_request_line = 8U << 10;  ///< beyond it: 414
  std::size_t max_head = 16U << 10;         ///< request line and headers; beyond it: 431
  std::size_t max_body = 64U << 20;         ///< beyond it: 413
  /// Bodies under way at once, in all connections; beyond it: 503.
  std::size_t max_bodies = 512U << 20;

  std::chrono::milliseconds head_deadline{10'000};
  /// And a second more for each `body_rate` bytes that are announced.
  std::chrono::milliseconds body_deadline{10'000};
  std::size_t body_rate = 1U << 20;
  /// Between two requests of one connection.
  std::chrono::milliseconds idle_limit{120'000};

  /// A peer must take each piece of an answer within the deadline.
  std::size_t write_piece = 64U << 10;
  std::chrono::milliseconds write_deadline{20'000};
  /// What a stream holds for a peer that reads slowly; beyond it its sender waits.
  std::size_t max_queued = 1U << 20;
  /// A stream that is silent for this long gets a comment.
  std::chrono::milliseconds keep_alive{15'000};

  /// At the cap a new connection takes the place of the one that has waited longest without a
  /// request; one that has shown the token goes last.
  std::size_t max_connections = 1024;
  /// Requests whose handlers run at once; beyond it: 503.
  std::size_t max_handlers = 256;
};

}  // namespace cellblock::http
