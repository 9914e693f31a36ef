"""A scripted model for CrewAI, and --model for a real one."""

import os

from crewai import LLM, BaseLLM


class ScriptedLLM(BaseLLM):
    """Says its lines in order, in the form of CrewAI's own protocol of thoughts and actions."""

    lines: list[str]

    def call(self, messages, *_, **__):
        return self.lines.pop(0)

    def supports_function_calling(self):
        return False


def chosen_llm(arguments, *lines):
    """The real model that --model names (as crewai.LLM takes it), else the script."""
    if arguments.model is None:
        return ScriptedLLM(model="scripted", provider="scripted", lines=list(lines))
    key = os.environ[arguments.key_variable] if arguments.key_variable else None
    return LLM(model=arguments.model.replace(":", "/", 1), base_url=arguments.base_url, api_key=key)
