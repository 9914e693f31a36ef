"""What a session's cells import, and importing it again in a successor."""

import sys

import pytest


@pytest.fixture
def noting(make_run):
    """A session that notes imports."""
    return make_run(notes_imports=True)


def test_imports_at_the_top_level_are_noted_once(noting):
    noting("import math as m, json\nfrom os.path import join\nimport json, math")
    reply = noting("import math as m, json\ndef f():\n    import csv")
    assert reply["imports"] == [
        "from os.path import join",
        "import math",
        "import math as m",
        "import json",
    ]


def test_an_import_in_a_cell_that_fails_or_in_a_fence_is_noted(noting):
    noting("import math\n1 / 0")
    assert noting("```python\nimport json\n```")["imports"] == ["import math", "import json"]


def test_a_reset_forgets_imports(noting):
    noting("import math")
    noting.session.reset()
    assert noting("import json")["imports"] == ["import json"]


def test_what_is_no_python_is_not_noted(noting):
    assert noting("import math\nfor in")["imports"] == []


def test_a_session_that_does_not_note_says_nothing(run):
    assert "imports" not in run("import math")


def test_a_successor_imports_before_the_cell(noting):
    assert noting("m.floor(1.5)", imports=["import math as m"])["text"] == "1"
    assert noting("1")["imports"] == ["import math as m"]


def test_a_failure_is_told_and_no_more(noting, capsys):
    reply = noting("1 + 1", imports=["import not_there_at_all", "import math"])
    assert (reply["status"], reply["text"]) == ("ok", "2")
    assert reply["imports"] == ["import math"]
    assert "not imported again: import not_there_at_all (ModuleNotFoundError" in (
        capsys.readouterr().err
    )


def test_an_interrupt_of_an_import_ends_the_execution(noting, tmp_path, monkeypatch):
    (tmp_path / "interrupted_module.py").write_text("raise KeyboardInterrupt")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    reply = noting("ran = True", imports=["import interrupted_module", "import math"])
    assert reply["status"] == "error" and reply["interrupted"]
    assert "ran" not in noting.namespace and "math" not in noting.namespace


def test_noted_imports_are_bounded(noting):
    noting("\n".join(f"import math as m{n}" for n in range(300)))
    reply = noting("import math as " + "m" * 600)
    assert len(reply["imports"]) == 200
    assert reply["imports"][-1] == "import math as m299"
