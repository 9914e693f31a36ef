"""docs/mcp.md and docs/tool.md: what they list is what there is."""

import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "docs"
TEXT = (DOCS / "mcp.md").read_text(encoding="utf-8")


def table_of_tools():
    """Each tool's row: (arguments, fields of its result)."""
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|([^|]*)\|$", TEXT, re.MULTILINE)
    words = re.compile(r"`(\w+)\??(?: \[\{[^`]*)?`")
    return {
        name: (words.findall(arguments), words.findall(fields)) for name, arguments, fields in rows
    }


def test_every_tool_is_documented_with_its_arguments_and_fields(either):
    documented = table_of_tools()
    tools = either.call("tools/list")["tools"]
    assert list(documented) == [tool["name"] for tool in tools]
    for tool in tools:
        arguments, fields = documented[tool["name"]]
        given = set(tool["inputSchema"]["properties"]) - {"session_id"}
        assert set(arguments) == given, tool["name"]
        for name in tool["inputSchema"].get("required", []):
            assert f"`{name}`" in TEXT
        if tool["name"] != "execute_python":
            promised = set(tool["outputSchema"]["properties"]) - {"session_id"}
            assert promised <= set(fields), tool["name"]


def test_every_method_and_version_is_documented(either):
    source = (DOCS.parent / "src" / "mcp" / "methods.cpp").read_text(encoding="utf-8")
    methods = re.findall(r'Method\{"([a-z/_]+)"', source)
    assert len(methods) > 8
    assert [method for method in methods if f"`{method}`" not in TEXT] == []
    for template in either.call("resources/templates/list")["resourceTemplates"]:
        assert f"`{template['uriTemplate']}`" in TEXT
