"""print() in a session: one write for each call, and otherwise what the built-in does."""

from process import run_process

# Datagrams keep writes apart.
START = """
import socket
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
os.dup2(theirs.fileno(), 1)
runtime.preload([])
runtime.start({"workspace": WORKSPACE})
def written_by(code):
    reply = runtime.execute(code, 1)
    ours.setblocking(False)
    writes = []
    try:
        while True:
            writes.append(ours.recv(65536).decode())
    except BlockingIOError:
        pass
    answer([writes, reply["error"]])
"""


def writes_of(code, tmp_path):
    done = run_process(START + f"written_by({code!r})", tmp_path)
    assert done.code == 0, done.stderr
    return done.answers[0]


def test_each_print_is_one_write(tmp_path):
    code = "print('a', 1, None, sep='-', end='!\\n')\nprint()\nprint('x', 'y')"
    assert writes_of(code, tmp_path) == [["a-1-None!\n", "\n", "x y\n"], None]


def test_a_print_of_nothing_writes_nothing(tmp_path):
    assert writes_of("print('', end='')", tmp_path) == [[], None]


def test_what_comes_before_an_argument_that_cannot_be_printed_is_printed(tmp_path):
    code = "class Bad:\n    def __str__(self):\n        return 1 / 0\nprint('before', Bad())"
    writes, error = writes_of(code, tmp_path)
    assert writes == ["before "]
    assert error["name"] == "ZeroDivisionError"
    assert "whole_print" not in error["traceback"]


def test_a_wrong_separator_is_refused_as_ever(tmp_path):
    writes, error = writes_of("print('a', sep=1)", tmp_path)
    assert writes == []
    assert error["name"] == "TypeError"


def test_a_print_to_another_stream_goes_there(tmp_path):
    code = (
        "import io\nbuffer = io.StringIO()\nprint('kept', file=buffer)\n"
        "print(buffer.getvalue() * 2)"
    )
    assert writes_of(code, tmp_path) == [["kept\nkept\n\n"], None]


def test_a_print_to_a_stream_that_the_user_put_in_place_goes_there(tmp_path):
    code = (
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    print('caught')\nprint(repr(out.getvalue()))"
    )
    assert writes_of(code, tmp_path) == [["'caught\\n'\n"], None]
