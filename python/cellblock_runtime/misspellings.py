"""Which module a missing one was meant to be: a slip of the pen, or a package's other name."""

from . import packages
from .own_builtins import __builtins__  # noqa: F401
from .refusals import is_known

# Packages of their own, however close to others in their spelling.
_REAL = frozenset(
    "arch arrow attr attrs cupy dash dask dill fire flask glom h5py httpx jax jwt keras lxml mock "
    "nltk numba nx orjson polars pandera psycopg pymc ray regex rich rtree scapy shap simplejson "
    "simpy skimage sklearn spacy sympy toml torch typer ujson xarray yaml zmq".split()
)
# How they are installed and how they are imported.
_IMPORTED_AS = {
    "beautifulsoup4": "bs4",
    "opencv_python": "cv2",
    "pillow": "PIL",
    "python_dateutil": "dateutil",
    "python_docx": "docx",
    "python_pptx": "pptx",
    "pyyaml": "yaml",
    "scikit_image": "skimage",
    "scikit_learn": "sklearn",
}
_LONG = 8


def meant_by(name):
    """The names that can be imported and that a missing one is a misspelling of, best first."""
    usual = _IMPORTED_AS.get(name.lower())
    if usual is not None:
        return [usual] if packages.is_installed(usual) and packages.Offer.allows(usual) else []
    if len(name) > 100:
        return []
    names = [other for other in packages.importable_names() if other != name]
    near = [other for other in names if other.lower() == name.lower()]
    if not near and not _is_a_package(name) and len(name) > 3:
        most = 2 if len(name) >= _LONG else 1
        ranked = sorted((distance(name, other, most), other) for other in names)
        near = [other for edits, other in ranked if edits <= most and not _succeeds(name, other)]
    return [other for other in near if packages.is_installed(other)][:3]


def _is_a_package(name):
    """Whether a name is known to be a package's, whether it is there or not."""
    return name in _REAL or name in packages.Offer.listed or is_known(name)


def _succeeds(name, other):
    """Whether only a number at the end sets a name apart, as packages name their successors."""
    return name.rstrip("0123456789") == other


def distance(one, other, most):
    """The least number of letters to add, drop, replace or swap; more than `most` is not told."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, last = [], list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, its in enumerate(other, 1):
            least = min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == its:
                least = min(least, before[j - 2] + 1)
            row.append(least)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
