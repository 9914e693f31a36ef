"""`cellblock exec`: cells in order, streams, exit statuses."""

import json
import os
import select
import signal
import subprocess
import time

import pytest

PATIENCE_S = 60


@pytest.fixture
def run(binary, environment, tmp_path):
    """Run `cellblock exec` without preloaded packages, which starts faster."""

    def run_exec(*arguments, stdin=b""):
        return subprocess.run(
            [binary, "exec", "--preload", "", *arguments],
            input=stdin,
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            timeout=PATIENCE_S,
        )

    return run_exec


@pytest.fixture
def file(tmp_path):
    """Write a file into the working folder; returns its name."""

    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


def test_cells_of_flags_and_files_run_in_the_order_given(run, file):
    two, four = file("two.py", "seen.append(2)"), file("four.py", "seen.append(4)\nseen")
    done = run("-c", "seen = [1]", two, "-c", "seen.append(3)", four)
    assert (done.returncode, done.stdout) == (0, b"[1, 2, 3, 4]\n")


def test_a_dash_is_standard_input_in_its_place(run):
    done = run("-c", "x = 20", "-", "-c", "x", stdin=b"x += 1")
    assert done.stdout == b"21\n"


def test_standard_input_is_the_cell_when_none_is_given(run):
    assert run(stdin=b"6 * 7").stdout == b"42\n"


def test_code_that_looks_like_a_flag_is_code(run):
    assert run("-c", "-1").stdout == b"-1\n"


def test_streams_stay_apart_and_values_are_printed(run):
    done = run("-c", "import sys\nprint('out'); print('err', file=sys.stderr)\n'value'")
    assert done.stdout == b"out\n'value'\n"
    assert done.stderr == b"err\n"


def test_a_value_begins_a_line_of_its_own(run):
    assert run("-c", "print('no newline', end='')\n5").stdout == b"no newline\n5\n"


def test_a_pipe_gets_text_unchanged(run):
    done = run("-c", "print('\\x1b[31mred\\u202e')")
    assert done.stdout == "\x1b[31mred\u202e\n".encode()


def test_output_comes_while_the_cell_runs(binary, environment):
    code = "import time\nprint('early', flush=True)\ntime.sleep(600)"
    process = subprocess.Popen(
        [binary, "exec", "--preload", "", "-c", code], stdout=subprocess.PIPE, env=environment
    )
    try:
        assert select.select([process.stdout], [], [], PATIENCE_S)[0]
        assert os.read(process.stdout.fileno(), 100) == b"early\n"
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_an_error_stops_and_shows_its_traceback(run):
    done = run("-c", "print('one')", "-c", "1/0", "-c", "print('three')")
    assert (done.returncode, done.stdout) == (1, b"one\n")
    assert done.stderr.endswith(b"ZeroDivisionError: division by zero\n")
    assert b"\x1b" not in done.stderr


def test_keep_going_runs_the_rest_and_keeps_the_last_failure(run):
    done = run("--keep-going", "-c", "1/0", "-c", "import sys; sys.exit(9)", "-c", "print('end')")
    assert (done.returncode, done.stdout) == (9, b"end\n")


@pytest.mark.parametrize(
    "code, status",
    [
        ("pass", 0),
        ("raise ValueError", 1),
        ("def (", 1),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(7)", 7),
        ("import time; time.sleep(60)", 124),
        ("import os; os.kill(os.getpid(), 11)", 139),
    ],
)
def test_the_exit_status_says_how_it_ended(run, file, code, status):
    policy = file("policy.json", '{"import_guard": "off"}')
    assert run("--policy", policy, "--timeout", "1", "-c", code).returncode == status


def test_an_exit_with_0_is_no_failure(run):
    done = run("-c", "import sys; sys.exit()", "-c", "print('goes on')")
    assert (done.returncode, done.stdout) == (0, b"goes on\n")


def test_what_is_not_shown_and_what_came_late_is_told(run, file):
    policy = file("policy.json", '{"spool_bytes": 100000, "import_guard": "off"}')
    done = run("--policy", policy, "-c", "print('x' * 300_000)")
    assert len(done.stdout) < 200_000 and b"more bytes of stdout are not shown" in done.stderr
    thread = (
        "import threading, time\nwritten = threading.Event()\ndef late():\n    time.sleep(0.2)\n"
        "    print('from behind'); written.set()\nthreading.Thread(target=late).start()"
    )
    wait = "import os, time\nwritten.wait(30); None"
    done = run("--policy", policy, "-c", thread, "-c", wait, "-c", "1")
    assert b"from behind" in done.stdout


def test_json_is_one_result_a_line_and_nothing_else(run):
    done = run("--json", "--keep-going", "-c", "print('text')\n1/0", "-c", "x = 2\nx", "-c", "y")
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["status"] for r in results] == ["error", "ok", "error"]
    assert results[0]["stdout"] == "text\n"
    assert results[1]["text"] == "2"
    assert done.stderr == b""
    assert done.returncode == 1


def test_files_are_put_into_the_workspace(run, file):
    file("numbers.txt", "1 2 3")
    file("other.txt", "4")
    done = run(
        "--file", "numbers.txt", "--file", "other.txt:in/renamed.txt",
        "-c", "print(open('numbers.txt').read(), open('in/renamed.txt').read())",
    )  # fmt: skip
    assert done.stdout == b"1 2 3 4\n"


def test_a_large_file_arrives_whole(run, tmp_path):
    (tmp_path / "large.bin").write_bytes(bytes(range(256)) * 80_000)
    code = "d = open('large.bin', 'rb').read()\nprint(len(d), d == bytes(range(256)) * 80_000)"
    assert run("--file", "large.bin", "-c", code).stdout == b"20480000 True\n"


def test_images_are_told(run):
    code = "from matplotlib import pyplot as plt\nplt.plot([1, 2]); plt.show()"
    done = run("--timeout", "60", "-c", code)
    if b"ModuleNotFoundError" in done.stderr:
        pytest.skip("matplotlib is not installed")
    assert b"[image/png, " in done.stderr and b"--json" in done.stderr


@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_interrupts_and_a_second_one_ends(binary, environment, signals):
    stubborn = "import time\nprint('go', flush=True)\n" + (
        "time.sleep(600)"
        if signals == 1
        else "while True:\n    try:\n        time.sleep(600)\n    except KeyboardInterrupt:\n"
        "        print('caught', flush=True)"
    )
    process = subprocess.Popen(
        [binary, "exec", "--preload", "", "-c", stubborn, "-c", "print('next cell')"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout.readline() == b"go\n"
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    if signals == 2:
        assert process.stdout.readline() == b"caught\n"
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert b"next cell" not in out
    assert time.monotonic() - started < 30
