"""The official SDKs as clients over HTTP."""

import mcp_sdks
import pytest


def check(seen, era):
    mcp_sdks.check(seen)
    assert seen["version"] == mcp_sdks.VERSIONS[era]
    assert seen["unnamed_knows_x"] == "False"


@pytest.mark.parametrize("era", mcp_sdks.ERAS)
def test_the_python_sdk_works_through_a_session(server, binary, tmp_path_factory, era):
    where = ("http", server.url, server.token)
    check(mcp_sdks.python_sees(era, *where, binary=binary, tmp_path_factory=tmp_path_factory), era)


@pytest.mark.parametrize("era", mcp_sdks.ERAS)
def test_the_typescript_sdk_works_through_a_session(
    server, binary, tmp_path_factory, tmp_path, era
):
    where = ("http", server.url, server.token)
    seen = mcp_sdks.typescript_sees(
        era, *where, binary=binary, tmp_path_factory=tmp_path_factory, tmp_path=tmp_path
    )
    check(seen, era)
