"""The loop by hand, as OpenAI's chat completions want it: nothing of cellblock.agent.

Everything is here: the tool's definition, the request, the tool calls, their answers. Without
--model it talks to a scripted server of the same API on this machine.
"""

import contextlib
import json
import sys
import urllib.request

import cellblock
from cellblock.quoting import quote
from scripted.model import arguments_of, key_of
from scripted.openai_server import openai_server

QUESTION = "How many of the first 10,000 whole numbers are primes that end in 7?"

SCRIPT = [
    {"code": "from sympi import isprime"},
    {
        "code": """
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))
primes = [n for n in range(10_000) if n % 10 == 7 and is_prime(n)]
len(primes), primes[:5]
"""
    },
    "308 of them, from 7, 17, 37 and 47 on.",
]


def complete(base_url, key, model, messages, tools):
    """One chat completion: the message."""
    body = {"model": model, "messages": messages, "tools": tools}
    request = urllib.request.Request(
        base_url + "/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)["choices"][0]["message"]


def answer_of(session, call):
    """Run one tool call; what the model reads of it."""
    try:
        arguments = json.loads(call["function"]["arguments"])
        result = session.run(arguments["code"], arguments.get("timeout_seconds"))
    except (ValueError, KeyError, TypeError) as error:
        return f"The arguments are wrong ({error!r}): send them again."
    print(">", arguments["code"].strip().replace("\n", "\n> "))
    print(result.to_model_text(), "\n")
    return quote(result.to_model_text())


def converse(session, ask):
    """The loop: until the model answers without a call, ten times at most."""
    messages = [{"role": "user", "content": QUESTION}]
    tools = [session.tool_definition("openai")]
    for _ in range(10):
        message = ask(messages, tools)
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for call in message["tool_calls"]:
            content = answer_of(session, call)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return None


def main():
    arguments = arguments_of(__doc__)
    with contextlib.ExitStack() as stack:
        if arguments.model is None:
            base_url, name, key = stack.enter_context(openai_server(SCRIPT)), "scripted", ""
        else:
            base_url = arguments.base_url or "https://api.openai.com/v1"
            name = arguments.model.removeprefix("openai:")
            key = key_of(arguments) or ""
        session = stack.enter_context(cellblock.Session())
        answer = converse(session, lambda m, t: complete(base_url, key, name, m, t))
    print(answer)
    return 0 if answer else 1


if __name__ == "__main__":
    sys.exit(main())
