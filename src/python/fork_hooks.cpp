#include "python/fork_hooks.hpp"

#include "python/python_compat.hpp"

namespace cellblock::python {

void before_fork() { PyOS_BeforeFork(); }

void after_fork_parent() { PyOS_AfterFork_Parent(); }

void after_fork_child() {
  PyOS_AfterFork_Child();
  PyGC_Enable();
}

}  // namespace cellblock::python
