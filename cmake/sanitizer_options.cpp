// How the sanitizers behave in our programs, whatever the environment says: the zygote gets a clean
// one. Only linked when CELLBLOCK_SANITIZE is set.

// A crash of user code must stay a crash: its signal is part of the result.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
         "detect_stack_use_after_return=1:allocator_may_return_null=1";
}

extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }

// CPython and what it loads keep memory until the process ends: it says nothing about us.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpython\nleak:libfontconfig\nleak:python3/"
         "dist-packages\nleak:_Py\nleak:PyObject\n";
}

extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
