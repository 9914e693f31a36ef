"""How results show themselves in notebooks.

What a session says is hostile. Text is escaped, pictures are data URLs (a browser runs no script of
an SVG in ``<img>``), and HTML stands in a frame whose sandbox allows nothing and whose content
security policy forbids every request, so that it can neither act nor tell anybody what it knows.
"""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .display import DisplayData
    from .result import ExecutionResult

_CONTENT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'"
)
_FRAME_HEAD = (
    "<!DOCTYPE html>"
    f'<meta http-equiv="Content-Security-Policy" content="{_CONTENT_POLICY}">'
    '<meta http-equiv="x-dns-prefetch-control" content="off">'
    '<meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    "<style>body{font:13px sans-serif;margin:4px}table{border-collapse:collapse}"
    "td,th{padding:2px 6px;text-align:right}</style>"
)
_LONGEST_FRAME = 480  # pixels


def shortened(text: str, limit: int = 200) -> str:
    """The text with its middle left out."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[-limit // 2 :]}"


def _text(text: str, style: str = "") -> str:
    return f'<pre style="{style}">{html.escape(text)}</pre>'


def _picture(mime: str, data: bytes) -> str:
    return f'<img src="data:{mime};base64,{base64.b64encode(data).decode()}">'


def _frame(page: str) -> str:
    # The frame cannot tell its own height: scripts are off.
    height = min(_LONGEST_FRAME, 60 + 24 * page.count("<tr") + 18 * page.count("\n"))
    return (
        f'<iframe sandbox="" referrerpolicy="no-referrer" srcdoc="{html.escape(_FRAME_HEAD + page)}" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def html_of_display(data: DisplayData) -> str:
    """One display, in the best form that is safe."""
    if data.png is not None:
        return _picture("image/png", data.png)
    if data.jpeg is not None:
        return _picture("image/jpeg", data.jpeg)
    if data.svg is not None:
        return _picture("image/svg+xml", data.svg.encode())
    if data.html is not None:
        return _frame(data.html)
    return _text(data.text or "")


def html_of_result(result: ExecutionResult) -> str:
    """A whole result: what was written, shown and went wrong, in that order."""
    parts = []
    if result.stdout:
        parts.append(_text(result.stdout))
    if result.stderr:
        parts.append(_text(result.stderr, "background:#fdd;color:#000"))
    parts += [html_of_display(data) for data in result.results]
    if result.error is not None:
        error = result.error
        text = error.traceback or f"{error.name}: {error.value}"
        if error.hint:
            text += f"\n{error.hint}"
        parts.append(_text(text, "background:#fdd;color:#000"))
    elif result.status != "ok":
        parts.append(_text(f"{result.status} ({result.cause})", "background:#fdd;color:#000"))
    return f"<div>{''.join(parts)}</div>"
