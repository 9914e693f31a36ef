#include "zygote/cage_builder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/pidfd.hpp"
#include "sandbox/init_image.hpp"

namespace cellblock::zygote {
namespace {

std::string sentence(const sandbox::Failure& failure) {
  return std::string("cannot ") + failure.step + " (" + std::strerror(failure.error) + ")";
}

}  // namespace

CageBuilder::CageBuilder(int liveness_fd) {
  auto image = sandbox::make_init_image();
  if (!image) {
    detail_ = image.error().message;
    return;
  }
  image_ = std::move(*image);
  self_ = base::open_pidfd(::getpid());
  namespaces_.emplace(image_.get(), liveness_fd, self_.get());
  try_out();
  if (!detail_.empty()) namespaces_.reset();
}

void CageBuilder::try_out() {
  auto cage = build();
  if (!cage) {
    detail_ = cage.error().message;
    return;
  }
  // Leaving is tried first with nothing at stake: it needs rights over our own namespace, and a
  // process that entered and cannot leave is lost.
  if (const auto failure = namespaces_->leave()) {
    detail_ = sentence(failure);
  } else if (const auto entering = sandbox::PidNamespaces::enter(*cage)) {
    detail_ = sentence(entering);
  } else if (const auto leaving = namespaces_->leave()) {
    detail_ = sentence(leaving);
  }
  base::send_signal(cage->pidfd.get(), SIGKILL);
  ::waitpid(cage->pid, nullptr, 0);
}

Expected<Cage> CageBuilder::build() {
  Cage cage;
  if (const auto failure = namespaces_->start_init(cage)) {
    if (cage.pid > 0) ::waitpid(cage.pid, nullptr, 0);
    return Error{ErrorKind::host_error, sentence(failure)};
  }
  return cage;
}

}  // namespace cellblock::zygote
