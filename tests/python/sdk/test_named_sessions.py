"""execute_code: sessions by the caller's own names."""

import threading
import uuid

import cellblock
import pytest


@pytest.fixture(autouse=True, scope="module")
def quick(executor):
    """The shared executor of these tests needs no packages."""
    before = cellblock.default_executor()
    cellblock.set_default_executor(executor)
    yield
    cellblock.set_default_executor(before)


@pytest.fixture
def name():
    chosen = f"chat {uuid.uuid4()}"
    yield chosen
    cellblock.close_session(chosen)


def test_a_name_is_opened_once_and_keeps_its_state(name):
    first = cellblock.execute_code(name, "x = 1")
    second = cellblock.execute_code(name, "x + 1")
    assert second.text == "2"
    assert first.session_id == second.session_id


def test_names_are_apart(name):
    cellblock.execute_code(name, "x = 1")
    other = cellblock.execute_code(name + " other", "x")
    cellblock.close_session(name + " other")
    assert other.error.name == "NameError"


def test_a_name_that_is_used_at_once_is_opened_once(name):
    ids = []
    threads = [
        threading.Thread(target=lambda: ids.append(cellblock.execute_code(name, "1").session_id))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ids) == 8 and len(set(ids)) == 1


def test_the_time_is_limited(name):
    assert cellblock.execute_code(name, "while True: pass", timeout_s=0.3).status == "timeout"


def test_closing_forgets_the_state(name):
    cellblock.execute_code(name, "x = 1")
    assert cellblock.close_session(name)
    assert not cellblock.close_session(name)
    again = cellblock.execute_code(name, "x")
    assert again.error.name == "NameError"
    assert again.state == "kept"


def test_an_expired_session_is_replaced_and_that_is_told(name):
    cellblock.execute_code(name, "x = 1", policy={"idle_ttl_s": 0.2})
    for _ in range(200):
        result = cellblock.execute_code(name, "'x' in globals()", policy={"idle_ttl_s": 60})
        if result.text == "False":
            break
        threading.Event().wait(0.5)
    assert (result.status, result.text, result.state) == ("ok", "False", "lost")
    assert result.lost_names == ["x"]
    assert result.policy_events["session_expired"] == 1
    assert "its variables are gone" in result.to_model_text(2000)
    # Told once.
    assert cellblock.execute_code(name, "1").state == "kept"


def in_thread(call, *arguments):
    """Start it; returns the thread and a list that gets what it returns or raises."""
    outcome = []

    def work():
        try:
            outcome.append(call(*arguments))
        except cellblock.CellblockError as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def test_closing_a_name_while_its_code_runs_ends_the_run(name):
    cellblock.execute_code(name, "1")
    thread, outcome = in_thread(cellblock.execute_code, name, "while True: pass")
    while thread.is_alive():
        cellblock.close_session(name)
        thread.join(0.05)
    # Refused, where it was closed before the run had begun.
    refused = isinstance(outcome[0], cellblock.UnknownSession)
    assert refused or outcome[0].status == "cancelled"


def test_a_session_whose_name_is_closed_while_it_opens_is_closed(name, monkeypatch):
    opened, has_begun, may_end = [], threading.Event(), threading.Event()

    def open_session(policy):
        has_begun.set()
        assert may_end.wait(60)
        opened.append(cellblock.Session(policy))
        return opened[-1]

    monkeypatch.setattr("cellblock.named_sessions.Session", open_session)
    run, _ = in_thread(cellblock.execute_code, name, "1")
    assert has_begun.wait(60)
    close, closed = in_thread(cellblock.close_session, name)
    close.join(0.2)  # it waits in all likelihood; what is claimed holds either way
    may_end.set()
    run.join(60)
    close.join(60)
    assert closed == [True]
    assert opened[0].ended is not None


def test_names_are_text():
    with pytest.raises(TypeError, match="session_id"):
        cellblock.execute_code(7, "1")
