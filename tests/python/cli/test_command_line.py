"""Wrong usage and set-ups that cannot work: one clear line, exit status 2."""

import os
import subprocess

import pytest


@pytest.fixture
def complaint(binary, environment, tmp_path):
    """Run the program, which must refuse; returns its one line."""

    def run(*arguments):
        done = subprocess.run(
            [binary, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            text=True,
            timeout=60,
        )
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert done.stderr.startswith("cellblock: ") and done.stderr.count("\n") == 1, done.stderr
        return done.stderr

    return run


def test_version_is_one_line(binary):
    done = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.split()[0] == "cellblock" and done.stdout.count("\n") == 1


@pytest.mark.parametrize("command", [[], ["repl"], ["exec"], ["serve"], ["doctor"]])
def test_every_command_has_help(binary, command):
    done = subprocess.run([binary, *command, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "Usage:" in done.stdout and done.stderr == ""


def test_the_repls_flags_may_stand_alone(complaint):
    assert "absent.json" in complaint("--policy", "absent.json")
    assert "cellblock repl --help" in complaint("--nonsense")


def test_wrong_flags_and_commands_name_the_help(complaint):
    assert "--nonsense" in complaint("exec", "--nonsense")
    assert "cellblock exec --help" in complaint("exec", "--timeout", "soon", "-c", "1")
    assert "nonsense" in complaint("nonsense")
    assert "--stdio" in complaint("serve")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e300"])
def test_absurd_timeouts_are_refused(complaint, seconds):
    assert "--timeout" in complaint("exec", f"--timeout={seconds}", "-c", "1")


def test_missing_files_are_named_before_anything_runs(complaint):
    assert "absent.py" in complaint("exec", "-c", "print('no')", "absent.py")
    assert "absent.csv" in complaint("exec", "--preload", "", "--file", "absent.csv", "-c", "1")
    assert "absent.json" in complaint("exec", "--policy", "absent.json", "-c", "1")


def test_a_file_that_is_no_text_is_refused(complaint, tmp_path):
    (tmp_path / "binary.py").write_bytes(b"x = 1 \xff\xfe")
    assert "UTF-8" in complaint("exec", "binary.py")


@pytest.mark.parametrize(
    "text, word",
    [
        ("{", "policy.json"),
        ("[]", "policy.json"),
        ('{"timeout_s": "soon"}', "timeout_s"),
        ('{"unheard_of": 1}', "unheard_of"),
        ('{"profile": "lax"}', "profile"),
    ],
)
def test_an_invalid_policy_is_named_with_what_is_wrong(complaint, tmp_path, text, word):
    (tmp_path / "policy.json").write_text(text, encoding="utf-8")
    assert word in complaint("exec", "--policy", "policy.json", "-c", "1")
    assert word in complaint("serve", "--stdio", "--policy", "policy.json")


def test_a_missing_python_and_a_missing_package_are_named(complaint):
    assert "/absent/python" in complaint("exec", "--python", "/absent/python", "-c", "1")
    assert "/absent/python" in complaint("serve", "--stdio", "--python", "/absent/python")
    assert "no_such_package" in complaint("exec", "--preload", "no_such_package", "-c", "1")
    assert "no_such_package" in complaint("serve", "--stdio", "--preload", "no_such_package")


def test_a_log_that_cannot_be_written_is_named(complaint):
    assert "/absent/log" in complaint("exec", "--audit-log", "/absent/log", "-c", "1")


@pytest.mark.parametrize(
    ("command", "default"),
    [("exec", "default: no log"), ("repl", "audit.log in"), ("mcp", "audit.log in")],
)
def test_help_tells_where_executions_are_logged_without_a_flag(
    binary, environment, command, default
):
    told = subprocess.check_output([binary, command, "--help"], text=True, env=environment)
    assert default in " ".join(told.split())


def test_the_audit_log_of_a_server_is_private_and_can_be_left_out(binary, environment, state):
    def serve(*arguments):
        subprocess.run(
            [binary, "serve", "--stdio", "--preload", "", *arguments],
            input=b'{"jsonrpc":"2.0","id":1,"method":"engine.info"}\n',
            capture_output=True,
            check=True,
            env=environment,
            timeout=60,
        )

    serve("--no-audit-log")
    assert not state.exists()
    serve()
    assert os.stat(state / "cellblock").st_mode & 0o777 == 0o700
    assert (state / "cellblock" / "audit.log").exists()
