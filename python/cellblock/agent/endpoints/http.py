"""One JSON request over HTTP, with a limit on the whole of it."""

import http.client
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .connection import connection_to

MAX_ANSWER_BYTES = 32 << 20


@dataclass(frozen=True)
class Answer:
    """What came back: HTTP's status, headers with names in lower case, and the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def post_json(url: str, headers: Mapping[str, str], body: Any, timeout_s: float | None) -> Answer:
    """Send `body` as JSON and read the answer, whatever its status.

    `timeout_s` holds for the whole exchange, however slowly the other side speaks: TimeoutError.
    Raises OSError or http.client.HTTPException where there is no answer, ValueError for an
    impossible URL or too large an answer. Redirects are not followed: a key goes nowhere else.
    Proxies are taken from the environment as usual (HTTPS_PROXY, NO_PROXY, …).
    """
    connection, target, own_headers = connection_to(url, timeout_s)
    late = threading.Event()

    def give_up() -> None:
        late.set()
        connection.abort()

    watch = threading.Timer(timeout_s, give_up) if timeout_s is not None else None
    if watch is not None:
        watch.daemon = True
        watch.start()
    try:
        connection.request(
            "POST",
            target,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Accept": "application/json"}
            | own_headers
            | dict(headers),
        )
        response = connection.getresponse()
        data = response.read(MAX_ANSWER_BYTES + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            raise _late(timeout_s) from error
        raise
    finally:
        if watch is not None:
            watch.cancel()
        connection.close()
    if late.is_set():
        raise _late(timeout_s)
    if len(data) > MAX_ANSWER_BYTES:
        raise ValueError(f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
    lower = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status, lower, data)


def _late(timeout_s: float | None) -> TimeoutError:
    return TimeoutError(f"there was no whole answer within {timeout_s or 0:.1f} s")
