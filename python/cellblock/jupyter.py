"""How results show themselves in notebooks.

What a session says is hostile. Text is escaped, pictures are data URLs (a browser runs no script of
an SVG in ``<img>``), and HTML stands in a frame whose sandbox allows nothing and whose content
security policy forbids every request, so that it can neither act nor tell anybody what it knows.
"""

from __future__ import annotations

import base64
from collections.abc import Container
from html import escape
from typing import TYPE_CHECKING, Any

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
_ALARM = "background:#fdd;color:#000"


def shortened(text: str, limit: int = 200) -> str:
    """The text with its middle left out."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}…{text[-limit // 2 :]}"


def _text(text: str, style: str = "") -> str:
    return f'<pre style="{style}">{escape(text)}</pre>'


def _picture(mime: str, data: bytes) -> str:
    return f'<img src="data:{mime};base64,{base64.b64encode(data).decode()}">'


def _frame(page: str) -> str:
    # The frame cannot tell its own height: scripts are off.
    height = min(_LONGEST_FRAME, 60 + 24 * page.count("<tr") + 18 * page.count("\n"))
    return (
        f'<iframe sandbox="" referrerpolicy="no-referrer" '
        f'style="width:100%;height:{height}px;border:0" '
        f'srcdoc="{escape(_FRAME_HEAD + page)}"></iframe>'
    )


def html_of_forms(
    *,
    png: bytes | None,
    jpeg: bytes | None,
    svg: str | None,
    html: str | None,
    text: str | None,
) -> str:
    """One display, in the best form that is safe."""
    if png is not None:
        return _picture("image/png", png)
    if jpeg is not None:
        return _picture("image/jpeg", jpeg)
    if svg is not None:
        return _picture("image/svg+xml", svg.encode())
    if html is not None:
        return _frame(html)
    return _text(text or "")


def html_of_display(data: DisplayData) -> str:
    """One display."""
    return html_of_forms(png=data.png, jpeg=data.jpeg, svg=data.svg, html=data.html, text=data.text)


def _why_it_ended(result: ExecutionResult) -> str:
    """Nothing where all went well."""
    lines = []
    if result.status not in ("ok", "error"):
        lines.append(f"{result.status} ({result.cause})")
    if (error := result.error) is not None:
        lines.append(error.traceback or f"{error.name}: {error.value}")
        lines.append(error.hint or "")
    return "\n".join(lines).strip()


def html_of_result(result: ExecutionResult) -> str:
    """A whole result: what was written, shown and went wrong, in that order."""
    parts = []
    if result.stdout:
        parts.append(_text(result.stdout))
    if result.stderr:
        parts.append(_text(result.stderr, _ALARM))
    parts += [html_of_display(data) for data in result.results]
    if why := _why_it_ended(result):
        parts.append(_text(why, _ALARM))
    return f"<div>{''.join(parts)}</div>"


def bundle_of(
    shown: DisplayData | ExecutionResult,
    include: Container[str] | None,
    exclude: Container[str] | None,
) -> dict[str, Any]:
    """The forms that a viewer may choose from, binary ones in base64.

    The page, and what cannot act as it is: pictures without scripts, a JSON value, and a repr, in
    which nothing can move a terminal's cursor.
    """
    bundle: dict[str, Any] = {"text/plain": repr(shown), "text/html": shown._repr_html_()}
    for mime, picture in (("image/png", shown.png), ("image/jpeg", shown.jpeg)):
        if picture is not None:
            bundle[mime] = base64.b64encode(picture).decode()
    if shown.json is not None:
        bundle["application/json"] = shown.json
    wanted = [mime for mime in bundle if not include or mime in include]
    return {mime: bundle[mime] for mime in wanted if not exclude or mime not in exclude}
