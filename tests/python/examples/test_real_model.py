"""--model talks to an endpoint: here one on loopback that says what a model would."""

import os
import subprocess
import sys

from fake_endpoint import Endpoint, anthropic_says, openai_says
from test_examples import FOLDER, PATIENCE_S, check

ADD = "rows = open('sales.csv').read().split()\nlen(rows)"


def run_with(endpoint, api, tmp_path):
    return subprocess.run(
        [sys.executable, str(FOLDER / "self_debugging.py"), "--model", f"{api}:some-model"]
        + ["--base-url", endpoint.url, "--key-variable", "MODEL_KEY"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=tmp_path,
        env={**os.environ, "MODEL_KEY": "sk-test", "no_proxy": "127.0.0.1"},
    )


def test_an_example_with_a_model_of_openais_kind(tmp_path):
    endpoint = Endpoint([openai_says("", ADD), openai_says("Six lines.")])
    try:
        check(run_with(endpoint, "openai", tmp_path), ["answer: Six lines."])
    finally:
        endpoint.close()
    assert endpoint.headers[0]["authorization"] == "Bearer sk-test"
    assert endpoint.requests[0]["model"] == "some-model"


def test_an_example_with_a_model_of_anthropics_kind(tmp_path):
    endpoint = Endpoint([anthropic_says("", ADD), anthropic_says("Six lines.")])
    try:
        check(run_with(endpoint, "anthropic", tmp_path), ["answer: Six lines."])
    finally:
        endpoint.close()
    assert endpoint.headers[0]["x-api-key"] == "sk-test"
