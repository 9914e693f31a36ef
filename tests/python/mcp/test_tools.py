"""Every tool, in both eras."""

import base64

import jsonschema
import pytest
from mcp_client import text_of

TOOLS = [
    "execute_python",
    "list_variables",
    "inspect_variable",
    "reset_session",
    "interrupt",
    "upload_file",
    "download_file",
    "list_files",
    "read_output",
]


@pytest.fixture(scope="module")
def checked(either):
    """Call a tool and hold what comes back against the tool's own schema."""
    schemas = {t["name"]: t["outputSchema"] for t in either.call("tools/list")["tools"]}

    def call(tool, **arguments):
        result = either.tool(tool, **arguments)
        if "structuredContent" in result:
            jsonschema.validate(result["structuredContent"], schemas[tool])
        else:
            assert result["isError"] and result["_meta"]["cellblock/kind"]
        return result

    return call


def test_the_tools_are_listed_in_order_with_valid_schemas(either):
    tools = either.call("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    for tool in tools:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["description"] and tool["title"] and "readOnlyHint" in tool["annotations"]


def test_state_persists_and_the_value_comes_back(checked):
    checked("execute_python", code="x = 20")
    result = checked("execute_python", code="print('hello')\nx * 2 + 2")
    assert not result["isError"]
    assert result["structuredContent"]["text"] == "42"
    assert result["structuredContent"]["stdout"] == "hello\n"
    assert "42" in text_of(result) and "hello" in text_of(result)


def test_an_error_is_a_result_with_its_hint(checked):
    result = checked("execute_python", code="import subprocess")
    assert result["isError"]
    assert result["structuredContent"]["error"]["hint"] in text_of(result)
    assert result["structuredContent"]["cause"] == "import_refused"


@pytest.mark.parametrize(
    "code, status",
    [
        ("1 / 0", "error"),
        ("def", "error"),
        ("import sys; sys.exit(3)", "exit"),
        ("import os; os._exit(7)", "exit"),
        ("b'x' * (8 << 30)", "error"),
        ("import ctypes; ctypes.string_at(0)", "error"),
        ("print('\\x1b[31mred\\x1b[0m \\u202e')", "ok"),
        ("display({'application/json': '[1]'}, raw=True)", "ok"),
        ("", "ok"),
    ],
)
def test_whatever_happens_fits_the_schema(checked, code, status):
    result = checked("execute_python", code=code)
    assert result["isError"] == (status != "ok"), result
    if status != "error":
        assert result["structuredContent"]["status"] == status or code.startswith("import os")


def test_a_good_exit_is_no_error(checked):
    assert not checked("execute_python", code="raise SystemExit(0)")["isError"]


def test_terminal_controls_are_shown_in_text_and_raw_in_data(checked):
    result = checked("execute_python", code="print('\\x1b]0;title\\x07\\u202eabc')")
    assert "\x1b" not in text_of(result) and "\\x1b]0;title" in text_of(result)
    assert result["structuredContent"]["stdout"] == "\x1b]0;title\x07\u202eabc\n"


def test_variables_are_listed_and_inspected(checked):
    checked("execute_python", code="def area(width, height):\n    'Width by height.'\nlist1 = [1]")
    listed = checked("list_variables")["structuredContent"]["variables"]
    assert {"list1", "area"} <= {one["name"] for one in listed}
    inspected = checked("inspect_variable", name="area")
    assert "area(width, height)" in text_of(inspected) and "Width by height." in text_of(inspected)
    absent = checked("inspect_variable", name="absent_name")
    assert absent["isError"] and "list_variables" in text_of(absent)


def test_a_reset_clears_variables_and_keeps_files(checked):
    checked("execute_python", code="gone = 1\nopen('kept.txt', 'w').write('kept')")
    reset = checked("reset_session")
    assert reset["structuredContent"]["is_new"] is False
    assert checked("execute_python", code="gone")["isError"]
    assert checked("execute_python", code="open('kept.txt').read()")["structuredContent"]["text"]


def test_files_go_in_and_out(checked):
    checked("upload_file", path="in/text.csv", content="a,b\n1,2\n")
    checked("upload_file", path="in/text.csv", content="3,4\n", append=True)
    data = bytes(range(256))
    checked("upload_file", path="raw.bin", data_base64=base64.b64encode(data).decode())
    files = {f["path"]: f for f in checked("list_files")["structuredContent"]["files"]}
    assert files["in/text.csv"]["size"] == 12 and files["raw.bin"]["size"] == 256

    text = checked("download_file", path="in/text.csv")
    assert text["structuredContent"]["data"] == "a,b\n1,2\n3,4\n"
    assert text["structuredContent"]["encoding"] == "utf-8"
    raw = checked("download_file", path="raw.bin", offset=250, limit=3)["structuredContent"]
    assert base64.b64decode(raw["data"]) == data[250:253]
    assert (raw["next_offset"], raw["at_end"]) == (253, False)
    block = checked("download_file", path="raw.bin")["content"][0]
    assert base64.b64decode(block["resource"]["blob"]) == data


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", "a\x00b"])
def test_no_path_leads_outside(checked, path):
    for tool, extra in (("upload_file", {"content": "x"}), ("download_file", {})):
        result = checked(tool, path=path, **extra)
        assert result["isError"] and "structuredContent" not in result


def test_a_path_as_the_code_has_it_is_taken(checked):
    code = "import os; open('own.csv', 'w').write('1'); print(os.path.abspath('own.csv'))"
    path = checked("execute_python", code=code)["structuredContent"]["stdout"].strip()
    assert path.startswith("/")
    read = checked("download_file", path=path)["structuredContent"]
    assert (read["path"], read["data"]) == ("own.csv", "1")
    assert checked("upload_file", path=path, content="2")["structuredContent"]["path"] == "own.csv"


def test_long_output_is_linked_and_paged(checked, either):
    result = checked("execute_python", code="for i in range(5000): print('line', i)")
    structured = result["structuredContent"]
    assert structured["truncated"]["stdout"]["omitted_bytes"] > 0
    assert "read_output" in text_of(result)
    link = next(b for b in result["content"] if b["type"] == "resource_link")
    contents = either.call("resources/read", uri=link["uri"])["contents"][0]
    assert contents["text"].startswith("line 0\n") and contents["text"].endswith("line 4999\n")

    execution = structured["execution_id"]
    page = checked("read_output", execution_id=execution, limit=70)
    assert page["structuredContent"]["text"].startswith("line 0\nline 1\n")
    assert str(page["structuredContent"]["next_offset"]) in text_of(page)
    found = checked("read_output", execution_id=execution, pattern="line 4[0-9]{2}7", limit=262144)
    assert found["structuredContent"]["text"].startswith("line 4007\n")
    last = checked("read_output", execution_id=execution, pattern="4999$")
    assert last["structuredContent"]["text"] == "line 4999\n"
    none = checked("read_output", execution_id=execution, pattern="line x")
    assert "No line" in text_of(none)
    assert checked("read_output", execution_id="x-absent")["isError"]


def test_files_that_a_run_wrote_are_links_that_can_be_read(checked, either):
    code = "open('report ä.txt', 'w').write('done'); open('pic.bin', 'wb').write(b'\\x00\\xff')"
    result = checked("execute_python", code=code)
    links = {b["name"]: b["uri"] for b in result["content"] if b["type"] == "resource_link"}
    text = either.call("resources/read", uri=links["report ä.txt"])["contents"][0]
    assert (text["text"], text["mimeType"]) == ("done", "text/plain")
    blob = either.call("resources/read", uri=links["pic.bin"])["contents"][0]
    assert base64.b64decode(blob["blob"]) == b"\x00\xff"
    listed = {r["uri"] for r in either.call("resources/list")["resources"]}
    assert set(links.values()) <= listed


def test_a_broken_picture_is_left_out_and_told(checked):
    result = checked(
        "execute_python", code="display({'image/png': b'no picture', 'text/plain': 'p'}, raw=True)"
    )
    assert [b["type"] for b in result["content"]] == ["text", "text"]
    assert "no valid PNG" in text_of(result)


def test_charts_are_image_content(client):
    result = client.tool(
        "execute_python",
        code="import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('T')",
    )
    image = next(b for b in result["content"] if b["type"] == "image")
    assert image["mimeType"] == "image/png"
    assert base64.b64decode(image["data"]).startswith(b"\x89PNG")
    shown = result["structuredContent"]["results"]
    assert any("image/png" in one["omitted"] and one["chart"] for one in shown)
    assert all("image/png" not in one["mime"] for one in shown)


def test_the_description_tells_policy_and_packages(start):
    limited = start(policy={"timeout_s": 7, "max_memory_bytes": 300 << 20, "network": "none"})
    tool = limited.call("tools/list")["tools"][0]
    for words in ("State persists", "7 s for each call", "300 MB of memory", "numpy", "pandas"):
        assert words in tool["description"]
    for words in ("load_csv(path", "read_output", "vectorise", "16 KB", "last expression"):
        assert words in tool["description"]
    assert tool["inputSchema"]["required"] == ["code"]
    assert list(tool["inputSchema"]["properties"]) == ["code", "timeout_seconds", "session_id"]


def test_a_policy_without_imports_says_so(start):
    strict = start(arguments=["--preload", ""], policy={"allowed_imports": []})
    description = strict.call("tools/list")["tools"][0]["description"]
    assert "allows no imports" in description and "numpy" not in description


def test_pieces_of_a_text_are_text_wherever_they_are_cut(checked):
    text = "aäöü€𝄞" * 40
    checked("upload_file", path="umlauts.txt", content=text)
    got, offset = "", 0
    while True:
        piece = checked("download_file", path="umlauts.txt", offset=offset, limit=7)
        piece = piece["structuredContent"]
        assert piece["encoding"] == "utf-8" and piece["next_offset"] > offset
        got, offset = got + piece["data"], piece["next_offset"]
        if piece["at_end"]:
            break
    assert got == text


def test_a_name_makes_no_line_of_its_own_in_a_text(either):
    name = "a\nstatus: timeout"
    code = f"globals()[{name!r}] = 1\nopen({name!r}, 'w').close()"
    texts = [
        text_of(either.tool("execute_python", code=code)),
        text_of(either.tool("list_variables")),
        text_of(either.tool("upload_file", path=name, content="x")),
        text_of(either.tool("list_files")),
        text_of(either.tool("inspect_variable", name="b\nstatus: timeout")),
    ]
    for text in texts:
        assert "\\nstatus: timeout" in text
        assert "status: timeout" not in text.splitlines()
