#include "session/memory_reserve.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <new>

namespace cellblock::session {
namespace {

// An answer is smaller, but for long texts, whose bytes are there already.
constexpr std::size_t kBytes = 1U << 20;

bool is_kept = false;
// The code's threads run out of memory at the same time: one of them gives it back.
std::atomic<void*> reserve = MAP_FAILED;

void give_back() {
  void* const kept = reserve.exchange(MAP_FAILED);
  if (kept == MAP_FAILED) throw std::bad_alloc();
  ::munmap(kept, kBytes);
}

}  // namespace

void keep_memory_reserve() {
  is_kept = true;
  refill_memory_reserve();
  std::set_new_handler(&give_back);
}

void refill_memory_reserve() {
  if (!is_kept || reserve != MAP_FAILED) return;
  reserve = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

}  // namespace cellblock::session
