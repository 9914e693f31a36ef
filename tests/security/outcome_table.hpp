// The table that a run of the security tests ends with: case and mode, and what held it.
#pragma once

#include <string>

namespace cellblock::test {

/// One cell of the table. Printed when the program's tests have run.
void record(const std::string& id, const std::string& mode, const std::string& outcome);

}  // namespace cellblock::test
