"""The matplotlib backend of a session: Agg, with plt.show() sending pictures to the host.

Named by MPLBACKEND as `module://cellblock_runtime.matplotlib_backend`; imported by matplotlib only.
"""

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends import backend_agg

from . import results
from .own_builtins import __builtins__  # noqa: F401


class FigureManager(FigureManagerBase):
    """A manager whose `fig.show()` sends the picture at once."""

    def show(self):
        results.send_figure(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *args, **kwargs):
        show()


class FigureCanvas(backend_agg.FigureCanvasAgg):
    """Agg's canvas with our manager."""

    manager_class = FigureManager


show = results.show_open_figures
