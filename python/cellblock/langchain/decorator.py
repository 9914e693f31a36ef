"""Tools of one's own that run code in a session."""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from langchain_core.tools import StructuredTool

from cellblock import ExecutionResult
from cellblock.quoting import quote

from .content import content_of
from .result_tool import ResultTool


class _ResultStructuredTool(ResultTool, StructuredTool):
    pass


def tool(
    function: Callable[..., Any] | None = None,
    *,
    images: int = 4,
    result_bytes: int = 16_384,
    **options: Any,
) -> Any:
    """As LangChain's `tool`, for a function that returns an ExecutionResult:

        @tool
        def monthly_sales(month: int) -> ExecutionResult:
            "Sales of a month, with a chart."
            return session.run(f"report({month!r})")

    The model reads the result's text and sees at most `images` of its pictures; the artifact is its
    JSON form. The function may be a coroutine function. `options` are those of
    StructuredTool.from_function (`name`, `description`, `args_schema`, …).
    """
    if function is None:
        return functools.partial(tool, images=images, result_bytes=result_bytes, **options)

    name = getattr(function, "__name__", "the function")

    def shown(result: Any) -> tuple[Any, dict[str, Any]]:
        if not isinstance(result, ExecutionResult):
            raise TypeError(
                f"{name} gave a {type(result).__name__}: a "
                "function for this decorator returns an ExecutionResult."
            )
        text = quote(result.to_model_text(result_bytes))
        return content_of(result, text, images), result.to_dict()

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            return shown(await function(*args, **kwargs))

        how = {"coroutine": call}
    else:

        @functools.wraps(function)
        def call_and_wait(*args: Any, **kwargs: Any) -> Any:
            return shown(function(*args, **kwargs))

        how = {"func": call_and_wait}
    return _ResultStructuredTool.from_function(
        **how, response_format="content_and_artifact", **options
    )
