"""Figures as sixel pictures, for terminals that draw those: six rows of pixels a character."""

from .own_builtins import __builtins__  # noqa: F401

_LEVELS = 6  # of red, green and blue each
_MAX_WIDTH = 900


def sixel_of(figure):
    """The body of a sixel picture (without the escape sequences around it) as bytes."""
    import numpy

    dpi = min(figure.get_dpi(), _MAX_WIDTH / max(figure.get_size_inches()[0], 0.01))
    pixels = _drawn(figure, dpi)[:, :, :3].astype(numpy.uint16)
    colours = (pixels * (_LEVELS - 1) + 127) // 255
    numbers = (colours[:, :, 0] * _LEVELS + colours[:, :, 1]) * _LEVELS + colours[:, :, 2]
    parts = [f'"1;1;{numbers.shape[1]};{numbers.shape[0]}']
    parts += [_definition(int(number)) for number in numpy.unique(numbers)]
    weights = 1 << numpy.arange(6)
    for top in range(0, numbers.shape[0], 6):
        band = numbers[top : top + 6]
        for number in numpy.unique(band).tolist():
            bits = ((band == number) * weights[: len(band), None]).sum(axis=0)
            parts.append(f"#{number}{_run_lengths(bits.tolist())}$")
        parts.append("-")
    return "".join(parts).encode("ascii")


def _drawn(figure, dpi):
    """The figure's pixels, drawn by Agg whatever its own canvas is."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    import numpy

    canvas, old = figure.canvas, figure.dpi
    try:
        figure.dpi = dpi
        own = FigureCanvasAgg(figure)
        own.draw()
        return numpy.asarray(own.buffer_rgba()).copy()
    finally:
        figure.dpi = old
        figure.set_canvas(canvas)


def _definition(number):
    red, rest = divmod(number, _LEVELS * _LEVELS)
    green, blue = divmod(rest, _LEVELS)
    percents = [level * 100 // (_LEVELS - 1) for level in (red, green, blue)]
    return f"#{number};2;{percents[0]};{percents[1]};{percents[2]}"


def _run_lengths(bits):
    parts, start = [], 0
    for place in range(1, len(bits) + 1):
        if place == len(bits) or bits[place] != bits[start]:
            character = chr(63 + bits[start])
            length = place - start
            parts.append(f"!{length}{character}" if length > 3 else character * length)
            start = place
    return "".join(parts)
