// What the C library does with large buffers that are free again.
#pragma once

namespace cellblock::cli {

/// They go back to the kernel at once. Left alone, glibc keeps ever larger ones in the heap of each
/// thread that had one, so that a server would stay as large as its busiest moment, times its
/// threads. To be called before there are threads.
void give_back_large_buffers();

}  // namespace cellblock::cli
