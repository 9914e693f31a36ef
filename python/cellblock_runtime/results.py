"""Sending what is left to show at the end of an execution: figures and the main result."""

from . import figures
from .bundles import Bundle, bundle_of, has_drawn_figures, text_of
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .tracebacks import value_text
from .wire import outbox


class Limits:
    """The bounds of results, set when the session starts."""

    max_text_bytes = 16_384


def send_main_result(value):
    """Send the value of a cell's last expression; returns its text, None if it shows itself."""
    if figures.is_figure(value) and figures.shown.has(value):
        text = text_of(value, Limits.max_text_bytes)
        outbox.send(Bundle({"text/plain": text}), True)
        return text
    bundle = bundle_of(value, Limits.max_text_bytes)
    if bundle is None:
        return None
    outbox.send(bundle, True)
    return bundle.mime.get("text/plain")


def send_figure(figure):
    """Send one figure unless it has been shown as it is."""
    if figures.shown.has(figure):
        return
    text = text_of(figure, Limits.max_text_bytes)
    picture, error = attempt(figures.picture_of, figure)
    if is_interrupt(error):
        raise error
    if error is None:
        if picture.chart is not None:
            text += "\n" + picture.chart["description"]
        outbox.send(Bundle({"text/plain": text, **picture.mime}, picture.images, picture.chart))
    else:
        reason = f"{type(error).__name__}: {value_text(error)}"
        outbox.send(Bundle({"text/plain": f"{text}, which could not be drawn: {reason}"}))


def send_open_figures(but=None):
    """Send pyplot's open figures, oldest first, except the one that is the main result."""
    if not has_drawn_figures():
        return
    for figure in figures.open_figures():
        if figure is not but:
            send_figure(figure)


def show_open_figures(*args, **kwargs):
    """plt.show(): send all open figures in order, then close them."""
    send_open_figures()
    figures.close_all()
