// What CPython wants done around a fork. Main thread, GIL held.
#pragma once

namespace cellblock::python {

void before_fork();
void after_fork_parent();
/// Before anything else of Python runs in the child; turns the collector on again.
void after_fork_child();

}  // namespace cellblock::python
