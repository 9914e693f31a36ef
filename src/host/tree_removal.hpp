// Removes a folder that a session has filled as it liked.
#pragma once

#include <string>

namespace cellblock::host {

/// Removes the folder and what is in it, never following a link. Nothing happens when it is absent.
void remove_tree(const std::string& path);

}  // namespace cellblock::host
