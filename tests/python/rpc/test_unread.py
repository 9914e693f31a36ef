"""A peer that asks for much and does not read."""

from processes import peak_mib


def test_answers_that_nobody_reads_take_bounded_memory(client, session):
    code = "open('big.bin', 'wb').write(b'\\xff' * (32 << 20))"
    assert client.call("session.run", session_id=session, code=code)["status"] == "ok"
    ids = [client.send("session.download", session_id=session, path="big.bin") for _ in range(20)]
    assert peak_mib(client.process.pid) < 1000
    for one in ids:
        assert client.answer(one)["at_end"]
    assert peak_mib(client.process.pid) < 1000
