"""The MCP project's own conformance suite, everything that it has for servers, at each version.

The suite is written for a demonstration server with tools, prompts and resources of given names.
What fails must be exactly what is listed here, with the reason why it cannot apply: a failure that
is not listed is a fault, and an entry that does not fail any more has to go.
"""

import json
import re
import subprocess

import node_packages
import pytest

SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.11"
NODE = "22.23.5"  # the suite does not run with older ones
VERSIONS = ["2025-06-18", "2025-11-25", "2026-07-28"]

# Why a check cannot apply: the checks.
DOES_NOT_APPLY = {
    "it calls a tool of the demonstration server, which this one does not have": {
        "tools-call-simple-text",
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "tools-call-error",
        "tools-call-with-progress",
        "json-schema-2020-12-tool-found",
        "sep-2575-http-server-no-independent-requests-on-stream",
    },
    "it reads a resource of the demonstration server": {
        "resources-read-text",
        "resources-read-binary",
        "resources-templates-read",
    },
    "no tool of this server has a parameter that is mirrored in a header": {
        "sep-2243-server-no-xmcp-tool",
        "sep-2243-server-decode-base64",
        "sep-2243-server-validate-param-match",
        "sep-2243-server-reject-invalid-param-chars",
        "sep-2243-server-reject-param-mismatch",
    },
    "this server offers no prompts": {
        "prompts-list",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
        "sep-2549-prompts-list-caching-hints",
        "sep-2322-non-tool-incomplete",
    },
    "this server offers no completion": {"completion-complete"},
    "this server does not log to its client": {
        "logging-set-level",
        "tools-call-with-logging",
        "sep-2575-server-no-log-without-loglevel",
    },
    "this server's resources do not change under a client, and cannot be subscribed to": {
        "resources-subscribe",
        "resources-unsubscribe",
    },
    "this server asks nothing of its client: no sampling, no elicitation, no roots": {
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-general",
        "elicitation-sep1330-general",
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2322-elicitation-incomplete",
        "sep-2322-list-roots-incomplete",
        "sep-2322-sampling-incomplete",
        "sep-2322-respect-client-capabilities",
        "sep-2322-multi-round-r1",
        "sep-2322-multiple-inputs-incomplete",
        "sep-2322-request-state-incomplete",
        "sep-2322-result-type-included",
        "sep-2322-reject-tampered-state",
    },
}

# Scenarios that apply as a whole, so that a suite which runs nothing does not pass.
APPLIES = {
    "2025-06-18": {"server-initialize", "server-session-lifecycle", "ping", "tools-list"},
    "2025-11-25": {
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "dns-rebinding-protection",
    },
    "2026-07-28": {
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
    },
}


@pytest.fixture(scope="module")
def results(open_server, binary, tmp_path_factory):
    """{version: {scenario: checks}}."""
    node = node_packages.own_node(NODE, binary, tmp_path_factory)
    modules = node_packages.modules_with([SUITE], binary, tmp_path_factory)
    program = modules / "@modelcontextprotocol/conformance/dist/index.js"
    found = {}
    for version in VERSIONS:
        folder = tmp_path_factory.mktemp(f"conformance-{version}")
        # It sends no token. Its status is 1 when any check fails; the checks tell more.
        run = subprocess.run(
            [node, program, "server", "--url", open_server.url, "--suite", "all"]
            + ["--spec-version", version, "--output-dir", folder],
            capture_output=True,
            text=True,
            timeout=200,
            cwd=folder,
        )
        found[version] = {}
        for file in folder.glob("*/checks.json"):
            scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", file.parent.name)[1]
            found[version][scenario] = json.loads(file.read_text(encoding="utf-8"))
        assert found[version], run.stdout + run.stderr
    return found


def failures(scenarios):
    return {
        check["id"]: (name, check.get("errorMessage"))
        for name, checks in scenarios.items()
        for check in checks
        if check["status"] == "FAILURE"
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_else_fails(results, version):
    excused = set().union(*DOES_NOT_APPLY.values())
    unexpected = {
        check: why for check, why in failures(results[version]).items() if check not in excused
    }
    assert not unexpected


@pytest.mark.parametrize("version", VERSIONS)
def test_what_applies_passes(results, version):
    for scenario in APPLIES[version]:
        states = [check["status"] for check in results[version][scenario]]
        assert "SUCCESS" in states and "FAILURE" not in states, scenario


def test_the_list_of_what_does_not_apply_is_not_too_long(results):
    failed = set().union(*(failures(scenarios) for scenarios in results.values()))
    assert set().union(*DOES_NOT_APPLY.values()) - failed == set()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_message_fits_the_schema(results, version):
    states = [
        check["status"]
        for checks in results[version].values()
        for check in checks
        if check["id"] == "wire-schema-valid"
    ]
    assert len(states) > 15 and set(states) == {"SUCCESS"}
