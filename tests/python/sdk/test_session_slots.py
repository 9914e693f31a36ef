"""Sessions by name, where opening, running and closing meet. The sessions here are stand-ins."""

import threading

import pytest
from cellblock import Expired, UnknownSession
from cellblock.result import ExecutionResult
from cellblock.session_slots import SessionSlots

PATIENCE_S = 60


class StandIn:
    """What the slots need of a session."""

    def __init__(self):
        self.ended = None

    def close(self):
        self.ended = self.ended or UnknownSession("closed")


class SlowOpening:
    """Opens a stand-in when it is told to."""

    def __init__(self):
        self.has_begun = threading.Event()
        self.may_end = threading.Event()
        self.made = []

    def __call__(self):
        self.has_begun.set()
        assert self.may_end.wait(PATIENCE_S)
        self.made.append(StandIn())
        return self.made[-1]


def in_thread(call, *arguments):
    """Start it; returns the thread and a list that gets what it returns or raises."""
    outcome = []

    def work():
        try:
            outcome.append(call(*arguments))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, outcome


def opened(slots, name, opening=StandIn):
    with slots.using(name) as slot:
        return slot.open(opening)


def result_with(*names):
    variables = [{"name": name, "type": "int", "summary": ""} for name in names]
    return ExecutionResult.from_dict({"status": "ok", "variables": variables})


def test_a_slow_opening_delays_no_other_name():
    slots, slow = SessionSlots(), SlowOpening()
    waiting, _ = in_thread(opened, slots, "slow", slow)
    assert slow.has_begun.wait(PATIENCE_S)

    other, outcome = in_thread(opened, slots, "other")
    other.join(PATIENCE_S)
    slow.may_end.set()
    waiting.join(PATIENCE_S)

    assert isinstance(outcome[0], StandIn) and slow.made


def test_a_name_that_is_used_at_once_is_opened_once():
    slots, slow = SessionSlots(), SlowOpening()
    both = [in_thread(opened, slots, "one", slow) for _ in range(2)]
    slow.may_end.set()
    for thread, _ in both:
        thread.join(PATIENCE_S)

    assert len(slow.made) == 1
    assert [outcome for _, (outcome,) in both] == slow.made * 2


@pytest.mark.parametrize("close", [lambda slots: slots.close("one"), SessionSlots.close_all])
def test_what_is_being_opened_when_it_is_closed_is_closed_too(close):
    slots, slow = SessionSlots(), SlowOpening()
    opener, _ = in_thread(opened, slots, "one", slow)
    assert slow.has_begun.wait(PATIENCE_S)
    closer, _ = in_thread(close, slots)
    closer.join(0.2)  # it has begun in all likelihood; what is claimed holds either way
    slow.may_end.set()
    opener.join(PATIENCE_S)
    closer.join(PATIENCE_S)

    assert [session.ended is not None for session in slow.made] == [True]


def test_whoever_held_a_slot_that_was_closed_opens_nothing_in_it():
    slots = SessionSlots()
    with slots.using("one") as slot:
        slots.close("one")
        with pytest.raises(UnknownSession, match="call again"):
            slot.open(StandIn)

    assert opened(slots, "one").ended is None


def test_after_close_all_nothing_is_opened():
    slots = SessionSlots()
    session = opened(slots, "one")
    slots.close_all()
    slots.close_all()

    assert session.ended is not None
    with pytest.raises(UnknownSession):
        opened(slots, "two")


def test_an_opening_that_fails_is_tried_again():
    def fail():
        raise RuntimeError("no room")

    slots = SessionSlots()
    with pytest.raises(RuntimeError, match="no room"):
        opened(slots, "one", fail)

    assert isinstance(opened(slots, "one"), StandIn)


def test_what_was_lost_with_a_session_is_told_once_however_many_names_came_between():
    slots = SessionSlots()
    with slots.using("one") as slot:
        first = slot.open(StandIn)
        assert slot.has_run(result_with("x")) is None
    first.ended = Expired("idle")
    for other in range(10):
        opened(slots, f"other {other}")

    with slots.using("one") as slot:
        assert slot.open(StandIn) is not first
        assert slot.has_run(result_with()) == ["x"]
        assert slot.has_run(result_with()) is None


def test_names_whose_sessions_have_ended_are_forgotten_in_the_end_but_none_in_use():
    slots = SessionSlots()
    kept = opened(slots, "kept")
    with slots.using("in use") as slot:
        for other in range(2_000):
            opened(slots, f"other {other}").close()
        used = slot.open(StandIn)

    assert len(slots._slots) < 1_100
    assert opened(slots, "kept") is kept and opened(slots, "in use") is used
