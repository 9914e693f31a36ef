"""What a user may expect of cells: cases.jsonl, each a session over `cellblock serve --stdio`.

A case: `claim`; `cells`, each its code or an object with further parameters of session.run;
`holds`, expressions that must be true of `r` (the results), `last` (r[-1]) and `opened` (what
session.open gave); optional `policy` and `needs`, a package without which it is skipped.
"""

import json
import pathlib

import pytest

CASES = [
    json.loads(line)
    for line in (pathlib.Path(__file__).parent / "cases.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["claim"])
def test_behaviour(client, case):
    if "needs" in case and case["needs"] not in client.call("engine.info")["preloaded"]:
        pytest.skip(f"{case['needs']} is not installed")
    opened = client.call("session.open", policy=case.get("policy", {}))
    session = opened["session_id"]
    results = []
    for cell in case["cells"]:
        params = {"code": cell} if isinstance(cell, str) else cell
        results.append(client.call("session.run", session_id=session, **params))
    client.call("session.close", session_id=session)
    names = {"r": results, "last": results[-1], "opened": opened}
    for expression in case["holds"]:
        assert eval(expression, dict(names)), (expression, results)
