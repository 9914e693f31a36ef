// What Python's own inside gives to code that was never meant to have it: no more than the kernel.
#include "security/attack_runner.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

// What system() answers where its child could not run the shell, or there could be no child.
constexpr const char* kNoShell = "-1 | 32512";
constexpr const char* kProcesses = "seccomp";

const std::vector<AlsoHeld> kShellAlsoHeld{
    {"seccomp", "mounts", kNoShell},
    {"landlock", "seccomp", kNoShell},
    {"mounts", "seccomp", kNoShell},
    {"pid_namespace", "seccomp", kNoShell},
};

const std::vector<Attack> kAttacks{
    {"A2",
     "the machine's folders listed",
     "say(tried(os.listdir, '/etc/..'), tried(os.listdir, '/home'), tried(os.listdir, '/root'))",
     "EACCES ENOENT",
     "landlock, mounts",
     {{"landlock", "mounts", "ENOENT done"}, {"mounts", "landlock", "EACCES"}}},
    {"A4", "os.system by numpy's attributes",
     "import importlib.util\n"
     "found = importlib.util.find_spec('numpy') is not None\n"
     "if found: import numpy\n"
     "# Which of its modules holds os is another from version to version.\n"
     "holders = [module for name, module in sorted(sys.modules.items())\n"
     "           if name.startswith('numpy') and vars(module).get('os') is os]\n"
     "print(holders[0].os.system('id') if found else -1)",
     kNoShell, kProcesses, kShellAlsoHeld},
    {"A5",
     "subprocess by pandas' attributes",
     "import importlib.util\n"
     "if importlib.util.find_spec('pandas') is None: say('EPERM')\n"
     "else:\n"
     "    import pandas._config.localization as place\n"
     "    say(tried(place.subprocess.check_output, 'id'))",
     "EPERM",
     kProcesses,
     {{"seccomp", "mounts", "ENOENT"}}},
    {"A7", "os reloaded", "import importlib\nprint(importlib.reload(os).system('id'))", kNoShell,
     kProcesses, kShellAlsoHeld},
    {"A8", "a fresh posix module",
     "loader = sys.modules['posix'].__loader__\nprint(loader.load_module('posix').system('id'))",
     kNoShell, kProcesses, kShellAlsoHeld},
    {"A10",
     "__import__ replaced",
     "import builtins\nreal_import = builtins.__import__\n"
     "builtins.__import__ = lambda *a, **k: 1 / 0\nprint('replaced')",
     "replaced",
     "process of its own",
     {},
     {},
     "builtins.__import__ = real_import"},
    {"A11", "a walk over all classes to system()",
     "c = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]\n"
     "print(c.__init__.__globals__['system']('id'))",
     kNoShell, kProcesses, kShellAlsoHeld},
    {"A13", "a walk by an error's object and a format string",
     "try: [].nothing\n"
     "except AttributeError as problem: found = problem.obj\n"
     "assert '{0.__class__.__base__}'.format(found) == \"<class 'object'>\"\n"
     "assert str(os.system) == '{0.__globals__[os].system}'.format(tried)\n"
     "print(os.system('id'))",
     kNoShell, kProcesses, kShellAlsoHeld},
    {"A14", "frames of what runs the cell",
     "frame, found = sys._getframe(), []\n"
     "while frame:\n"
     "    for space in (frame.f_globals, frame.f_locals):\n"
     "        found += [k for k in space if any(w in k.lower() for w in "
     "('token', 'secret', 'password', 'liveness', 'control_fd'))]\n"
     "    frame = frame.f_back\n"
     "print(found)",
     "[]", "zygote without secrets"},
    {"A16", "a pickle that calls system()",
     "import pickle\nprint(pickle.loads(b'cos\\nsystem\\n(S\\'id\\'\\ntR.'))", kNoShell, kProcesses,
     kShellAlsoHeld},
    {"A17",
     "bytecode that reads outside its constants",
     "from opcode import opmap\n"
     "more, load, leave = (opmap[n] for n in ('EXTENDED_ARG', 'LOAD_CONST', 'RETURN_VALUE'))\n"
     "far = bytes([more, 127, more, 255, more, 255, load, 255, leave, 0])\n"
     "exec((lambda: 0).__code__.replace(co_code=far, co_consts=()))",
     "",
     "process of its own",
     {},
     Ending{Status::crashed, Cause::signal, 139}},
    {"A19", "libc's system()", "print(libc.system(b'id'))", kNoShell, kProcesses, kShellAlsoHeld},
    {"A20", "fork, socket and mount by number",
     "say(call(57), call(41, 2, 1, 0), call(165, b'none', b'/tmp', b'tmpfs', 0, 0))",
     "EAFNOSUPPORT EPERM", "seccomp"},
    {"A22",
     "its own memory as a file",
     "say(tried(open, '/proc/self/mem', 'r+b'), tried(open, '/proc/self/maps'))",
     "ENOENT",
     "mounts",
     {{"mounts", "landlock", "EACCES"},
      {"landlock", "mounts", "ENOENT"},
      {"pid_namespace", "landlock", "EACCES"}}},
    {"A23", "fork and exec in one call, which no audit event shows",
     "import _posixsubprocess as p\n"
     "r, w = os.pipe()\n"
     "head = ([b'x'], [b'/lib64/ld-linux-x86-64.so.2'], False, (), None, None, "
     "-1, -1, -1, -1, -1, -1, r, w, False, False, -1, None, None, None, -1, None)\n"
     "answers = {tried(p.fork_exec, *head), tried(p.fork_exec, *head, True)}\n"
     "os.close(r); os.close(w)\n"
     "say(*answers - {'TypeError'})",
     "EPERM", "seccomp"},
    {"A25", "the host's secrets among all objects",
     "import gc\n"
     "found = [k for k, v in os.environ.items() if 'sword' + 'fish' in v]\n"
     "for thing in gc.get_objects():\n"
     "    if type(thing) is dict:\n"
     "        found += [k for k, v in list(thing.items()) if type(v) is str and "
     "v == 'sword' + 'fish']\n"
     "print(found)",
     "[]", "zygote without secrets"},
    {"A28",
     "os._exit()",
     "os._exit(7)",
     "",
     "process of its own",
     {},
     Ending{Status::exit, Cause::exit, 7}},
    {"A28", "SystemExit", "print('leaving'); raise SystemExit(3)", "leaving", "process of its own"},
    {"A29", "a loaded module taken away",
     "del sys.modules['json']\nimport json\nprint(json.dumps([1]))", "[1]", "process of its own"},
};

}  // namespace

TEST_CASE("What imports and attributes lead to ends at the kernel") {
  run_with_all_layers(kAttacks);
}

TEST_CASE("What imports and attributes lead to is held by a second layer too") {
  run_without_each_layer(kAttacks);
}
