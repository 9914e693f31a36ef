"""The way of display data to the host: the only user of the builtin module `_cellblock_session`.

`outbox` is process-wide, because display() may be called from any thread of the session.
"""

import _cellblock_session

from .own_builtins import __builtins__  # noqa: F401

_PLAIN_TEXT = "text/plain"


class Outbox:
    """Sends bundles in order and keeps the results of one execution within their limit."""

    def __init__(self, transmit):
        self.transmit = transmit
        self.limit = self.left = 10 * 1024 * 1024

    def begin(self, limit):
        """Start a new execution that may send `limit` bytes."""
        self.limit = self.left = limit

    def send(self, bundle, is_main_result=False):
        """Send one bundle at once; what is over the limit is left out and told in its text."""
        mime, attachments = self._fitting(bundle)
        body = {
            "mime": mime,
            "attachments": [kind for kind, _ in attachments],
            "chart": bundle.chart,
            "is_main_result": is_main_result,
        }
        self.transmit(body, [data for _, data in attachments])

    def _fitting(self, bundle):
        mime, attachments, omitted = {}, [], []
        for kind, data in bundle.mime.items():
            if self._take(_size(data)):
                mime[kind] = data
            else:
                omitted.append(kind)
        for kind, data in bundle.images:
            if self._take(len(data)):
                attachments.append((kind, data))
            else:
                omitted.append(kind)
        if omitted:
            text = mime.get(_PLAIN_TEXT, "")
            note = f"[left out: {', '.join(omitted)}; one run may show {self.limit:,} bytes]"
            mime[_PLAIN_TEXT] = f"{text}\n{note}" if text else note
        return mime, attachments

    def _take(self, size):
        if size > self.left:
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
