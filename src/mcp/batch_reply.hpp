// The answers of a batch, which go out together.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/server.hpp"

namespace cellblock::mcp {

/// Thread-safe.
class BatchReply final : public std::enable_shared_from_this<BatchReply> {
 public:
  BatchReply(std::shared_ptr<Reply> whole, std::size_t parts)
      : whole_(std::move(whole)), outstanding_(parts) {}

  /// For one of the parts; each is to be finished once.
  std::shared_ptr<Reply> part();

 private:
  class Part;
  void notify(const std::string& text);
  void add(const Answer& answer);

  const std::shared_ptr<Reply> whole_;
  std::mutex mutex_;
  std::size_t outstanding_;
  std::string joined_;
  std::vector<std::shared_ptr<const void>> held_;
};

}  // namespace cellblock::mcp
