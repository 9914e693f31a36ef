"""Where no user namespace can be made, Landlock, seccomp and rlimits carry what is required."""

import json
import subprocess

import pytest

from skips import skip

# In a user namespace of its own: none below it, and no capability to do without.
_FORBID = (
    "echo 0 > /proc/sys/user/max_user_namespaces && "
    "exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs "
    '"$@"'
)


@pytest.fixture
def restricted(binary, environment):
    """Run the program there; returns the finished process."""
    wrapper = ["unshare", "-U", "--map-current-user", "--keep-caps", "sh", "-c", _FORBID, "sh"]

    def run(*arguments):
        return subprocess.run(
            [*wrapper, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            text=True,
            timeout=120,
        )

    if run("true").returncode != 0:
        skip("no user namespace can be made here to forbid them in")
    return lambda *arguments: run(binary, *arguments)


def test_required_isolation_starts_and_says_what_is_missing(restricted):
    told = restricted("doctor", "--json")
    diagnosis = json.loads(told.stdout)
    assert told.returncode == 0, told
    assert diagnosis["level"] == "reduced" and diagnosis["required_starts"]
    layers = {layer["name"]: layer for layer in diagnosis["layers"]}
    for name in ("landlock", "seccomp", "rlimits", "no_new_privs", "capabilities"):
        assert layers[name]["on"], layers[name]
    for name in ("pid_namespace", "mounts", "ids", "network"):
        assert not layers[name]["on"] and "user namespaces" in layers[name]["remedy"], layers[name]


_ATTEMPTS = """
import os, socket
def attempt(act):
    try:
        return str(act())
    except OSError as error:
        return type(error).__name__
open("mine", "w").write("x")
print(attempt(lambda: os.listdir("/")), attempt(lambda: open("/etc/passwd")))
print(attempt(os.fork), attempt(socket.socket), attempt(lambda: os.kill(os.getppid(), 0)))
print(attempt(lambda: open("/proc/self/mem", "rb")), os.listdir("."))
print(attempt(lambda: os.chmod("/usr/lib/os-release", 0o777)))
"""


def test_what_the_missing_layers_held_is_held_by_others(restricted, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({"import_guard": "off"}))
    done = restricted("exec", "--preload", "", "--policy", str(policy), "-c", _ATTEMPTS)
    assert done.stdout.splitlines() == [
        "PermissionError PermissionError",
        "PermissionError OSError PermissionError",
        "PermissionError ['mine']",
        "PermissionError",
    ], done
