"""What is set right in a library when it is imported: show() puts a result instead of opening a
browser or a viewer, and IPython.display is there when IPython is not.

A finder on sys.meta_path waits for the named modules; nothing is imported for its sake.
"""

import sys
from importlib.machinery import ModuleSpec
from sys import modules

from . import ipython_display, results
from .display import clear_output, display, update_display
from .own_builtins import __builtins__  # noqa: F401


def _show(value, *arguments, **options):
    """Show a figure as a result."""
    display(value)


def _show_plotly(figure, *arguments, **options):
    """Show a plotly figure as a result."""
    if isinstance(figure, dict):
        figure = modules["plotly"].graph_objects.Figure(figure)
    display(figure)


def _plotly(module):
    module.show = _show_plotly


def _bokeh(module):
    module.show = _show


def _altair(module):
    module.TopLevelMixin.show = _show


def _pillow(module):
    class Viewer(module.Viewer):
        """Shows an image as a result."""

        def show(self, image, **options):
            display(image)
            return True

    module.register(Viewer, 0)


def _ipython(module):
    module.display = display
    module.update_display = update_display
    module.clear_output = clear_output


def _agg(module):
    # Much code says matplotlib.use("Agg"): there plt.show() would only warn, and what should have
    # been several figures would be drawn into one.
    module.show = results.show_open_figures


_SET_RIGHT = {
    "matplotlib.backends.backend_agg": _agg,
    "plotly.io._renderers": _plotly,
    "bokeh.io.showing": _bokeh,
    "altair.vegalite.v5.api": _altair,
    "altair.vegalite.v6.api": _altair,
    "PIL.ImageShow": _pillow,
    "IPython.core.display_functions": _ipython,
}


class _Loader:
    """The module's own loader, and what is to be done afterwards."""

    def __init__(self, loader, set_right):
        self.loader = loader
        self.set_right = set_right

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.set_right(module)


class _Finder:
    """First on sys.meta_path; asks the others for the modules that it waits for."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        set_right = _SET_RIGHT.get(name)
        if set_right is None:
            return None
        for finder in sys.meta_path:
            if finder is _Finder or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, set_right)
                return spec
        return None


class _StandIn:
    """Last on sys.meta_path: gives IPython and IPython.display where IPython is not installed."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in ("IPython", "IPython.display"):
            return None
        return ModuleSpec(name, cls, is_package=name == "IPython")

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        if module.__name__ == "IPython.display":
            vars(module).update(ipython_display.NAMES)
        else:
            module.get_ipython = ipython_display.get_ipython
            module.display = display
            # matplotlib asks, and patches what is older than 8.24.
            module.version_info = ipython_display.VERSION_INFO
            module.__version__ = ".".join(map(str, module.version_info[:3]))


def install():
    """Wait for the libraries from now on; those that are loaded already are set right at once."""
    if _Finder in sys.meta_path:
        return
    sys.meta_path.insert(0, _Finder)
    sys.meta_path.append(_StandIn)
    for name, set_right in _SET_RIGHT.items():
        if name in modules:
            set_right(modules[name])
