"""`--python`: a virtual environment of the embedded minor version, and nothing else."""

import subprocess

import pytest

PATIENCE_S = 60


@pytest.fixture
def run(binary, environment, tmp_path):
    def run_exec(*arguments):
        return subprocess.run(
            [binary, "exec", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=PATIENCE_S,
        )

    return run_exec


@pytest.fixture
def virtual_environment(run, tmp_path):
    """One with a package of its own, and without the system's."""
    folder = tmp_path / "venv"
    # Of the version that is embedded.
    base = run("-c", "import sys\nprint(sys._base_executable)").stdout.strip()
    # Its tools are not needed, so the system's ensurepip is not either.
    subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python3.*/site-packages"))
    (packages / "of_its_own.py").write_text("answer = 42\n")
    return folder


def test_a_session_sees_the_virtual_environment_and_its_packages(
    run, virtual_environment, tmp_path
):
    policy = tmp_path / "policy.json"
    policy.write_text('{"allowed_imports": ["sys", "of_its_own"]}')
    done = run(
        "--python",
        virtual_environment / "bin/python",
        "--policy",
        policy,
        "-c",
        "import sys, of_its_own\nprint(sys.prefix, of_its_own.answer)",
    )
    assert done.stdout == f"{virtual_environment} 42\n", done.stderr
    assert done.returncode == 0


def test_the_systems_packages_are_not_in_it(run, virtual_environment):
    python = virtual_environment / "bin/python"
    done = run("--python", python, "--preload", "numpy", "-c", "1")
    assert done.returncode == 2
    assert "numpy" in done.stderr and done.stderr.count("\n") == 1


def script(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def test_a_script_that_starts_a_python_stands_for_that_python(run, virtual_environment, tmp_path):
    python = virtual_environment / "bin/python"
    shim = script(tmp_path / "python3", f'exec "{python}" "$@"')
    done = run("--python", shim, "-c", "import sys\nprint(sys.executable, sys.prefix)")
    assert done.stdout == f"{python} {virtual_environment}\n", done.stderr


def test_a_script_that_hides_its_python_is_refused_in_a_line(run, virtual_environment, tmp_path):
    version = run("-c", "import sys\nprint('%d.%d' % sys.version_info[:2])").stdout.strip()
    for number, hidden in enumerate(("", f'printf %s "{tmp_path}/0"')):
        shim = script(tmp_path / str(number), f"echo cpython {version}", hidden)
        done = run("--python", shim, "-c", "1")
        assert done.returncode == 2
        assert f"{shim} is a script" in done.stderr and done.stderr.count("\n") == 1


def test_another_implementation_of_a_minor_version_is_refused_in_a_line(run, tmp_path):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho cpython 3.6\n")
    other.chmod(0o755)
    done = run("--python", other, "-c", "1")
    assert done.returncode == 2
    assert str(other) in done.stderr and done.stderr.count("\n") == 1
