"""Where a session can go back, a failed attempt leaves nothing behind."""

import cellblock
import pytest
from cellblock import agent
from cellblock.agent import AgentError, StopReason
from scripts import Script, code


class Rewindable(cellblock.Session):
    """A session that goes back by running again what had been run until then."""

    def __init__(self, executor):
        super().__init__(executor=executor)
        self.cells = []
        self.rollbacks = 0

    def run(self, code, timeout_s=None, **options):
        self.cells.append(code)
        return super().run(code, timeout_s, **options)

    def checkpoint(self):
        return len(self.cells)

    def rollback(self, checkpoint):
        self.rollbacks += 1
        again, self.cells = self.cells[:checkpoint], []
        self.reset()
        for one in again:
            self.run(one)


@pytest.fixture
def session(executor):
    with Rewindable(executor) as opened:
        yield opened


def test_the_next_attempt_starts_from_the_state_before_the_failed_code(session):
    model = Script(code("n = 1"), code("n += 1\nn / 0"), code("n += 1\nn"), "2.")

    transcript = agent.run(model, "Count.", session)

    assert transcript.executions[-1].result.text == "2"
    assert [one.state for one in transcript.executions] == ["kept", "rolled_back", "kept"]
    assert "it left nothing behind" in model.asked[2][-1]["content"]
    assert transcript.notes == []
    assert session.rollbacks == 1


def test_a_session_that_says_it_cannot_is_believed(session, monkeypatch):
    asked = []

    def checkpoint():
        asked.append(1)
        raise cellblock.Unsupported("Checkpoints are not built yet.")

    monkeypatch.setattr(session, "checkpoint", checkpoint)

    transcript = agent.run(Script(code("1/0"), code("1"), "1."), "Go.", session)

    assert transcript.executions[0].state == "kept"
    assert transcript.notes == [
        "The session cannot roll back: what failed code did before its error is kept."
    ]
    assert len(asked) == 1


@pytest.mark.parametrize("method", ["checkpoint", "rollback"])
def test_a_rollback_that_fails_is_not_swallowed(session, monkeypatch, method):
    def fails(*_):
        raise cellblock.HostError("The checkpoint is gone.")

    monkeypatch.setattr(session, method, fails)

    with pytest.raises(AgentError, match="The checkpoint is gone") as caught:
        agent.run(Script(code("1/0")), "Go.", session)

    transcript = caught.value.transcript
    assert transcript.stop is StopReason.SESSION_ERROR
    assert len(transcript.executions) == (method == "rollback")
