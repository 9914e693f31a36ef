// What changed among files, step after step.
#pragma once

#include "cellblock/result.hpp"

namespace cellblock::host {

/// `changes` becomes what it and `later`, which came after it, are together: a file that was
/// created and then changed is created, one that was created and then deleted was never there.
void merge(FileChanges& changes, const FileChanges& later);

}  // namespace cellblock::host
