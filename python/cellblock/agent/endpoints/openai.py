"""OpenAI's chat completions."""

from collections.abc import Mapping
from typing import Any

from ..messages import Reply, Request
from ..replies import from_openai
from .endpoint import Endpoint


class OpenAIModel(Endpoint):
    """A model behind OpenAI's chat completions API, or a server that speaks it (vLLM, llama.cpp,
    Ollama, LiteLLM, …): `base_url` is what `/chat/completions` is put behind.

    `tools=False` for a server without tool calls: code then comes in fenced blocks.
    """

    _api = "OpenAI's chat completions API"
    _path = "/chat/completions"

    def __init__(
        self,
        model: str,
        key: str | None = None,
        base_url: str = "https://api.openai.com/v1",
        *,
        tools: bool = True,
        max_tokens: int = 8192,
        retries: int = 4,
        timeout_s: float = 300.0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            model,
            key,
            base_url,
            max_tokens=max_tokens,
            retries=retries,
            timeout_s=timeout_s,
            options=options,
        )
        self.takes_tools = tools

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _body(self, request: Request, max_tokens: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [message.to_dict() for message in request.messages],
            "max_completion_tokens": max_tokens,
        }
        if self.takes_tools:
            tool = dict(request.tool)
            tool["description"] = tool.pop("short_description", tool["description"])
            body["tools"] = [{"type": "function", "function": tool}]
        return body | self.options

    def _to_reply(self, answer: dict[str, Any]) -> Reply:
        return from_openai(answer)
