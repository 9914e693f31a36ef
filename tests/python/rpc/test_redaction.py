"""Redaction at the border: no value of a redacted column is ever in the session."""

import glob
import json
import os
import time

import pytest
from rpc_client import PATIENCE_S, RpcError

SECRETS = [f"secret-{number}-zq9x@example.org" for number in range(2000)]
RULES = {"email": "hash", "ssn": "drop", "name": "mask"}


@pytest.fixture
def upload(client, session, tmp_path):
    def upload_text(name, text, rules=None, **params):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        rules = RULES if rules is None else rules
        return client.call(
            "session.upload", session_id=session, file=str(tmp_path / name), redact=rules, **params
        )

    return upload_text


@pytest.fixture
def read(client, session):
    def read_file(path):
        code = f"open({path!r}, encoding='utf-8').read()"
        result = client.call("session.run", session_id=session, code=f"print({code}, end='')")
        assert result["status"] == "ok", result["error"]
        return result["stdout"]

    return read_file


PEOPLE = (
    "id,name,email,ssn,city\n1,Ann,a@x.org,123,Oslo\n2,Bob,b@x.org,456,Lima\n3,,a@x.org,,Rome\n"
)


def test_a_csv_is_redacted_and_reported(upload, read):
    report = upload("people.csv", PEOPLE)
    assert report == {
        "path": "people.csv",
        "format": "csv",
        "columns": ["id", "name", "email", "ssn", "city"],
        "rows": 3,
        "rules": RULES,
    }
    rows = [line.split(",") for line in read("people.csv").splitlines()]
    assert rows[0] == ["id", "name", "email", "city"]
    assert [row[1] for row in rows[1:]] == ["***", "***", ""]
    assert rows[1][2] == rows[3][2] != rows[2][2] and len(rows[1][2]) == 32
    assert [row[3] for row in rows[1:]] == ["Oslo", "Lima", "Rome"]


def test_json_lines_are_redacted(upload, read):
    lines = [{"name": "Ann", "v": [1]}, {"name": {"first": "Bob"}, "email": "b"}, {"name": None}]
    text = "\n".join(map(json.dumps, lines))
    report = upload("p.jsonl", text, {"name": "mask", "email": "drop"})
    assert (report["rows"], report["columns"]) == (3, ["name", "v", "email"])
    assert [json.loads(line) for line in read("p.jsonl").splitlines()] == [
        {"name": "***", "v": [1]},
        {"name": "***"},
        {"name": None},
    ]


def test_the_same_key_gives_the_same_hashes_in_two_files(upload, read):
    text = "email\na@x.org\n"
    for name, key in (("a.csv", "k"), ("b.csv", "k"), ("c.csv", "other"), ("d.csv", "")):
        upload(name, text, {"email": "hash"}, hash_key=key)
    hashes = [read(name).split()[1] for name in ("a.csv", "b.csv", "c.csv", "d.csv")]
    assert hashes[0] == hashes[1] and len(set(hashes)) == 3


@pytest.mark.parametrize("delimiter, encoding", [(";", "utf-16"), ("\t", "cp1252"), ("|", "utf-8")])
def test_other_dialects_are_understood(upload, read, delimiter, encoding):
    text = 'name,wert\n"Ann ""é""",1\nBob,"zwei\nZeilen"\n'.replace(",", delimiter)
    assert upload("d.csv", text.encode(encoding), {"name": "mask"})["rows"] == 2
    assert read("d.csv").startswith(f"name{delimiter}wert\n***{delimiter}1\n")


@pytest.mark.parametrize(
    "name, text, rules, words",
    [
        ("a.csv", PEOPLE, {"emial": "hash"}, ["no column 'emial'", "email"]),
        ("a.csv", "a,a\n1,2\n", {"a": "drop"}, ["more than one column 'a'"]),
        ("a.csv", PEOPLE, {"email": "blur"}, ["no rule 'blur'", "drop, mask and hash"]),
        ("a.csv", "", {"a": "drop"}, ["empty"]),
        ("a.csv", "a,b\nzq9x,2,3\n", {"a": "drop"}, ["row 1 has more fields"]),
        ("a.jsonl", '{"a": 1}\n', {"b": "drop"}, ["no column 'b'"]),
        ("a.jsonl", '{"a": zq9x}\n', {"a": "drop"}, ["line 1 is no JSON"]),
        ("a.xlsx", "x", {"a": "drop"}, ["'xlsx'", "csv, jsonl, parquet"]),
    ],
)
def test_what_cannot_be_redacted_is_refused_whole(
    client, session, upload, name, text, rules, words
):
    with pytest.raises(RpcError) as caught:
        upload(name, text, rules)
    assert caught.value.kind == "bad_argument"
    for word in words:
        assert word in str(caught.value)
    assert "zq9x" not in str(caught.value)
    assert client.call("session.files", session_id=session)["files"] == []


def descendants(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(path) as children:
            for child in children.read().split():
                found += [int(child), *descendants(int(child))]
    return found


def memory_of(pid):
    """Yield everything that a process has mapped and may read."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if "r" not in rights or line.rstrip().endswith(("[vvar]", "[vsyscall]")):
                continue
            try:
                memory.seek(start)
                yield memory.read(end - start)
            except (OSError, ValueError, OverflowError):
                continue


def holders(client, text):
    """The server's processes below itself that hold a text in their memory."""
    found = []
    for pid in descendants(client.process.pid):
        try:
            if any(text.encode() in part for part in memory_of(pid)):
                found.append(pid)
        except OSError:
            continue
    return found


def test_no_redacted_value_is_in_the_sessions_memory_files_or_results(
    client, session, upload, tmp_path
):
    if os.geteuid() != 0:
        pytest.skip("only root may read another process's memory")
    text = "id,email\n" + "".join(f"{n},{secret}\n" for n, secret in enumerate(SECRETS))
    marker = "marker-that-is-in-the-session"
    client.call("session.run", session_id=session, code=f"kept = '{marker}'")
    report = upload("s.csv", text, {"email": "hash"})
    code = "rows = open('s.csv').read()\nprint(rows[:200])\nrows"
    result = client.call("session.run", session_id=session, code=code)
    assert report["rows"] == 2000 and "zq9x" not in json.dumps([report, result])
    for file in client.call("session.files", session_id=session)["files"]:
        data = client.call("session.download", session_id=session, path=file["path"])
        assert "zq9x" not in data["data_base64"]
    # The zygote, the sessions and their cages; the session that redacted ends by itself.
    deadline = time.monotonic() + PATIENCE_S
    while holders(client, SECRETS[7]) and time.monotonic() < deadline:
        pass
    assert holders(client, SECRETS[7]) == []
    assert holders(client, marker), "the session's own process was not among those looked at"


def test_a_local_file_and_a_folder_are_uploaded_as_they_are(client, session, tmp_path):
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_text("a\n1\n")
    (folder / "deep" / "b.bin").write_bytes(bytes(range(256)) * 50_000)
    (folder / "link").symlink_to("/etc/passwd")
    upload = {"session_id": session, "file": str(folder)}
    assert client.call("session.upload", **upload)["path"] == "data"
    files = client.call("session.files", session_id=session)["files"]
    assert [(one["path"], one["size"]) for one in files] == [
        ("data/a.csv", 4),
        ("data/deep/b.bin", 12_800_000),
    ]
    upload = {"session_id": session, "file": str(folder / "a.csv"), "path": "in/x.csv"}
    assert client.call("session.upload", **upload)["path"] == "in/x.csv"


def test_a_local_file_that_is_not_there_is_named(client, session):
    with pytest.raises(RpcError) as caught:
        client.call("session.upload", session_id=session, file="/not/there.csv")
    assert "/not/there.csv" in str(caught.value)
