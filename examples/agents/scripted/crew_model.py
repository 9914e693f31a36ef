"""A scripted model for CrewAI, and --model for a real one."""

from crewai import LLM, BaseLLM

from .model import key_of


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
    name, key = arguments.model.replace(":", "/", 1), key_of(arguments)
    return LLM(model=name, base_url=arguments.base_url, api_key=key)
