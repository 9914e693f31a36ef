"""Python is found in whatever a model writes around it."""

import pytest
from cellblock.agent.code_blocks import python_blocks

CASES = {
    "a marked block": ("Here:\n```python\nx = 1\n```\nDone.", ["x = 1"]),
    "an unmarked block": ("```\nx = 1\n```", ["x = 1"]),
    "other names for Python": (
        "```py\na\n```\n```Python3\nb\n```\n```{.python}\nc\n```",
        list("abc"),
    ),
    "more behind the name": ('```python title="a.py"\nx\n```', ["x"]),
    "tildes": ("~~~python\nx\n~~~", ["x"]),
    "a longer fence around a shorter one": ("````python\n'```'\n```\ny\n````", ["'```'\n```\ny"]),
    "a block that never ends": ("```python\nx = 1\ny = 2", ["x = 1\ny = 2"]),
    "a block within a list": (
        "1. First:\n   ```python\n   if a:\n       b\n   ```",
        ["if a:\n    b"],
    ),
    "Windows' line ends": ("```python\r\nx = 1\r\n```\r\n", ["x = 1"]),
    "several blocks": ("```python\na\n```\nand\n```python\nb\n```", ["a", "b"]),
    "other languages are left out": ("```bash\npip install x\n```\n```json\n{}\n```", []),
    "backticks within a string": (
        '```python\ns = """\n```\ncode\n```\n"""\n```\nEnd.',
        ['s = """\n```\ncode\n```\n"""'],
    ),
    "an odd quote does not swallow the rest": ('```python\ns = """\n```\nEnd.', ['s = """']),
    "inline code is no block": ("Use `x = 1` and ```y = 2``` here.", []),
    "an empty block": ("```python\n\n```", []),
    "prose": ("The answer is 42.", []),
    "nothing": ("", []),
    "a thought's code is not sent": (
        "<think>\n```python\nbad()\n```\n</think>\n```python\ngood()\n```",
        ["good()"],
    ),
    "a thought that the template began": (
        "```python\nbad()\n```\n</think>\n```\ngood()\n```",
        ["good()"],
    ),
    "a thought that never ends": ("<think>\n```python\nbad()\n```", []),
}


@pytest.mark.parametrize("text, blocks", CASES.values(), ids=CASES.keys())
def test_the_blocks_of(text, blocks):
    assert python_blocks(text) == blocks


def test_many_fences_take_no_long_time():
    text = "```python\n" + '"""\n```\n' * 5000

    assert len(python_blocks(text)) >= 1
