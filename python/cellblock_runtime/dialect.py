"""What notebooks accept beyond Python: code fences, an indented cell, magics and shell escapes.

Valid Python is never touched. Only when a cell does not parse are lines that begin with `%` or
`!` looked at; each line keeps its number, so tracebacks stay right.
"""

import re
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from .own_builtins import __builtins__  # noqa: F401

_FENCE = "```"
_IGNORED = frozenset(
    "matplotlib config load_ext reload_ext autoreload pylab colors precision warnings".split()
)
# What `%matplotlib` may be asked for that opens windows or needs a notebook's page.
_WINDOWS = frozenset("gtk gtk3 gtk4 notebook nbagg osx qt qt4 qt5 qt6 tk widget wx".split())
NO_WINDOWS = (
    "There is no screen here for a window: each figure is shown as a picture when the cell ends or "
    "at plt.show(). Leave the choice of a backend out."
)
_FIGURE_FORMATS = re.compile(r"\s*InlineBackend\.figure_formats?\s*=(.*)")
_CELL_IGNORED = frozenset(("capture", "python", "python3"))
_MAX_LINES = 200
_MESSAGES = {
    "install": "packages cannot be installed here",
    "shell": "there is no shell here",
    "magic": "unknown magic",
}


class Refused(SyntaxError):
    """A `!command`, `%pip` or unknown magic; its hint says what to do instead."""

    def __init__(self, line, filename, line_number, kind):
        super().__init__(_MESSAGES[kind], (filename, line_number, 1, line))
        self.kind = kind


# To the user it is what it would be elsewhere.
Refused.__name__ = Refused.__qualname__ = "SyntaxError"
Refused.__module__ = "builtins"


class Plan:
    """A cell with its magics taken out."""

    def __init__(self, source):
        self.source = source
        self.timed_lines = set()
        self.is_timed = False
        self.figure_formats = None
        self.notes = []


def without_fence(code):
    """The source inside a Markdown fence or common indentation; line numbers are kept."""
    if "\r" in code:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
    if _FENCE in code and code.lstrip().startswith(_FENCE):
        code = _inside_fences(code)
    if code[:1] in " \t\n" and code.strip():
        code = _dedented(code)
    return code


def _inside_fences(code):
    """The lines of all fenced blocks; fences and the prose between them become empty lines."""
    lines, is_inside = [], False
    for line in code.split("\n"):
        if line.strip() == _FENCE if is_inside else line.lstrip().startswith(_FENCE):
            is_inside = not is_inside
            line = ""
        lines.append(line if is_inside else "")
    return "\n".join(lines)


def has_open_fence(code):
    """Whether a fence has been opened and not yet closed."""
    fences = [line for line in code.split("\n") if line.lstrip().startswith(_FENCE)]
    return len(fences) % 2 == 1


def translate(source, filename, error):
    """A Plan without magics (it may still be wrong Python), or None when there are none.

    Raises Refused for a line that cannot be carried out here.
    """
    if "%" not in source and "!" not in source:
        return None
    plan = Plan(source)
    lines = source.split("\n")
    for _ in range(_MAX_LINES):
        number = _culprit(lines, error)
        if number is None:
            break
        lines[number] = _translated(lines[number], filename, number + 1, plan)
        plan.source = "\n".join(lines)
        try:
            compile(plan.source, filename, "exec", _PARSE, True)
            return plan
        except SyntaxError as next_error:
            error = next_error
    return plan if plan.source is not source else None


_PARSE = PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT


def _culprit(lines, error):
    """The index of the line with the magic that the parser stumbled over, or None."""
    number = (error.lineno or 1) - 1
    if number < len(lines) and _is_magic(lines[number]):
        return number
    return next((i for i, line in enumerate(lines[: number + 1]) if _is_magic(line)), None)


def _is_magic(line):
    text = line.lstrip()
    return text[:1] in ("%", "!") or " = !" in text or " = %" in text or " =!" in text


def _translated(line, filename, number, plan):
    text = line.strip()
    indent = line[: len(line) - len(line.lstrip())]
    mark = text.lstrip("%")
    name, _, rest = mark.partition(" ")
    is_cell_magic = text.startswith("%%")
    if text.startswith("%") and name == "time":
        if is_cell_magic and not rest.strip():
            plan.is_timed = True
            return ""
        plan.timed_lines.add(number)
        return indent + rest.strip()
    if name == "matplotlib" and rest.strip().partition(" ")[0] in _WINDOWS:
        plan.notes.append(NO_WINDOWS)
    if name == "config":
        plan.figure_formats = _figure_formats(rest) or plan.figure_formats
    if text.startswith("%") and name in (_CELL_IGNORED if is_cell_magic else _IGNORED):
        return indent + "pass"
    raise Refused(text, filename, number, _kind(text, name))


def _figure_formats(setting):
    """The formats of `%config InlineBackend.figure_formats = [...]`; empty for anything else."""
    found = _FIGURE_FORMATS.fullmatch(setting)
    return re.findall(r"[\"']([a-z0-9]+)[\"']", found.group(1)) if found else []


def _kind(text, name):
    command = text.lstrip("!%").strip() if text[0] in "!%" else text
    if _is_install(command.split()):
        return "install"
    if text.startswith("%") and name not in ("sh", "bash", "system", "sx", "script"):
        return "magic"
    return "shell"


def _is_install(words):
    return words[:1] and words[0] in _INSTALLERS or words[1:3] == ["-m", "pip"]


def kind_of_command(line):
    """ "install" or "shell" for a line that is a shell's command and no Python; else None."""
    line = line.strip()
    words = line.split()
    if not words or words[0] not in _COMMANDS or not _has_arguments_of_a_command(line):
        return None
    return "install" if _is_install(words) else "shell"


_INSTALLERS = frozenset("apt apt-get brew conda mamba pip pip3 poetry uv yum".split())
# Words that hardly begin a line of anything else.
_COMMANDS = _INSTALLERS | frozenset(
    "awk bash cat cd chmod chown cp curl echo export git grep ls mkdir mv ps pwd python python3 rm "
    "rmdir sed sh ssh sudo tar touch uname unzip wget whoami".split()
)
# Nothing, or a word, an option, a path, a quoted text after a space: no operator, call or "=".
_has_arguments_of_a_command = re.compile(
    r"\S+(\s+(?!(in|is|if|or|and|not|for)\b)(-{1,2}\w|[\w\"'$*]|\.{0,2}/(?!\s)|\.+$|~).*)?"
).fullmatch


def _dedented(code):
    lines = code.split("\n")
    first = next(line for line in lines if line.strip())
    indent = first[: len(first) - len(first.lstrip())]
    if not indent or not all(line.startswith(indent) or not line.strip() for line in lines):
        return code
    return "\n".join(line.removeprefix(indent) for line in lines)
