"""A scripted chat model for LangChain, and --model for a real one."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from .model import key_of


class ScriptedChatModel(BaseChatModel):
    """Says its messages in order, whatever it is told; keeps what it was told and its tools."""

    script: list[AIMessage]
    told: list[Any] = []
    tools: list[Any] = []

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        self.tools.extend(tools)
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.told.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self.script.pop(0))])


def says(text="", code=None, call_id="call-1"):
    """A message, with a call of execute_python where there is code."""
    if code is None:
        return AIMessage(text)
    call = {"name": "execute_python", "args": {"code": code}, "id": call_id}
    return AIMessage(text, tool_calls=[call])


def chosen_chat_model(arguments, *script):
    """The real model that --model names (as init_chat_model takes it), else the script."""
    if arguments.model is None:
        return ScriptedChatModel(script=list(script))
    from langchain.chat_models import init_chat_model

    options = {"base_url": arguments.base_url} if arguments.base_url else {}
    if arguments.key_variable:
        options["api_key"] = key_of(arguments)
    return init_chat_model(arguments.model, **options)
