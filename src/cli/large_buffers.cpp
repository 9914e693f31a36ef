#include "cli/large_buffers.hpp"

#include <malloc.h>

namespace cellblock::cli {

void give_back_large_buffers() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kLarge = 256 << 10;
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

}  // namespace cellblock::cli
