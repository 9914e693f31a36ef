"""The interactive REPL at a pseudo-terminal."""

import os
import signal
import subprocess

import pytest
from terminal import Terminal

PROMPT = ">>> "
MORE = "... "
CTRL_C, CTRL_D, UP, TAB = "\x03", "\x04", "\x1b[A", "\t"


@pytest.fixture
def start(binary, environment):
    """Start a REPL; it is at its prompt."""
    terminals = []

    def start_repl(*arguments, **variables):
        terminal = Terminal([binary, "repl", *arguments], {**environment, **variables})
        terminals.append(terminal)
        terminal.expect(PROMPT)
        return terminal

    yield start_repl
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def repl(start):
    """A REPL without preloaded packages, which starts faster."""
    return start("--preload", "")


def enter(repl, line, shows):
    """Type a line and wait for what the cell shows and for the next prompt."""
    repl.type(line + "\r")
    repl.expect(shows)
    return repl.expect(PROMPT)


def test_values_and_output_are_shown_and_state_is_kept(repl):
    enter(repl, "x = 20", "")
    enter(repl, "x + 1", "21\r\n")
    enter(repl, "print('hello', x)", "hello 20\r\n")


def test_without_a_command_the_repl_starts(binary, environment):
    terminal = Terminal([binary], environment)
    try:
        assert "Cellblock" in terminal.expect(PROMPT)
    finally:
        terminal.close()


def test_a_block_goes_on_until_an_empty_line_and_is_indented(repl):
    repl.type("for i in range(3):\r")
    repl.expect(MORE)
    repl.type("j = i * 11\r")
    repl.expect(MORE)
    repl.type("print(j)\r")
    repl.expect(MORE)
    enter(repl, "", "0\r\n11\r\n22\r\n")


def test_open_brackets_and_strings_go_on(repl):
    repl.type("[1,\r")
    repl.expect(MORE)
    enter(repl, "2]", "[1, 2]\r\n")
    repl.type("'''a\r")
    repl.expect(MORE)
    enter(repl, "b'''", "'a\\nb'\r\n")


def test_pasted_blocks_are_taken_as_they_are(repl):
    block = "def f(n):\r    if n:\r        return n * 2\r    return 0\r\rf(21)\r"
    repl.type(block)
    repl.expect("42\r\n")
    repl.expect(PROMPT)
    repl.type("\x1b[200~def g():\n    return 1\n\n\n    \nx = g() + 6\n\x1b[201~")
    enter(repl, "", "")
    enter(repl, "x", "7\r\n")


def test_an_error_shows_its_traceback_in_colour_only_when_wanted(repl, start):
    repl.type("1/0\r")
    assert "\x1b[31m" in repl.expect("ZeroDivisionError: division by zero")
    plain = start("--preload", "", NO_COLOR="1")
    plain.type("1/0\r")
    assert "\x1b[31m" not in plain.expect("ZeroDivisionError: division by zero")


def test_tab_completes_names_of_the_session(repl):
    enter(repl, "temperature = 36.6", "")
    repl.type("temper" + TAB)
    repl.expect("ature")
    enter(repl, " * 10", "366.0\r\n")
    enter(repl, "class Box: pass", "")
    enter(repl, "box = Box(); box.width = 3; box.weight = 4", "")
    repl.type("box.w" + TAB)
    listed = repl.expect(PROMPT)
    assert "weight" in listed and "width" in listed
    enter(repl, "idth", "3\r\n")


def test_tab_completes_after_wide_characters_and_in_later_lines(repl):
    enter(repl, "naïve_name = 5", "")
    repl.type("s = '日本語', naïve" + TAB)
    enter(repl, "", "")
    enter(repl, "s[1]", "5\r\n")
    repl.type("if True:\r")
    repl.expect(MORE)
    repl.type("print(naïve_n" + TAB + " + 1)\r")
    repl.expect(MORE)
    enter(repl, "", "6\r\n")


def test_tab_on_an_empty_line_indents(repl):
    repl.type("if True:\r")
    repl.expect(MORE)
    repl.type("if True:\r")
    repl.expect(MORE)
    repl.type(TAB + "print('deep')\r")
    repl.expect(MORE)
    enter(repl, "", "deep\r\n")


def test_unicode_can_be_edited(repl):
    repl.type("'grüßX\x7fe 📈'\r")
    repl.expect("'grüße 📈'\r\n")


def test_ctrl_c_at_the_prompt_clears_the_line(repl):
    repl.type("raise SystemError" + CTRL_C)
    repl.expect(PROMPT)
    repl.type("for i in x:\r")
    repl.expect(MORE)
    repl.type(CTRL_C)
    repl.expect(PROMPT)
    enter(repl, "1 + 1", "2\r\n")


def test_ctrl_c_interrupts_the_cell_and_keeps_the_state(repl):
    enter(repl, "kept = 'still here'", "")
    repl.type("import time; print('going', flush=True); time.sleep(600)\r")
    repl.expect("going\r\n")
    repl.type(CTRL_C)
    repl.expect("KeyboardInterrupt")
    repl.expect(PROMPT)
    enter(repl, "kept", "'still here'\r\n")


def test_more_ctrl_c_waits_for_the_end_of_a_stubborn_cell(repl):
    stubborn = r"exec('while 1:\n try: time.sleep(600)\n except BaseException: print(\'no\')')"
    repl.type("import time; print('going', flush=True); " + stubborn + "\r")
    repl.expect("going\r\n")
    for _ in range(2):
        repl.type(CTRL_C)
        repl.expect("no\r\n")
    repl.expect(PROMPT)
    enter(repl, "1 + 1", "2\r\n")


def test_what_is_typed_while_a_cell_runs_is_taken_afterwards(repl):
    repl.type("import time; print('going', flush=True); time.sleep(0.5)\r")
    repl.expect("going\r\n")
    repl.type("6 * 7\r" + CTRL_D + "5 + 5\r")
    repl.expect("42\r\n")
    repl.expect(PROMPT)
    repl.expect("10\r\n")


def test_ctrl_d_and_exit_leave(repl, start):
    repl.type(CTRL_D)
    assert repl.wait() == 0
    other = start("--preload", "")
    other.type("exit()\r")
    assert other.wait() == 0


def test_a_hangup_leaves(repl):
    os.kill(repl.process.pid, signal.SIGHUP)
    assert repl.wait() == 128 + signal.SIGHUP


def test_history_lasts_with_entries_of_several_lines(start, state):
    first = start("--preload", "")
    first.type("for i in range(2):\r")
    first.expect(MORE)
    first.type("print('loop', i)\r")
    first.expect(MORE)
    enter(first, "", "loop 0\r\nloop 1\r\n")
    first.type(CTRL_D)
    first.wait()
    history = state / "cellblock" / "history"
    assert os.stat(history).st_mode & 0o777 == 0o600

    second = start("--preload", "")
    second.type(UP)
    second.expect("print('loop', i)")
    second.type("\r")
    second.expect(MORE)
    enter(second, "", "loop 0\r\nloop 1\r\n")


def test_what_a_cell_prints_cannot_drive_the_terminal(repl):
    seen = enter(repl, r"print('\x1b]0;title\a\x1b[2J\x9b31m\u202eabc\rdef')", "")
    assert r"\x1b]0;title\x07\x1b[2J\x9b31m\u202eabc\rdef" in seen
    enter(repl, r"raise ValueError('\x1b[2J')", r"ValueError: \x1b[2J")
    evil = r"type('E', (), {'__repr__': lambda s: '\x1b[2Jevil'})()"
    enter(repl, evil, "\\x1b[2Jevil\r\n")


def test_commands(repl, tmp_path):
    enter(repl, ":vars", "No variables")
    enter(repl, "n = 3", "")
    enter(repl, "1/0", "ZeroDivisionError")
    enter(repl, ":vars", "n: int")
    enter(repl, ":nonsense", ":help")
    enter(repl, ":help", ":write FILE")
    enter(repl, ":run", "needs a file")
    enter(repl, ":time n * 2", "6\r\nwall ")
    enter(repl, ":time", "shown")
    enter(repl, "n", "3\r\nwall ")
    enter(repl, ":time", "not shown")

    script = tmp_path / "script.py"
    script.write_text("def double(v):\n    return 2 * v\nn = double(n)\n", encoding="utf-8")
    enter(repl, f":run {script}", "")
    enter(repl, "n", "6\r\n")
    enter(repl, f":run {tmp_path}/absent.py", "absent.py")

    written = tmp_path / "cells.py"
    enter(repl, f":write {written}", "cells")
    text = written.read_text(encoding="utf-8")
    assert "n = 3" in text and "double" in text and "1/0" not in text
    compile(text, "cells.py", "exec")

    enter(repl, ":reset", "again")
    enter(repl, "n", "NameError")


def test_lost_state_is_told(start, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"import_guard": "off"}', encoding="utf-8")
    repl = start("--preload", "", "--policy", str(policy))
    enter(repl, "precious = 1", "")
    repl.type("import os; os.kill(os.getpid(), 9)\r")
    assert "precious" in repl.expect(PROMPT)
    enter(repl, "1 + 1", "2\r\n")


def test_pictures_are_written_and_named(start):
    repl = start()
    repl.type("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()\r")
    shown = repl.expect(PROMPT)
    if "ModuleNotFoundError" in shown:
        pytest.skip("matplotlib is not installed")
    path = shown.split("[image/png: ")[1].split("]")[0]
    with open(path, "rb") as picture:
        assert picture.read(4) == b"\x89PNG"


def test_without_a_terminal_standard_input_is_one_cell(binary, environment):
    done = subprocess.run(
        [binary, "repl", "--preload", ""],
        input=b"def f():\n    return 6\n\nf() * 7\n",
        capture_output=True,
        env=environment,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"42\n", b"")


def test_a_session_past_its_lifetime_says_so_and_what_to_do(start, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"session_ttl_s": 1}')
    repl = start("--preload", "", "--policy", str(policy))
    enter(repl, "import time; time.sleep(60)", "SessionExpired: The session's lifetime of 1 s")
    enter(repl, "1", "(session_ttl_s) is over: open a new session.")


PLOT = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()"


@pytest.mark.parametrize(
    "protocol, beginning",
    [("kitty", "\x1b_Ga=T"), ("iterm2", "\x1b]1337;File="), ("sixel", "\x1bPq")],
)
def test_pictures_are_shown_by_a_terminal_that_can(start, protocol, beginning):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    repl = start("--preload", "matplotlib", CELLBLOCK_PICTURES=protocol)
    enter(repl, PLOT, beginning)


def test_a_picture_that_the_terminal_cannot_show_is_written_and_named(start):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    repl = start("--preload", "matplotlib")
    repl.type(PLOT + "\r")
    repl.expect("[image/png: ")
    path = repl.expect("]")
    with open(path, "rb") as picture:
        assert picture.read(4) == b"\x89PNG"


def test_tables_fit_the_terminals_width(start):
    pytest.importorskip("pandas", reason="python3-pandas is not installed")
    repl = start("--preload", "pandas")
    repl.type("import pandas as pd; pd.DataFrame([range(30)]).add_prefix('column_')\r")
    repl.expect("column_0 ")  # of the table; the line that was typed has no number
    shown = repl.expect("[1 rows x 30 columns")
    assert max(len(line) for line in shown.split("\r\n")) <= 100
    assert len(shown.split("\r\n")) > 6
    assert "column_29" in shown
