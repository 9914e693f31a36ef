// What a forked child of the host must neither use nor destroy: it has none of the library's
// threads, and would speak into the sockets of its parent.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cellblock/error.hpp"

namespace cellblock::sdk {

/// Changes in each forked child, also where nothing of Python is told of the fork.
std::uint64_t process_number();

/// Why an object of another process cannot be used.
Error inherited_by_fork();

/// Raises it where `number` is another process's.
void require_own_process(std::uint64_t number);

/// Shared ownership that ends in the process where it began; a forked child only forgets it.
template <class T>
std::shared_ptr<T> own(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [number = process_number()](T* owned) {
    if (number == process_number()) delete owned;
  });
}

}  // namespace cellblock::sdk
