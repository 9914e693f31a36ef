"""A session runs code, keeps state, has files, and ends."""

import io

import cellblock
import pytest


def test_state_lives_between_runs(session):
    assert session.run("x = 20").ok
    result = session.run("print('out'); x * 2 + 2")
    assert (result.status, result.text, result.stdout) == ("ok", "42", "out\n")
    assert [variable.name for variable in session.variables()] == ["x"]


def test_what_the_code_does_wrong_is_a_value(session):
    result = session.run("1 / 0")
    assert (result.status, result.cause, result.exit_code) == ("error", "exception", 1)
    assert result.error.name == "ZeroDivisionError"
    assert "1 / 0" in result.error.traceback
    assert session.run("import sys; sys.exit(3)").exit_code == 3


def test_a_timeout_is_a_value_and_keeps_the_session(session):
    session.run("kept = 1")
    result = session.run("while True: pass", 0.3)
    assert (result.status, result.exit_code, result.stopped_by) == ("timeout", 124, "sigint")
    assert session.run("kept").text == "1"


def test_a_crash_is_told_with_what_was_lost(session):
    session.run("gone = 1")
    result = session.run("import os; os.abort()")
    assert (result.status, result.state, result.lost_names) == ("crashed", "lost", ["gone"])
    assert session.run("1 + 1").text == "2"


def test_reset_empties_the_namespace_and_keeps_the_files(session):
    session.run("x = 1; open('kept.txt', 'w').write('kept')")
    session.reset()
    assert session.variables() == []
    assert session.download("kept.txt") == b"kept"


def test_files_go_in_and_out(session, tmp_path):
    assert session.upload("a/bytes.bin", b"\0\1") == "a/bytes.bin"
    session.append("a/bytes.bin", bytearray(b"\2"))
    assert session.download("a/bytes.bin") == b"\0\1\2"
    assert session.download("a/bytes.bin", offset=1, limit=1) == b"\1"
    assert session.upload("text.txt", "grün") == "text.txt"
    assert session.run("open('text.txt', encoding='utf-8').read()").text == "'grün'"
    local = tmp_path / "local.csv"
    local.write_text("a,b\n1,2\n")
    assert session.upload_file(local) == "local.csv"
    assert session.upload_file(str(local), "in/other.csv") == "in/other.csv"
    found = {file.path: file for file in session.files()}
    assert set(found) == {"a/bytes.bin", "text.txt", "local.csv", "in/other.csv"}
    assert (found["local.csv"].size, found["local.csv"].mime) == (8, "text/csv")
    assert session.stat("in/other.csv") == found["in/other.csv"]


def test_a_file_object_is_sent_piece_by_piece(session):
    data = bytes(range(256)) * 10_000
    session.upload("large.bin", io.BytesIO(data))
    assert session.download("large.bin") == data
    session.upload("empty.bin", io.BytesIO())
    assert session.download("empty.bin") == b""


def test_a_table_is_redacted_on_its_way(session, tmp_path):
    local = tmp_path / "people.csv"
    local.write_text("name,age\nAda,36\n")
    report = session.upload_redacted(local, "people.csv", {"name": "mask"})
    assert (report.path, report.columns, report.rows) == ("people.csv", ("name", "age"), 1)
    assert session.download("people.csv").splitlines() == [b"name,age", b"***,36"]


def test_paths_outside_the_workspace_are_refused(session):
    for path in ("/etc/passwd", "../up", "a/../../up"):
        with pytest.raises(cellblock.BadArgument):
            session.upload(path, b"x")
        with pytest.raises(cellblock.BadArgument):
            session.stat(path)
        with pytest.raises(cellblock.CellblockError):
            session.download(path)


def test_completion_inspection_and_completeness(session):
    session.run("total = 1")
    completion = session.complete("print(tot")
    assert (completion.matches, completion.start, completion.end) == (["total"], 6, 9)
    assert session.complete("tot + 1", 3).matches == ["total"]
    assert session.inspect("len").found
    assert session.is_complete("for i in range(3):").status == "incomplete"
    assert session.is_complete("x = 1").status == "complete"


def test_output_beyond_the_result_is_paged(session):
    result = session.run("for i in range(10_000): print('line', i)")
    assert result.truncated.stdout.omitted_bytes > 0
    assert result.truncated.stderr is None
    page = session.output(result.execution_id, limit=100, pattern="line 5000$")
    assert page.text == "line 5000\n"
    text, offset = "", 0
    while offset < page.total_bytes:
        page = session.output(result.execution_id, offset=offset)
        text, offset = text + page.text, page.next_offset
    assert text == "".join(f"line {i}\n" for i in range(10_000))
    with pytest.raises(cellblock.BadArgument):
        session.output(result.execution_id, stream="stdin")


def test_trace_marks_come_back(session):
    trace = cellblock.TraceContext(request_id="r-1", tenant="t")
    assert session.run("1", trace=trace).trace == trace
    assert session.run("1", trace={"tenant": "x"}).trace.tenant == "x"
    with pytest.raises(cellblock.BadArgument, match="'user'"):
        session.run("1", trace={"user": "x"})


def test_wrong_arguments_are_refused(session):
    with pytest.raises(TypeError, match="code must be a str, not bytes"):
        session.run(b"1")
    with pytest.raises(cellblock.BadArgument, match="position 3"):
        session.run("'12\ud800'")
    for timeout in (0, -1, float("nan"), "3"):
        with pytest.raises(cellblock.BadArgument, match="timeout_s"):
            session.run("1", timeout)
    assert session.run("1", 1e30).policy_events == {"timeout_clamped": 1}


def test_code_over_the_limit_is_refused_and_the_session_goes_on(session):
    session.run("x = 1")
    large = "#" * ((1 << 20) + 1)
    for call in (session.run, session.start, session.complete, session.inspect):
        with pytest.raises(cellblock.TooLarge, match="the limit is 1048576: send it in pieces"):
            call(large)
    assert session.run("x" + large[2:]).text == "1"


def test_a_closed_session_says_so(executor):
    session = executor.open_session()
    assert session.ended is None
    session.close()
    session.close()
    assert isinstance(session.ended, cellblock.UnknownSession)
    for call in (session.variables, session.reset, session.files, lambda: session.run("1")):
        with pytest.raises(cellblock.UnknownSession):
            call()
    assert session.id in repr(session) and session.isolation.level


def test_an_idle_session_expires(executor):
    with executor.open_session({"idle_ttl_s": 0.2}) as session:
        for _ in range(100):
            if session.ended is not None:
                break
            __import__("time").sleep(0.05)
        assert isinstance(session.ended, cellblock.Expired)
        with pytest.raises(cellblock.Expired, match="idle"):
            session.variables()


def test_a_session_without_an_executor_shares_the_default_one():
    with cellblock.Session() as one, cellblock.Session() as other:
        assert one.id != other.id
        assert one.run("6 * 7").text == "42"
    assert cellblock.default_executor() is cellblock.default_executor()


def test_a_context_shares_the_files_and_not_the_variables(session):
    session.run("x = 1; open('shared.txt', 'w').write('s')")
    with session.open_context() as context:
        assert context.id != session.id
        assert context.run("'x' in globals(), open('shared.txt').read()").text == "(False, 's')"
        with context.open_context() as further:
            assert further.run("1").ok
        session.close()
        assert context.download("shared.txt") == b"s"
    with pytest.raises(cellblock.UnknownSession):
        session.open_context()


def test_closing_the_executor_closes_contexts():
    executor = cellblock.Executor(preload=[])
    context = executor.open_session().open_context()
    executor.close()
    assert isinstance(context.ended, cellblock.UnknownSession)


def test_charts_and_tables_come_as_data():
    with cellblock.Session() as session:
        result = session.run(
            "import matplotlib.pyplot as plt, pandas as pd\n"
            "plt.bar(['a', 'b'], [1, 2]); plt.title('Two')\n"
            "pd.DataFrame({'a': [1]})"
        )
    if result.error is not None and result.error.name == "ModuleNotFoundError":
        __import__("skips").skip("numpy, pandas and matplotlib are not installed")
    assert result.png.startswith(b"\x89PNG")
    assert (result.chart["type"], result.chart["title"]) == ("bar", "Two")
    assert "<table" in result.html
    assert [shown.is_main_result for shown in result.results] == [False, True]
