// The user number of one session, given back when the session is forgotten.
#pragma once

#include <memory>
#include <utility>

#include "sandbox/ids.hpp"

namespace cellblock::zygote {

class SessionUser final {
 public:
  /// `pool`: whose number it is; nothing for a number that nobody manages.
  SessionUser(uid_t id, std::shared_ptr<sandbox::SessionIds> pool)
      : id_(id), pool_(std::move(pool)) {}
  SessionUser(SessionUser&& other) noexcept = default;
  SessionUser& operator=(SessionUser&& other) noexcept {
    std::swap(id_, other.id_);
    pool_.swap(other.pool_);
    return *this;
  }
  ~SessionUser() {
    if (pool_) pool_->give_back(id_);
  }

  [[nodiscard]] uid_t id() const { return id_; }

 private:
  uid_t id_;
  std::shared_ptr<sandbox::SessionIds> pool_;
};

}  // namespace cellblock::zygote
