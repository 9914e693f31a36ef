"""Files over HTTP: no name reaches outside a session's workspace."""

import base64
import io
import tarfile
import zipfile

import pytest


@pytest.fixture(scope="module")
def session(server):
    result = server.call("execute_python", code="import os, pathlib")
    return result["structuredContent"]["session_id"]


def run(server, session, code):
    result = server.call("execute_python", code=code, session_id=session)["structuredContent"]
    assert result["status"] == "ok", result
    return result["text"]


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "a/../../x",
        "/etc/x",
        "/workspace/../x",
        "..",
        ".",
        "",
        "a\0b",
        "a/" * 3000 + "x",
        "x" * 300,
        "folder",
        "to_tmp/x",
        "to_file/x",
        "to_passwd",
    ],
    ids=lambda path: ascii(path)[:30],
)
def test_a_path_that_leads_elsewhere_is_refused(server, session, path):
    run(
        server,
        session,
        "os.makedirs('folder', exist_ok=True)\n"
        "for name, target in [('to_tmp', '/tmp'), ('to_passwd', '/etc/passwd')]:\n"
        "    os.path.lexists(name) or os.symlink(target, name)\n"
        "open('to_file', 'w').write('x');",
    )
    files = "sorted(map(str, pathlib.Path('.').rglob('*'))) + os.listdir('/tmp')"
    before = run(server, session, files)
    for tool, more in (("upload_file", {"content": "evil"}), ("download_file", {})):
        result = server.call(tool, path=path, session_id=session, **more)
        assert result["isError"], result
    assert run(server, session, files) == before


def test_what_looks_odd_is_a_name_inside(server, session):
    for path in (".hidden", "a\\..\\b", "sp ace", "ü"):
        result = server.call("upload_file", path=path, content="1", session_id=session)
        assert not result["isError"], result
        inside = f"pathlib.Path({result['structuredContent']['path']!r}).read_text()"
        assert run(server, session, inside) == "'1'"


def archive():
    """Members that try to leave, and a bomb."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("../../outside", "evil")
        file.writestr("/absolute", "evil")
        file.writestr("bomb", b"\0" * (100 << 20))
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w:gz") as file:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
        lying = tarfile.TarInfo("lying")
        lying.size = 1 << 20
        file.addfile(lying, io.BytesIO(b"\0" * (1 << 20)))
    return packed.getvalue(), tarred.getvalue()


def test_archives_are_files_that_nobody_unpacks(server, session):
    """What unpacks one is code in the session, within its limits."""
    for name, data in zip(("a.zip", "a.tar.gz"), archive()):
        encoded = base64.b64encode(data).decode()
        result = server.call("upload_file", path=name, data_base64=encoded, session_id=session)
        assert result["structuredContent"]["bytes"] == len(data)
    names = run(server, session, "sorted(os.listdir('.'))")
    assert "outside" not in names and "bomb" not in names and "lying" not in names
    code = "import zipfile\nzipfile.ZipFile('a.zip').extractall('out')"
    result = server.call("execute_python", code=code, session_id=session)["structuredContent"]
    assert result["status"] in ("ok", "error", "crashed"), result["status"]
    assert run(server, session, "6 * 7") == "42"
