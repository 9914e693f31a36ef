"""How the server is started: what it shows, and what it refuses to start with."""

import os
import pathlib
import socket
import subprocess

import pytest
from http_server import HttpServer
from skips import skip

QUICK = ["--no-audit-log", "--preload", ""]
TOKEN = "a-token-of-my-own-0123456789"


def refusal(binary, *arguments, environment=None):
    """What the program says when it does not start."""
    run = subprocess.run(
        [binary, "mcp", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    assert run.returncode == 2, run
    assert run.stdout == ""
    assert run.stderr.startswith("cellblock: ") and run.stderr.count("\n") == 1
    return run.stderr


def test_it_shows_its_address_and_a_new_token(binary, environment):
    tokens = set()
    for _ in range(2):
        server = HttpServer(binary, QUICK, environment)
        assert server.place["url"] == f"http://127.0.0.1:{server.port}/mcp"
        assert server.place["host"] == "127.0.0.1" and server.port > 0
        assert len(server.token) == 64
        assert server.stateless("tools/list")[0] == 200
        arguments = pathlib.Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        assert server.token.encode() not in arguments
        tokens.add(server.token)
        assert server.close() == 0
    assert len(tokens) == 2


@pytest.mark.parametrize("address", ["0", "localhost:0", "[::1]:0"])
def test_other_ways_to_write_this_machine(binary, environment, address):
    if "::1" in address and not os.path.exists("/proc/net/if_inet6"):
        skip("this machine has no IPv6")
    server = HttpServer(binary, QUICK, environment, address=address)
    with socket.create_connection((server.place["host"], server.port), timeout=60) as connection:
        host = server.place["url"].split("/")[2]
        connection.sendall(server.head("GET", "/mcp", host=host))
        assert connection.recv(100).startswith(b"HTTP/1.1 405")
    assert server.close() == 0


def test_a_token_of_the_operator_is_used_and_not_shown(binary, environment, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    by_file = (["--token-file", str(file)], environment)
    by_variable = ([], {**environment, "CELLBLOCK_HTTP_TOKEN": TOKEN})
    for arguments, variables in (by_file, by_variable):
        server = HttpServer(binary, [*QUICK, *arguments], variables)
        assert server.token is None and TOKEN not in server.stderr()
        assert server.stateless("tools/list", headers={"authorization": "Bearer x"})[0] == 401
        server.token = TOKEN
        assert server.stateless("tools/list")[0] == 200
        for children in pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/children"):
            for child in children.read_text().split():
                assert TOKEN.encode() not in pathlib.Path(f"/proc/{child}/environ").read_bytes()
        assert server.close() == 0


def test_a_bad_token_file_is_refused(binary, environment, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    start = ("--http", "127.0.0.1:0", "--token-file")
    assert "chmod 600" in refusal(binary, *start, str(file), environment=environment)
    file.chmod(0o600)
    for text in ("", "short", "with a space in it 0123456789", "two\nlines-0123456789abcdef\n"):
        file.write_text(text)
        assert "token" in refusal(binary, *start, str(file), environment=environment)
    assert "token" in refusal(binary, *start, str(tmp_path / "none"), environment=environment)
    assert "token" in refusal(binary, *start, "", environment=environment)


@pytest.mark.parametrize("value", ["", "short", "with spaces in it 0123456789"])
def test_a_bad_token_variable_is_refused(binary, environment, value):
    """An empty one is no wish for no token."""
    environment["CELLBLOCK_HTTP_TOKEN"] = value
    said = refusal(binary, "--http", "127.0.0.1:0", environment=environment)
    assert "CELLBLOCK_HTTP_TOKEN" in said


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_off_loopback_a_token_is_wanted(binary, environment, address):
    said = refusal(binary, "--http", address, "--no-token", environment=environment)
    assert "127.0.0.1" in said


def test_off_loopback_it_warns(binary, environment):
    server = HttpServer(binary, QUICK, environment, address="0.0.0.0:0")
    assert "other machines" in server.stderr()
    own = f"127.0.0.1:{server.port}"
    assert server.stateless("tools/list", headers={"host": own})[0] == 200
    assert server.stateless("tools/list", headers={"host": f"evil:{server.port}"})[0] == 421
    assert server.close() == 0


@pytest.mark.parametrize(
    "address",
    ["", ":8080", "*:8080", "8080x", "127.0.0.1", "127.0.0.1:99999", "::1:80", "203.0.113.7:0"],
)
def test_a_bad_address_is_refused(binary, environment, address):
    refusal(binary, "--http", address, environment=environment)


def test_a_port_that_is_taken_is_told(binary, environment):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refusal(binary, "--http", address, environment=environment)
    assert "Choose another" in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--token", TOKEN],
        ["--cors"],
        ["--allow-origin", "*"],
        ["--allow-origin", "null"],
        ["--allow-origin", ""],
        ["--allow-host", "*"],
        ["--allow-host", ""],
        ["--policy", "/nonexistent/policy.json"],
        ["--no-token", "--token-file", "/dev/null"],
        ["more"],
    ],
)
def test_what_is_unknown_empty_or_missing_opens_nothing(binary, environment, arguments):
    refusal(binary, "--http", "127.0.0.1:0", *arguments, environment=environment)


def test_flags_of_http_alone_are_misuse(binary, environment):
    for flags in (["--no-token"], ["--token-file", "x"], ["--allow-host", "a"]):
        refusal(binary, *flags, environment=environment)


def test_further_hosts_and_origins_are_exactly_those(binary, environment):
    flags = ["--allow-host", "box.example", "--allow-host", "box.example:8443"]
    flags += ["--allow-origin", "https://app.example"]
    server = HttpServer(binary, [*QUICK, *flags], environment)

    def status(**headers):
        return server.stateless("tools/list", headers=headers)[0]

    assert status(host="box.example", origin="https://app.example") == 200
    assert status(host="box.example:8443") == 200
    assert status(host="box.example:80") == 421
    assert status(origin="http://app.example") == 403
    assert status(origin="https://app.example:444") == 403
    assert server.close() == 0
