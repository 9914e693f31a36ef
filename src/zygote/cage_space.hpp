// What sessions in one cage share.
#pragma once

#include <cstdint>
#include <optional>

#include "sandbox/cage.hpp"
#include "sandbox/namespace_files.hpp"
#include "zygote/session_user.hpp"

namespace cellblock::zygote {

/// Lasts as long as one of its sessions: with it go the file systems and the user number.
struct CageSpace {
  std::uint64_t number = 0;  ///< the host's name for it
  sandbox::CageNamespaces namespaces;
  std::optional<SessionUser> user;  ///< whom its sessions become; nothing: they stay who they are
  sandbox::NamespaceFiles files;    ///< open from the second session on
};

}  // namespace cellblock::zygote
