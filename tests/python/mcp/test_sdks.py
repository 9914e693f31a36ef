"""The official SDKs as clients of `cellblock mcp`."""

import mcp_sdks
import pytest


@pytest.mark.parametrize("era", mcp_sdks.ERAS)
def test_the_python_sdk_works_through_a_session(binary, tmp_path_factory, environment, era):
    seen = mcp_sdks.python_sees(
        era,
        "stdio",
        binary,
        binary=binary,
        tmp_path_factory=tmp_path_factory,
        environment=environment,
    )
    mcp_sdks.check(seen)
    assert seen["version"] == mcp_sdks.VERSIONS[era]
    assert seen["unnamed_knows_x"] == "True"


@pytest.mark.parametrize("era", mcp_sdks.ERAS)
def test_the_typescript_sdk_works_through_a_session(
    binary, tmp_path_factory, tmp_path, environment, era
):
    seen = mcp_sdks.typescript_sees(
        era,
        "stdio",
        binary,
        binary=binary,
        tmp_path_factory=tmp_path_factory,
        tmp_path=tmp_path,
        environment=environment,
    )
    mcp_sdks.check(seen)
    assert seen["server"] == "cellblock"
    assert seen["version"] in (mcp_sdks.VERSIONS[era], None if era == "handshake" else "")
    assert seen["unnamed_knows_x"] == "True"
