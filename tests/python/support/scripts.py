"""Models that say what a test tells them to."""


class Script:
    """A model that says its lines in order, whatever it is told; it keeps what it was told."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.asked = []

    def __call__(self, messages):
        self.asked.append(messages)
        line = self.lines.pop(0)
        return line(messages) if callable(line) else line


def code(text):
    """A reply with this code."""
    return f"I try this.\n```python\n{text}\n```"
