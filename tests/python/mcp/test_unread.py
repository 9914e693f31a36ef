"""A client that asks for much and does not read."""

from processes import peak_mib

MAKE = "open('big.bin', 'wb').write(b'\\xff' * (4 << 20))"


def test_answers_that_nobody_reads_take_bounded_memory(start):
    client = start(arguments=["--preload", ""])
    assert not client.tool("execute_python", code=MAKE)["isError"]
    ids = [client.send_tool("download_file", path="big.bin", limit=4 << 20) for _ in range(60)]
    assert peak_mib(client.process.pid) < 700
    # Nothing is lost, and they are all there when they are read.
    for one in ids:
        assert client.answer(one)["structuredContent"]["at_end"]
    assert peak_mib(client.process.pid) < 700


def test_a_batch_whose_answers_are_too_large_together_is_told(start):
    client = start("2025-03-26", ["--preload", ""])
    assert not client.tool("execute_python", code=MAKE)["isError"]
    call = {"name": "download_file", "arguments": {"path": "big.bin", "limit": 4 << 20}}
    requests = [
        {"jsonrpc": "2.0", "id": 100 + i, "method": "tools/call", "params": call} for i in range(40)
    ]
    client.write_message(requests)
    answers = client.read_line()
    assert len(answers) == 40
    failed = [one["result"] for one in answers if one["result"]["isError"]]
    assert 0 < len(failed) < 40
    assert "leave no room" in failed[0]["content"][0]["text"]
    assert peak_mib(client.process.pid) < 700
    # The room is free again.
    assert not client.tool("download_file", path="big.bin", limit=4 << 20)["isError"]
