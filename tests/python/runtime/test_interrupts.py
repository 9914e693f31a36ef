"""SIGINT ends user code and never the machinery; signals here are real."""

from process import run_process

START = "import random, signal, threading, time\nruntime.start({'workspace': WORKSPACE})\n"


def test_a_signal_interrupts_the_cell_and_keeps_the_state(tmp_path):
    script = (
        START
        + """
threading.Timer(0.05, lambda: signal.pthread_kill(threading.main_thread().ident, 2)).start()
answer(runtime.execute("x = 10\\nwhile True: pass", 1))
answer(runtime.execute("x", 2))
"""
    )
    first, second = run_process(script, tmp_path).answers
    assert first["interrupted"] and first["status"] == "error"
    assert first["error"]["name"] == "KeyboardInterrupt" and "line 2" in first["error"]["hint"]
    assert second["text"] == "10" and not second["interrupted"]


def test_a_cell_that_swallows_an_interrupt_gets_the_next_one(tmp_path):
    script = (
        START
        + """
code = '''
import signal
n = 0
while n < 3:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        n += 1
class Shown:
    def __repr__(self):
        try: signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt: pass
        signal.raise_signal(signal.SIGINT)
for i in range(2):
    try: display(Shown())
    except KeyboardInterrupt: n += 1
signal.raise_signal(signal.SIGINT)
'''
answer(runtime.execute(code, 1))
answer(runtime.execute("n", 2))
"""
    )
    first, second = run_process(script, tmp_path).answers
    assert first["interrupted"] and second["text"] == "5"


def test_an_old_signal_does_not_hit_the_next_cell(tmp_path):
    script = (
        START
        + """
for i in range(200):
    signal.raise_signal(signal.SIGINT)
    reply = runtime.execute("x = 1", i)
    assert reply["status"] == "ok", reply
    signal.raise_signal(signal.SIGINT)
    runtime.variables()
    signal.raise_signal(signal.SIGINT)
answer("done")
"""
    )
    assert run_process(script, tmp_path).answers == ["done"]


def test_an_interrupt_while_a_result_is_shown_is_told(tmp_path):
    script = (
        START
        + """
code = '''
import signal
class Slow:
    def _repr_html_(self): signal.raise_signal(signal.SIGINT)
'''
runtime.execute(code, 1)
answer(runtime.execute("Slow()", 2))
answer(runtime.execute("class E(Exception):\\n    def __str__(self): "
                       "signal.raise_signal(signal.SIGINT)\\nraise E", 3))
runtime.execute("import asyncio\\nasync def w():\\n"
                "    signal.raise_signal(signal.SIGINT)\\n    await asyncio.sleep(9)", 4)
answer(runtime.execute("await w()", 4))
answer(runtime.execute("await asyncio.sleep(0)\\n1", 5))
"""
    )
    answers = run_process(script, tmp_path).answers
    assert answers[0]["interrupted"]
    assert answers[1]["error"]["name"] == "E"
    assert answers[2]["interrupted"]
    assert answers[3]["text"] == "1"


def test_handlers_masks_and_ignored_signals_do_not_last(tmp_path):
    script = (
        START
        + """
runtime.execute("import signal\\nsignal.signal(signal.SIGINT, signal.SIG_IGN)", 1)
runtime.execute("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 60))", 2)
answer(runtime.execute("signal.raise_signal(signal.SIGINT)", 3))
runtime.execute("def h(*a): raise RuntimeError('mine')\\nsignal.signal(signal.SIGINT, h)", 4)
answer(runtime.execute("signal.raise_signal(signal.SIGINT)", 5))
"""
    )
    for reply in run_process(script, tmp_path).answers:
        assert reply["error"]["name"] == "KeyboardInterrupt"


def test_displays_of_background_threads_leave_the_gate_shut(tmp_path):
    script = (
        START
        + """
runtime.execute("import threading, time\\nstop = threading.Event()\\n"
                "def show():\\n    while not stop.is_set(): display(1)\\n"
                "t = threading.Thread(target=show)\\nt.start()", 1)
sys.setswitchinterval(1e-5)
for i in range(2000):
    reply = runtime.execute("x = 1", i)
    signal.raise_signal(signal.SIGINT)
answer(runtime.execute("stop.set()\\nt.join()\\n'joined'", 0)["text"])
"""
    )
    assert run_process(script, tmp_path).answers == ["'joined'"]


def test_thousands_of_signals_at_random_moments_lose_no_reply(tmp_path):
    script = (
        START
        + """
cells = [
    "x = 1",
    "sum(range(2000))",
    "1 / 0",
    "def f(): return undefined_name\\nf()",
    "display([1, 2, 3])\\n{'a': 1}",
    "class E:\\n    def __repr__(self): return str(sum(range(500)))\\nE()",
    "try:\\n    y = sum(range(5000))\\nexcept KeyboardInterrupt:\\n    y = 0",
    "import asyncio\\nawait asyncio.sleep(0)",
    "for i in range(3):\\n    try: sum(range(3000))\\n    except BaseException: pass",
]
main = threading.main_thread().ident
stop = threading.Event()
count = [0]
def storm():
    while not stop.is_set():
        signal.pthread_kill(main, signal.SIGINT)
        count[0] += 1
        time.sleep(random.random() * 0.0004)
sys.setswitchinterval(1e-5)
thread = threading.Thread(target=storm)
thread.start()
outcomes = {}
end = time.monotonic() + 8
n = 0
try:
    while time.monotonic() < end:
        n += 1
        reply = runtime.execute(cells[n % len(cells)], n)
        if n % 5 == 0:
            runtime.complete("sy", 2), runtime.inspect("print", 2), runtime.is_complete("for x:")
        name = reply["error"] and reply["error"]["name"]
        assert set(reply) == {"status", "cause", "exit_code", "interrupted", "text", "error",
                              "variables", "changes", "threads"}, reply
        assert name in (None, "KeyboardInterrupt", "ZeroDivisionError", "NameError"), reply
        assert (name == "KeyboardInterrupt") <= reply["interrupted"]
        assert name is None or "session could not finish" not in reply["error"]["value"], reply
        outcomes[str(name)] = outcomes.get(str(name), 0) + 1
finally:
    stop.set()
    thread.join()
answer(outcomes)
answer(count[0])
answer(runtime.execute("'after'", 0)["text"])
"""
    )
    done = run_process(script, tmp_path)
    assert len(done.answers) == 3, done.stderr.decode()[-3000:]
    outcomes, count, after = done.answers
    assert count > 1000 and after == "'after'"
    assert min(outcomes.get(name, 0) for name in ("None", "KeyboardInterrupt", "NameError")) > 20
