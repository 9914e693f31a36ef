// Memory kept back for what the session's process must do in C++ after its code has used up the
// rest.
#pragma once

namespace cellblock::session {

/// For a process of one session, once: from here on an allocation of C++ that fails is tried again
/// with what was kept back (std::set_new_handler). Without it the answer to a cell that has filled
/// the memory could not be written. The pages are never touched until then.
void keep_memory_reserve();

/// Keeps it back again, as far as there is room. Nothing where keep_memory_reserve() was not
/// called.
void refill_memory_reserve();

}  // namespace cellblock::session
