"""What OpenAI-like and Anthropic-like endpoints share: sending, waiting, trying again."""

import email.utils
import http.client
import json
import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from ..errors import EndpointError, EndpointTimeout
from ..messages import Reply, Request
from .http import Answer, post_json

# Answers that may be others a little later: too many requests, and a server in trouble.
_TRY_AGAIN = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
# What a server may ask for where the request has no limit of its own.
_LONGEST_ASKED_S = 600.0
_EXCERPT = 500
# A shorter key is a placeholder, whose letters stand in other words, too.
_SHORTEST_SECRET = 8


class Endpoint(ABC):
    """A model behind HTTP. Thread-safe: a call keeps nothing.

    `retries`: how often a request that met a rate limit, a failing server or no connection is
    sent again, after the time that the server asks for, else after 0.5 s, 1 s, 2 s … A server that
    asks for more time than there is, or for over 600 s of a request without a limit, is an error.
    `timeout_s`: the most that one request may take. `options`: further members of the request's
    body, such as temperature. The key is shown nowhere.
    """

    def __init__(
        self,
        model: str,
        key: str | None,
        base_url: str,
        *,
        max_tokens: int,
        retries: int,
        timeout_s: float,
        options: Mapping[str, Any] | None,
    ) -> None:
        self.model = model
        self.takes_tools = True
        self.base_url = base_url.rstrip("/")
        self.max_tokens = max_tokens
        self.retries = retries
        self.timeout_s = timeout_s
        self.options = dict(options or {})
        self._key = key

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.base_url!r})"

    def reply(self, request: Request) -> Reply:
        """Ask the model; blocks, within the request's `timeout_s`.

        Raises EndpointError with what the endpoint said, EndpointTimeout when time was short.
        """
        ends = None if request.timeout_s is None else time.monotonic() + request.timeout_s
        notes: list[str] = []
        body = self._body(request, min(self.max_tokens, request.max_tokens or self.max_tokens))
        for attempt in range(self.retries + 1):
            answer, problem = self._send(body, ends, notes)
            if answer is not None and answer.status == 200:
                return self._read(answer, notes)
            last = attempt == self.retries
            if last or (answer is not None and answer.status not in _TRY_AGAIN):
                status = None if answer is None else answer.status
                raise EndpointError(f"{self.base_url}: {problem}", status, tuple(notes))
            wait = _wait(attempt, answer)
            self._require_patience(wait, ends, problem, answer, notes)
            notes.append(f"waited {wait:.1f} s for {self.base_url}: {problem}")
            time.sleep(wait)
        raise AssertionError("unreachable")

    def _require_patience(
        self, wait: float, ends: float | None, problem: str, answer: Answer | None, notes: list[str]
    ) -> None:
        """Raises where the wait is longer than the caller's patience."""
        status = None if answer is None else answer.status
        again = f"{self.base_url}: {problem}; it can be tried again in {wait:.1f} s, which is more"
        if ends is not None and time.monotonic() + wait >= ends:
            raise EndpointTimeout(f"{again} than the time that is left.", status, tuple(notes))
        if ends is None and wait > _LONGEST_ASKED_S:
            raise EndpointError(
                f"{again} than the {_LONGEST_ASKED_S:.0f} s that are waited without a time limit: "
                "try again later.",
                status,
                tuple(notes),
            )

    def _send(self, body: Any, ends: float | None, notes: list[str]) -> tuple[Answer | None, str]:
        """An answer and, unless it is a good one, a sentence; None when there was none."""
        limit = self.timeout_s if ends is None else min(self.timeout_s, ends - time.monotonic())
        try:
            answer = post_json(self.base_url + self._path, self._headers(), body, max(limit, 0.001))
        except TimeoutError as error:
            if ends is not None and time.monotonic() >= ends - 0.01:
                raise EndpointTimeout(f"{self.base_url}: {error}.", None, tuple(notes)) from error
            return None, str(error)
        except (OSError, http.client.HTTPException) as error:
            return None, f"no answer ({type(error).__name__}: {error})"
        except ValueError as error:
            raise EndpointError(f"{self.base_url}: {error}", None, tuple(notes)) from error
        return answer, f"HTTP {answer.status}: {self._complaint(answer)}"

    def _read(self, answer: Answer, notes: list[str]) -> Reply:
        try:
            value = json.loads(answer.body)
            if not isinstance(value, dict):
                raise ValueError("it is no JSON object")
            reply = self._to_reply(value)
        except (ValueError, RecursionError) as error:
            raise EndpointError(
                f"{self.base_url}: the answer is not what {self._api} gives ({error}); it begins "
                f"with {answer.body[:80]!r}. Check base_url.",
                answer.status,
                tuple(notes),
            ) from error
        return Reply(
            text=reply.text,
            tool_calls=reply.tool_calls,
            tokens=reply.tokens,
            cut=reply.cut,
            notes=tuple(notes),
            native=reply.native,
        )

    def _complaint(self, answer: Answer) -> str:
        """What an endpoint says of a request that it refuses, in one line, without the key."""
        try:
            value = json.loads(answer.body)
            error = value.get("error", value) if isinstance(value, dict) else value
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, RecursionError):
            text = answer.body.decode(errors="replace")
        if self._key and len(self._key) >= _SHORTEST_SECRET:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:_EXCERPT] or "no reason given"

    # --- what each API has of its own

    _api = ""
    _path = ""

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        ...

    @abstractmethod
    def _body(self, request: Request, max_tokens: int) -> dict[str, Any]:
        ...

    @abstractmethod
    def _to_reply(self, answer: dict[str, Any]) -> Reply:
        ...


def _wait(attempt: int, answer: Answer | None) -> float:
    """Seconds until the next try: what the server asks for, else more from try to try."""
    asked = None if answer is None else _retry_after(answer.headers.get("retry-after"))
    if asked is not None:
        return asked
    longest: float = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
    return longest * random.uniform(0.75, 1.0)


def _retry_after(value: str | None) -> float | None:
    """Retry-After is a number of seconds or a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())
