"""The way of display data to the host: the only user of the builtin module `_cellblock_session`.

`outbox` is process-wide, because display() may be called from any thread of the session.
"""

import _cellblock_session

from .own_builtins import __builtins__  # noqa: F401
from .text import cut

_PLAIN_TEXT = "text/plain"
_MIB = 1024 * 1024
# One format of one result; text/plain has the policy's max_text_bytes.
_MOST = {
    "text/html": 2 * _MIB,
    "text/markdown": _MIB // 4,
    "text/latex": _MIB // 16,
    "image/svg+xml": 2 * _MIB,
    "application/json": _MIB,
}
_MOST_OF_OTHERS = 5 * _MIB
_CUT = frozenset(("text/markdown",))  # what is still readable when its middle is missing


class Outbox:
    """Sends bundles in order and keeps the results of one execution within their limit."""

    def __init__(self, transmit):
        self.transmit = transmit
        self.limit = self.left = 10 * _MIB
        self.sizes = {}  # {display_id: bytes} of this execution
        self.clears_first = False

    def begin(self, limit):
        """Start a new execution that may send `limit` bytes."""
        self.limit = self.left = limit
        self.clears_first = False
        if self.sizes:
            self.sizes = {}

    def send(self, bundle, is_main_result=False, display_id=None, is_update=False):
        """Send one bundle at once; what is over a limit is left out and told in its text."""
        if self.clears_first:
            self.clear()
        if display_id is not None:
            self.left += self.sizes.pop(display_id, 0) if is_update else 0
        before = self.left
        mime, attachments, chart = self._fitting(bundle)
        body = {
            "mime": mime,
            "attachments": [kind for kind, _ in attachments],
            "chart": chart,
            "is_main_result": is_main_result,
        }
        if display_id is not None:
            body["display_id"] = display_id
            self.sizes[display_id] = before - self.left
        if is_update:
            body["operation"] = "update"
        self.transmit(body, [data for _, data in attachments])

    def clear(self):
        """Take back the results that this execution has sent so far."""
        self.begin(self.limit)
        body = {"mime": {}, "attachments": [], "chart": None, "is_main_result": False}
        self.transmit({**body, "operation": "clear"}, [])

    def clear_before_next(self):
        """The same as soon as there is a result to put in their place."""
        self.clears_first = True

    def _fitting(self, bundle):
        mime, attachments, notes = {}, [], list(bundle.notes)
        for kind, data in bundle.mime.items():
            if kind in _CUT:
                data = cut(data, _MOST[kind])
            if self._take(kind, _size(data), notes):
                mime[kind] = data
        for kind, data in bundle.images:
            if self._take(kind, len(data), notes):
                attachments.append((kind, data))
        chart = bundle.chart
        if chart is not None and not self._take("chart", _size(chart), notes):
            chart = None
        if notes:
            text = mime.get(_PLAIN_TEXT, "")
            note = f"[left out: {'; '.join(notes)}]"
            mime[_PLAIN_TEXT] = f"{text}\n{note}" if text else note
        return mime, attachments, chart

    def _take(self, kind, size, notes):
        most = _MOST.get(kind, _MOST_OF_OTHERS)
        if size > most:
            notes.append(f"{kind} of {size:,} bytes, at most {most:,} are shown")
            return False
        if size > self.left:
            notes.append(f"{kind}, one run may show {self.limit:,} bytes")
            return False
        self.left -= size
        return True


def _size(data):
    if type(data) is str:
        return len(data) if data.isascii() else len(data.encode("utf-8", "surrogatepass"))
    if type(data) is dict:
        return sum(_size(key) + _size(item) for key, item in data.items()) + 2
    if type(data) is list:
        return sum(map(_size, data)) + 2
    return 8


outbox = Outbox(_cellblock_session.send_display)
