"""What a run raises."""

from .transcript import Transcript


class AgentError(Exception):
    """The model or the session failed, not the code. `transcript` has what was done until then,
    its `stop` says which of them; the cause is chained."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(transcript.error)
        self.transcript = transcript


class EndpointError(Exception):
    """A model's endpoint did not answer, or not as its API says. `status` is HTTP's, None where
    there was no answer; `notes` what was tried before."""

    def __init__(
        self, message: str, status: int | None = None, notes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.notes = notes


class EndpointTimeout(EndpointError, TimeoutError):
    """There was not enough time left for the endpoint to answer."""
