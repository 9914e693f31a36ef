"""docs/protocol.md: its examples are sent as they stand, and answered as they say."""

import json
import pathlib
import re

import pytest
from rpc_client import Client

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
TEXT = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
FRAMES = (ROOT / "src" / "protocol" / "frame.hpp").read_text(encoding="utf-8")


def examples():
    """Every message of the text: its direction and its JSON value."""
    for block in re.findall(r"^```\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL):
        for direction, message in re.findall(r"^(-->|<--) (.*(?:\n {5}.*)*)", block, re.MULTILINE):
            yield direction, json.loads(message)


def same_shape(documented, actual):
    """Whether two values have the same keys wherever both are objects."""
    if isinstance(documented, dict) and isinstance(actual, dict):
        return documented.keys() == actual.keys() and all(
            same_shape(value, actual[key]) for key, value in documented.items()
        )
    if isinstance(documented, list) and isinstance(actual, list):
        return not documented or (bool(actual) and same_shape(documented[0], actual[0]))
    return type(documented) is type(actual)


def test_every_example_is_answered_as_documented(binary, environment):
    client = Client(binary, ["--no-audit-log"], environment)
    if len(client.call("engine.info")["preloaded"]) < 3:
        client.close()
        pytest.skip("the example of engine.info needs numpy, pandas and matplotlib")
    client.notifications.clear()
    real_ids = {}
    for direction, message in examples():
        if direction == "-->":
            text = json.dumps(message)
            for documented, real in real_ids.items():
                text = text.replace(documented, real)
            client.write(text.encode() + b"\n")
        elif message.get("method") == "queued":
            continue  # shown apart; test_serve has the case
        else:
            actual = client.read_message()
            while actual.get("method") == "stream" != message.get("method"):
                actual = client.read_message()  # a text may come in several pieces
            assert same_shape(message, actual), (message, actual)
            assert message.get("id") == actual.get("id")
            assert message.get("error") == actual.get("error")
            documented, real = (m.get("result", m.get("params", {})) for m in (message, actual))
            for name in ("session_id", "execution_id"):
                if name in documented:
                    real_ids[documented[name]] = real[name]
    client.close()


def test_every_method_is_documented():
    source = (ROOT / "src" / "rpc" / "methods.cpp").read_text(encoding="utf-8")
    methods = re.findall(r'Method\{"([a-z_.]+)"', source)
    assert len(methods) > 15
    assert [m for m in methods if m not in TEXT] == []


def test_every_frame_type_is_documented_with_its_number():
    types = re.findall(r"^  ([a-z_]+) = (\d+),$", FRAMES, re.MULTILINE)
    assert len(types) > 15
    table = TEXT[TEXT.index("## Frames") :]
    rows = dict(
        pair
        for numbers, names in re.findall(r"^\| ([\d, ]+) \| ([`a-z_, ]+) \|", table, re.MULTILINE)
        for pair in zip(re.findall("[a-z_]+", names), re.findall(r"\d+", numbers))
    )
    assert rows == dict(types)
