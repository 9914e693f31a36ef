"""Tracebacks for a reader who wrote the cell: plain text, bounded, the user's own frames.

Frames of ours never appear, frames inside installed libraries are counted instead of shown. Causes,
contexts, notes and the members of exception groups are, each to a bounded depth. No attribute of
an exception is read through its class, so a hostile class cannot take part.
"""

import linecache
import os
import sys
from itertools import islice
from traceback import FrameSummary, StackSummary, TracebackException

from .interrupts import attempt
from .own_builtins import OWN, __builtins__  # noqa: F401
from .text import bounded_repr, cut, type_name

MAX_VALUE = 4 * 1024
MAX_TRACEBACK = 16 * 1024
_MAX_LINKS = 12
_MAX_MEMBERS = 15
_MAX_FRAMES = 30
_MAX_FRAME = 1500
_MAX_REPEATS = 3
_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"
_LIBRARY_ENDINGS = (".pyx", ".pxi", "<__array_function__ internals>")

_cause_of = BaseException.__dict__["__cause__"].__get__
_context_of = BaseException.__dict__["__context__"].__get__
_is_suppressed = BaseException.__dict__["__suppress_context__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_arguments_of = BaseException.__dict__["args"].__get__
_members_of = BaseExceptionGroup.__dict__["exceptions"].__get__
_module_of = type.__dict__["__module__"].__get__
_qualname_of = type.__dict__["__qualname__"].__get__
_getattribute = BaseException.__getattribute__
_library_paths = tuple(
    {os.path.realpath(path) + os.sep for path in sys.path if path and os.path.isabs(path)}
    | {path + os.sep for path in sys.path if path and os.path.isabs(path)}
)


def format_error(error):
    """The whole traceback text of an exception."""
    lines = []
    _add_chain(lines, error, "", set(), 0)
    return cut("\n".join(lines), MAX_TRACEBACK)


def value_text(error):
    """str(error), bounded, whatever its `__str__` does."""
    value, failure = attempt(_bounded_str, error)
    if failure is not None:
        return f"<its str() raised {type_name(type(failure))}>"
    return cut(str.__str__(value), MAX_VALUE)


def _bounded_str(error):
    """str(error); what the builtin `__str__` would build is bounded before it is built."""
    kind, arguments = type(error), _arguments_of(error)
    if kind is KeyError and len(arguments) == 1:
        return bounded_repr(arguments[0], MAX_VALUE // 2)
    if kind.__str__ is BaseException.__str__ and arguments:
        if len(arguments) > 1:
            return bounded_repr(arguments, MAX_VALUE // 2)
        if type(arguments[0]) in (list, tuple, dict, set, int):
            return bounded_repr(arguments[0], MAX_VALUE // 2)
    return str(error)


def innermost_source_line(error):
    """(file name, line number, source line) of the user's innermost frame, or None."""
    found = None
    for frame, line_number, _ in _frames(_traceback_of(error)):
        filename = frame.f_code.co_filename
        if not _is_library(filename):
            found = filename, line_number
    if found is None:
        return None
    return found + (linecache.getline(*found).strip(),)


def innermost_filename(error):
    """Of the code that raised an exception, be it a library's; "" where that is not known."""
    filename = ""
    for frame, _, _ in _frames(_traceback_of(error)):
        filename = frame.f_code.co_filename
    return filename


def _add_chain(lines, error, indent, seen, depth):
    """Append an exception after those that led to it, as the interpreter orders them."""
    links = []
    while error is not None and id(error) not in seen and len(links) < _MAX_LINKS:
        seen.add(id(error))
        cause, context = _cause_of(error), _context_of(error)
        if cause is not None:
            links.append((error, _CAUSE))
            error = cause
        elif context is not None and not _is_suppressed(error):
            links.append((error, _CONTEXT))
            error = context
        else:
            links.append((error, ""))
            error = None
    links.reverse()
    for position, (link, _) in enumerate(links):
        if position + 1 < len(links) and _adds_nothing(link, links[position + 1][0]):
            continue
        _add_one(lines, link, indent, seen, depth)
        if position + 1 < len(links):
            joint = links[position + 1][1]
            lines += [indent.rstrip(), indent + joint, indent.rstrip()]


def _adds_nothing(link, following):
    """Whether an exception from within a library was only raised again with the same words."""
    if type(link) is not type(following) or _frame_texts(_traceback_of(link)):
        return False
    return value_text(link) == value_text(following)


def _add_one(lines, error, indent, seen, depth):
    is_group = issubclass(type(error), BaseExceptionGroup)
    frames = _frame_texts(_traceback_of(error))
    bar = indent + "  | " if is_group and not depth else indent
    if is_group and not depth:
        head = "  + Exception Group Traceback (most recent call last):"
    else:
        head = ("Exception Group " if is_group else "") + "Traceback (most recent call last):"
    if frames:
        lines.append(indent + head)
    texts = frames + _exception_lines(error)
    lines += [bar + line for text in texts for line in text.rstrip("\n").split("\n")]
    if is_group:
        _add_members(lines, _members_of(error), bar, seen, depth)


def _add_members(lines, members, bar, seen, depth):
    edge = bar[:-2]
    if depth >= 6:
        lines.append(f"{edge}+ [{len(members)} exceptions inside left out]")
        return
    for number, member in enumerate(members[:_MAX_MEMBERS], 1):
        corner = "+-+" if number == 1 else "  +"
        lines.append(f"{edge}{corner}---------------- {number} ----------------")
        _add_chain(lines, member, edge + "  | ", seen, depth + 1)
    if len(members) > _MAX_MEMBERS:
        lines.append(f"{edge}  | [{len(members) - _MAX_MEMBERS} more exceptions left out]")
    lines.append(f"{edge}  +------------------------------------")


def _exception_lines(error):
    if issubclass(type(error), SyntaxError) and type(error).__str__ is SyntaxError.__str__:
        return _syntax_error_lines(error)
    value = value_text(error)
    name = _full_name(type(error))
    return [f"{name}: {value}" if value else name] + _notes(error)


def _full_name(kind):
    module, name = _module_of(kind), _qualname_of(kind)
    return name if module in ("builtins", "__main__") else f"{module}.{name}"


def _notes(error):
    notes, failure = attempt(_getattribute, error, "__notes__")
    if failure is not None or type(notes) is not list:
        return []
    return [cut(note, MAX_VALUE) for note in notes[:20] if type(note) is str]


def _syntax_error_lines(error):
    """As the interpreter shows it: file and line, the source, the caret, the message."""
    details = (error.filename, error.lineno, error.offset, error.text)
    details += (error.end_lineno, error.end_offset)
    copy = SyntaxError(cut(str(error.msg), MAX_VALUE), details)
    name = _full_name(type(error))
    lines = list(TracebackException(SyntaxError, copy, None).format_exception_only())
    return [cut(line.replace("SyntaxError: ", f"{name}: ", 1), MAX_VALUE) for line in lines]


def _frames(traceback):
    """(frame, line number, last instruction) of all frames but ours and the import system's."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_builtins is not OWN and not frame.f_code.co_filename.startswith("<frozen "):
            yield frame, traceback.tb_lineno, traceback.tb_lasti
        traceback = traceback.tb_next


def _is_library(filename):
    return filename.startswith(_library_paths) or filename.endswith(_LIBRARY_ENDINGS)


def _frame_texts(traceback):
    """One text per shown frame, with repeats and library frames collapsed."""
    runs = []
    for frame, line_number, instruction in _frames(traceback):
        code = frame.f_code
        library = _library_name(frame) if _is_library(code.co_filename) else None
        key = library or (code, line_number)
        if runs and runs[-1][0] == key:
            runs[-1][1] += 1
        elif library is None or runs:
            runs.append([key, 1, library, instruction])
    texts, summary = [], StackSummary()
    if len(runs) > _MAX_FRAMES:
        head, left_out = _MAX_FRAMES // 3, len(runs) - _MAX_FRAMES
        tail = head + left_out
        runs[head:tail] = [[None, left_out, None, 0]]
    for key, count, library, instruction in runs:
        if key is None:
            texts.append(f"  [{count:,} frames left out]")
        elif library:
            texts.append(f"  [{count} frame{'s' * (count > 1)} in {library}]")
        else:
            text = summary.format_frame_summary(_summary_of(*key, instruction)).rstrip("\n")
            text = cut(text, _MAX_FRAME)
            texts += [text] * min(count, _MAX_REPEATS)
            if count > _MAX_REPEATS:
                texts.append(f"  [Previous line repeated {count - _MAX_REPEATS:,} more times]")
    return texts


def _library_name(frame):
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if type(name) is str else "a library"


def _summary_of(code, line_number, instruction):
    end_line, start_column, end_column = None, None, None
    positions = next(islice(code.co_positions(), max(instruction, 0) // 2, None), None)
    if positions is not None and positions[0] == line_number:
        _, end_line, start_column, end_column = positions
    return FrameSummary(
        code.co_filename,
        line_number,
        code.co_name,
        lookup_line=False,
        end_lineno=end_line,
        colno=start_column,
        end_colno=end_column,
    )
