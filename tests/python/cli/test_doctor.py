"""What `cellblock doctor` says is what sessions get, and its exit status sums it up."""

import json
import subprocess


def run(binary, environment, *arguments):
    return subprocess.run(
        [binary, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment,
        text=True,
        timeout=120,
    )


def test_the_layers_are_those_of_a_session(binary, environment):
    told = run(binary, environment, "doctor", "--json")
    diagnosis = json.loads(told.stdout)
    executed = run(binary, environment, "exec", "--preload", "", "--json", "-c", "1")
    seen = json.loads(executed.stdout)["isolation"]
    assert diagnosis["level"] == seen["level"]
    assert [(layer["name"], layer["on"]) for layer in diagnosis["layers"]] == [
        (layer["name"], layer["on"]) for layer in seen["layers"]
    ]
    assert (told.returncode == 0) == diagnosis["required_starts"]
    assert diagnosis["required_starts"] == (diagnosis["level"] in ("full", "reduced"))
    assert told.stderr == ""


def test_a_layer_that_is_off_says_why_and_what_would_bring_it(binary, environment):
    layers = json.loads(run(binary, environment, "doctor", "--json").stdout)["layers"]
    assert {"mounts", "network", "landlock", "seccomp", "cgroup", "rlimits", "ids"} <= {
        layer["name"] for layer in layers
    }
    for layer in layers:
        assert layer["on"] or (layer["detail"] and layer["remedy"]), layer
        assert not (layer["on"] and layer["remedy"]), layer


def test_the_table_has_a_line_for_each_layer(binary, environment):
    layers = json.loads(run(binary, environment, "doctor", "--json").stdout)["layers"]
    told = run(binary, environment, "doctor")
    lines = told.stdout.splitlines()
    for layer in layers:
        word = "on" if layer["on"] else "off"
        assert any(line.split()[:2] == [layer["name"], word] for line in lines), layer
    assert any(line.startswith("isolation: ") for line in lines)
