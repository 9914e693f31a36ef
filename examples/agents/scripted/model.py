"""A scripted model for cellblock.agent, and --model for a real one."""

import argparse
import os

from cellblock import agent


class ScriptedModel:
    """Says its lines in order, whatever it is told: a callable, as cellblock.agent takes it."""

    def __init__(self, *lines):
        self.lines = list(lines)

    def __call__(self, messages):
        return self.lines.pop(0)


def code(text, words="I try this."):
    """A reply with a block of Python."""
    return f"{words}\n```python\n{text.strip()}\n```"


def arguments_of(description):
    """The command line that the examples share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--model", metavar="API:NAME", help="a real model: openai:NAME or anthropic:NAME"
    )
    parser.add_argument("--base-url", metavar="URL", help="another server that speaks that API")
    parser.add_argument(
        "--key-variable", metavar="NAME", help="the environment variable that holds the key"
    )
    parser.add_argument(
        "--out", default="build/example-output", metavar="DIR", help="where pictures are put"
    )
    return parser.parse_args()


def chosen_model(arguments, script):
    """The real model that --model names, else the script."""
    if arguments.model is None:
        return script
    api, _, name = arguments.model.partition(":")
    kinds = {"openai": agent.OpenAIModel, "anthropic": agent.AnthropicModel}
    if api not in kinds or not name:
        raise SystemExit("--model wants openai:NAME or anthropic:NAME.")
    key = os.environ.get(arguments.key_variable) if arguments.key_variable else None
    if arguments.key_variable and not key:
        raise SystemExit(f"The environment variable {arguments.key_variable} is not set.")
    address = {"base_url": arguments.base_url} if arguments.base_url else {}
    return kinds[api](name, key, **address)
