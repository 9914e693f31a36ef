"""A scripted model for cellblock.agent, and --model for a real one."""

import argparse
import os
import sys

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
    arguments = parser.parse_args()
    key = arguments.key_variable
    if key and not os.environ.get(key):
        parser.error(f"the environment variable {key} is not set.")
    return arguments


def key_of(arguments):
    """The key that --key-variable names, or None."""
    return os.environ[arguments.key_variable] if arguments.key_variable else None


def chosen_model(arguments, script):
    """The real model that --model names, else the script."""
    if arguments.model is None:
        return script
    api, _, name = arguments.model.partition(":")
    kinds = {"openai": agent.OpenAIModel, "anthropic": agent.AnthropicModel}
    if api not in kinds or not name:
        print("--model wants openai:NAME or anthropic:NAME.", file=sys.stderr)
        sys.exit(2)
    address = {"base_url": arguments.base_url} if arguments.base_url else {}
    return kinds[api](name, key_of(arguments), **address)
