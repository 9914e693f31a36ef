"""Policies: fields by their JSON names, refused with the library's sentence, never changed."""

import json
import pickle

import cellblock
import pytest
from cellblock import SecurityPolicy


def test_fields_have_their_json_names_and_defaults():
    policy = SecurityPolicy(timeout_s=2.5, max_memory_bytes=None)
    assert policy.timeout_s == 2.5
    assert policy.max_memory_bytes is None
    assert policy.max_threads == 32
    assert "numpy" in policy.allowed_imports


def test_a_profile_is_the_base_of_the_other_fields():
    strict = SecurityPolicy.from_profile("strict")
    assert strict.timeout_s == 10
    changed = SecurityPolicy(profile="strict", timeout_s=3)
    assert (changed.timeout_s, changed.max_memory_bytes) == (3, strict.max_memory_bytes)
    assert SecurityPolicy.from_profile("trusted").import_guard == "off"
    with pytest.raises(cellblock.PolicyInvalid, match="profile"):
        SecurityPolicy.from_profile("lax")


@pytest.mark.parametrize(
    "fields, word",
    [
        ({"timeout": 5}, 'did you mean "timeout_s"'),
        ({"timeout_s": "5"}, "timeout_s"),
        ({"timeout_s": -1}, "timeout_s"),
        ({"allowed_imports": [1]}, "allowed_imports"),
        ({"network": "all"}, "network"),
        ({"timeout_s": float("nan")}, ""),
    ],
)
def test_what_cannot_be_is_refused_by_name(fields, word):
    with pytest.raises(cellblock.PolicyInvalid, match=word) as raised:
        SecurityPolicy(**fields)
    assert raised.value.kind == "policy_invalid"
    assert raised.value.message == str(raised.value)


def test_a_value_that_is_no_json_is_a_type_error():
    with pytest.raises(TypeError):
        SecurityPolicy(timeout_s=object())


def test_round_trips():
    policy = SecurityPolicy(profile="strict", env={"A": "b"}, allowed_imports=("json",))
    assert SecurityPolicy.from_dict(policy.to_dict()) == policy
    assert SecurityPolicy.from_dict(json.loads(policy.to_json())) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert eval(repr(policy)) == policy
    assert len({policy, SecurityPolicy.from_dict(policy.to_dict()), SecurityPolicy()}) == 2


def test_it_cannot_be_changed():
    policy = SecurityPolicy(env={"A": "b"})
    with pytest.raises(AttributeError, match="replace"):
        policy.timeout_s = 5
    with pytest.raises(AttributeError):
        del policy.timeout_s
    with pytest.raises(TypeError):
        policy.env["B"] = "c"
    policy.to_dict()["env"]["B"] = "c"
    assert policy == SecurityPolicy(env={"A": "b"})


def test_replace_changes_a_copy():
    policy = SecurityPolicy(profile="strict")
    changed = policy.replace(timeout_s=1)
    assert (changed.timeout_s, policy.timeout_s) == (1, 10)
    assert changed.max_memory_bytes == policy.max_memory_bytes
    with pytest.raises(cellblock.PolicyInvalid):
        policy.replace(tiemout_s=1)


def test_sessions_take_policies_and_plain_fields(executor):
    for policy in (SecurityPolicy(timeout_s=0.3), {"timeout_s": 0.3}):
        with executor.open_session(policy) as session:
            assert session.run("while True: pass").status == "timeout"
    with pytest.raises(cellblock.PolicyInvalid):
        executor.open_session({"nope": 1})
