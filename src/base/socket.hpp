// Unix sockets and pipes, with descriptors that travel along.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"

namespace cellblock::base {

/// The two ends, both close-on-exec. On failure both own nothing and errno says why.
using FdPair = std::pair<UniqueFd, UniqueFd>;
FdPair make_socket_pair();
/// First the end to read from.
FdPair make_pipe();

/// Writes all of it, waiting as needed; the descriptors go with the first byte. False: errno.
/// Never raises SIGPIPE. Async-signal-safe apart from what the caller passes.
bool send_all(int socket, std::string_view bytes, std::span<const int> descriptors = {});

enum class IoStatus { ok, would_block, closed, failed };

/// One read of at most `capacity` bytes, appended to `bytes`; descriptors that came along are
/// appended to `descriptors` (close-on-exec). `failed`: errno.
IoStatus receive_some(int socket, std::string& bytes, std::vector<UniqueFd>& descriptors,
                      std::size_t capacity = 65'536);

/// One write without waiting; `written` is what the kernel took.
IoStatus send_some(int socket, std::string_view bytes, std::size_t& written);

}  // namespace cellblock::base
