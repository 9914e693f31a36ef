"""`cellblock serve --stdio`: sessions, what they hold, and what the engine says of itself."""

import base64
import time

from rpc_client import RpcError, refusal


def test_engine_info_says_what_runs(client):
    info = client.call("engine.info")
    assert info["executor"] == "fork"
    assert info["python_version"].startswith("3.")
    assert info["preloaded"] == {} and info["missing"] == {}


def test_the_tool_is_defined_from_a_policy(client):
    schema = client.call("engine.tool_schema", format="openai", policy={"timeout_s": 7})
    function = schema["function"]
    assert function["name"] == "execute_python"
    assert function["parameters"]["properties"]["timeout_seconds"]["default"] == 7
    everything = client.call("engine.tool_schema")
    assert everything["policy"]["timeout_s"] == 30 and everything["prompt"]
    assert refusal(client.call, "engine.tool_schema", format="xml").kind == "bad_argument"
    wrong = refusal(client.call, "engine.tool_schema", policy={"x": 1})
    assert wrong.kind == "policy_invalid"


def test_a_session_opens_with_its_isolation_and_start_time(client):
    opened = client.call("session.open", policy={"timeout_s": 5}, executor="fork")
    assert opened["session_id"]
    assert opened["start_ms"] > 0
    assert {"name", "on", "detail"} == set(opened["isolation"]["layers"][0])


def test_reset_forgets_variables_and_keeps_files(client, session):
    client.call("session.run", session_id=session, code="x = 1\nopen('f', 'w').close()")
    client.call("session.reset", session_id=session)
    assert client.call("session.variables", session_id=session) == {"variables": []}
    assert [f["path"] for f in client.call("session.files", session_id=session)["files"]] == ["f"]


def test_variables_completion_and_inspection_see_the_namespace(client, session):
    client.call("session.run", session_id=session, code="def féte(n):\n    'Docs.'\nnumber = 4")
    variables = client.call("session.variables", session_id=session)["variables"]
    assert {"name": "number", "type": "int", "summary": "int = 4"}.keys() == variables[-1].keys()
    assert "number" in [v["name"] for v in variables]
    completed = client.call("session.complete", session_id=session, code="é = fét", cursor=7)
    assert completed["matches"][0].startswith("féte")
    assert (completed["start"], completed["end"]) == (4, 7)
    inspected = client.call("session.inspect", session_id=session, code="féte", cursor=2)
    assert inspected["found"] and "Docs." in inspected["text"]


def test_is_complete_tells_blocks(client, session):
    def ask(code):
        return client.call("session.is_complete", session_id=session, code=code)

    assert ask("1 + 1")["status"] == "complete"
    assert ask("for i in x:\n") == {"status": "incomplete", "indent": "    "}
    assert ask("1 +* 1")["status"] == "invalid"


def test_long_output_can_be_paged(client, session):
    code = "for i in range(5000): print('row', i)"
    result = client.call("session.run", session_id=session, code=code)
    assert result["truncated"]["stdout"]["omitted_bytes"] > 0
    text, offset = "", 0
    while True:
        page = client.call(
            "session.output",
            session_id=session,
            execution_id=result["execution_id"],
            stream="stdout",
            offset=offset,
            limit=10_000,
        )
        text, offset = text + page["text"], page["next_offset"]
        if offset >= page["total_bytes"]:
            break
    assert text == "".join(f"row {i}\n" for i in range(5000))
    matching = client.call(
        "session.output",
        session_id=session,
        execution_id=result["execution_id"],
        pattern="^row 49[0-9]0$",
    )
    assert matching["text"].splitlines() == [f"row 49{i}0" for i in range(10)]


def test_files_go_in_and_out_in_pieces(client, session):
    data = bytes(range(256)) * 1000
    half = len(data) // 2
    for append, piece in ((False, data[:half]), (True, data[half:])):
        done = client.call(
            "session.upload",
            session_id=session,
            path="in/data.bin",
            data_base64=base64.b64encode(piece).decode(),
            append=append,
        )
        assert done == {"path": "in/data.bin"}
    run = client.call(
        "session.run", session_id=session, code="len(open('in/data.bin', 'rb').read())"
    )
    assert run["text"] == str(len(data))
    got, page = b"", {"next_offset": 0, "at_end": False}
    while not page["at_end"]:
        page = client.call(
            "session.download",
            session_id=session,
            path="in/data.bin",
            offset=page["next_offset"],
            limit=100_000,
        )
        piece = base64.b64decode(page["data_base64"], validate=True)
        assert len(piece) == page["size"]
        got += piece
    assert got == data


def test_a_context_shares_the_files_and_runs_beside_its_session(client, session):
    context = client.call("session.open", share=session)["session_id"]
    assert context != session
    client.call("session.run", session_id=session, code="x = 1\nopen('a', 'w').write('shared')")
    seen = "'x' in globals(), open('a').read()"
    run = client.call("session.run", session_id=context, code=seen)
    assert (run["session_id"], run["text"]) == (context, "(False, 'shared')")
    waiting = client.send(
        "session.run",
        session_id=session,
        code="import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nx",
    )
    client.call("session.run", session_id=context, code="open('go', 'w').close()")
    assert client.answer(waiting)["text"] == "1"
    client.call("session.close", session_id=session)
    assert refusal(client.call, "session.open", share=session).kind == "unknown_session"
    further = client.call("session.open", share=context)["session_id"]
    run = client.call("session.run", session_id=further, code="open('a').read()")
    assert run["text"] == "'shared'"


def test_a_context_takes_everything_from_the_session_that_it_shares(client, session):
    for name, value in (("policy", {}), ("executor", "fork"), ("python", "/usr/bin/python3")):
        refused = refusal(client.call, "session.open", share=session, **{name: value})
        assert refused.kind == "bad_argument" and "`share`" in str(refused)
    assert refusal(client.call, "session.open", share="s-none").kind == "unknown_session"
    assert refusal(client.call, "session.open", share=7).kind == "bad_argument"


def test_what_is_not_built_answers_unsupported(client, session):
    for method in ("checkpoint", "rollback", "branch", "save", "load"):
        assert refusal(client.call, f"session.{method}", session_id=session).kind == "unsupported"
    assert refusal(client.call, "session.open", executor="remote").kind == "unsupported"
    rollback = refusal(
        client.call, "session.run", session_id=session, code="1", on_error="rollback"
    )
    assert rollback.kind == "unsupported"


def test_the_number_of_sessions_is_bounded(start):
    client = start("--max-sessions", "2")
    ids = [client.call("session.open")["session_id"] for _ in range(2)]
    assert refusal(client.call, "session.open").kind == "busy_limit"
    client.call("session.close", session_id=ids[0])
    deadline = time.monotonic() + 30
    while True:  # the place is free when the session's processes have ended
        try:
            client.call("session.open")
            break
        except RpcError as error:
            assert error.kind == "busy_limit" and time.monotonic() < deadline


def test_the_servers_policy_is_that_of_sessions_without_one(start, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"timeout_s": 0.5}', encoding="utf-8")
    client = start("--policy", str(policy))
    session = client.call("session.open")["session_id"]
    sleep = "import time; time.sleep(60)"
    assert client.call("session.run", session_id=session, code=sleep)["status"] == "timeout"
