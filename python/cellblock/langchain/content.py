"""What a ToolMessage holds of a result."""

from __future__ import annotations

from typing import Any

from cellblock import ExecutionResult

_PICTURES = ("image/png", "image/jpeg")


def content_of(result: ExecutionResult, text: str, images: int) -> str | list[dict[str, Any]]:
    """The text, and behind it as content blocks the first ``images`` pictures that were shown.

    Text alone where there is no picture: every model takes that.
    """
    pictures = [block for shown in result.to_dict()["results"] for block in _pictures(shown)]
    if not pictures or images == 0:
        return text
    if len(pictures) > images:
        text += f"\n[{len(pictures) - images} more images are not shown here]"
    return [{"type": "text", "text": text}, *pictures[:images]]


def _pictures(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """One block for what was shown, in LangChain's standard form."""
    for kind in _PICTURES:
        if kind in shown["mime"]:
            return [{"type": "image", "base64": shown["mime"][kind], "mime_type": kind}]
    return []
