"""What libraries and valid programs need works under the default policy."""

import importlib.util

import pytest


def needs(*packages):
    """Skip where a package is not installed for the Python that is embedded (and runs this)."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


SNIPPETS = {
    "the usual standard library": (
        "import json, math, statistics, datetime, decimal, fractions, random, re, csv\n"
        "import io, os, sys\n"
        "import itertools, functools, collections, pathlib, string, textwrap, time, uuid, hashlib\n"
        "import typing, dataclasses, enum, copy, pickle, sqlite3, zipfile, tarfile, gzip, bz2\n"
        "import tempfile, glob, shutil, struct, array, heapq, bisect, contextlib, abc, operator\n"
        "import unicodedata, locale, calendar, zoneinfo, threading, queue, concurrent.futures\n"
        "import asyncio, logging, warnings, traceback, inspect, ast, dis, types, weakref, gc\n"
        "import urllib.parse, html, xml.etree.ElementTree, email.message, secrets, platform\n"
        "import importlib.metadata, pkgutil, numbers, cmath, graphlib, tomllib, configparser"
    ),
    "time zones": "import zoneinfo, datetime\n"
    "datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Oslo')).utcoffset()",
    "strptime, which C code imports for": "import time, datetime\n"
    "time.strptime('2024', '%Y'); datetime.datetime.strptime('2024', '%Y')",
    "decimals and fractions": "import decimal\nstr(decimal.Decimal('1.1').sqrt())",
    "sqlite": "import sqlite3\nsqlite3.connect(':memory:').execute('select 1').fetchone()",
    "asyncio": "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 3\n"
    "asyncio.run(f())",
    "a top-level await": "import asyncio\nawait asyncio.gather(asyncio.sleep(0))",
    "thread pools": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(2) as pool:\n    list(pool.map(abs, [-1, 2]))",
    "pickles": "import pickle, datetime, decimal, collections\n"
    "pickle.loads(pickle.dumps([datetime.date.today(), decimal.Decimal(1), b'x',\n"
    "    collections.OrderedDict(a=1)], 2))",
    "a module's lazy attributes": "import importlib.metadata, importlib.resources\n"
    "importlib.import_module('json.decoder').JSONDecoder; importlib.util.find_spec('socket')",
    "reloading": "import importlib, json\nimportlib.reload(json)",
    "platform and uuid": "import platform, uuid\n(platform.platform(), uuid.uuid4(), uuid.uuid1())",
    "logging": "import logging.handlers\nlogging.getLogger('x').warning('y')",
    "xml and html": "import xml.dom.minidom, html.parser\nxml.dom.minidom.parseString('<a/>')",
}
PANDAS_SNIPPETS = {
    "csv, query, eval": "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2], 'b': [3, 4]})\n"
    "df.to_csv('x.csv'); pd.read_csv('x.csv').query('a > 1 and b < 9'); df.eval('c = a + b')",
    "compressed files, pickles, json": "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\n"
    "df.to_csv('x.csv.gz'); pd.read_csv('x.csv.gz'); df.to_pickle('x.pkl'); "
    "pd.read_pickle('x.pkl')\ndf.to_json('x.json'); pd.read_json('x.json')",
    "sql": "import pandas as pd, sqlite3\ndb = sqlite3.connect(':memory:')\n"
    "pd.DataFrame({'a': [1]}).to_sql('t', db); pd.read_sql('select * from t', db)",
    "time series": "import pandas as pd\n"
    "s = pd.Series(range(48), pd.date_range('2024', periods=48, freq='h', tz='Europe/Oslo'))\n"
    "s.resample('D').mean().tz_convert('Asia/Tokyo').rolling(2).sum()",
    "pandas' own plots": "import pandas as pd\npd.DataFrame({'a': [1, 3, 2]}).plot(kind='bar')\n"
    "pd.Series([1, 2, 2]).plot.hist(); pd.plotting.autocorrelation_plot(pd.Series([1, 2, 3, 4]))",
    "every kind of figure": "import matplotlib.pyplot as plt, numpy as np\n"
    "from mpl_toolkits.mplot3d import Axes3D\nfrom matplotlib import animation, cm, ticker\n"
    "fig = plt.figure(); ax = fig.add_subplot(projection='3d'); "
    "ax.plot_surface(*np.meshgrid([1., 2.], [1., 2.]), np.ones((2, 2)), cmap=cm.viridis)\n"
    "plt.figure(); plt.title('$x^2$'); plt.imshow(np.eye(3)); plt.colorbar()\n"
    "for kind in ('svg', 'pdf', 'png', 'ps', 'jpg'):\n    plt.savefig('x.' + kind)",
    "numpy's corners": "import numpy as np\nnp.random.default_rng(1).normal(size=3)\n"
    "np.fft.fft([1, 2])\n"
    "np.linalg.eig(np.eye(2)); np.polynomial.Polynomial([1, 2]); np.save('x.npy', np.eye(2)); "
    "np.load('x.npy'); np.ma.masked_array([1], [1]); np.testing.assert_allclose(1, 1); "
    "np.array([1]).ctypes.data",
}
SCIENCE_SNIPPETS = {
    "scipy": "import scipy, scipy.stats, scipy.optimize, scipy.signal, scipy.sparse\n"
    "import scipy.ndimage\n"
    "import scipy.interpolate, scipy.spatial, scipy.integrate, scipy.io, scipy.cluster\n"
    "scipy.stats.norm.rvs(size=2); scipy.optimize.minimize(lambda x: (x - 1) ** 2, 0).x; "
    "scipy.stats.linregress([1, 2, 3], [2, 4, 7]); scipy.sparse.eye(3) @ scipy.sparse.eye(3)",
    "sklearn": "from sklearn.linear_model import LinearRegression\n"
    "from sklearn.ensemble import RandomForestClassifier\n"
    "from sklearn.model_selection import train_test_split, cross_val_score\n"
    "from sklearn import datasets, cluster, preprocessing, pipeline, metrics\n"
    "X, y = datasets.load_iris(return_X_y=True)\n"
    "cross_val_score(RandomForestClassifier(5), X, y, cv=2)\ncluster.KMeans(2, n_init=1).fit(X)\n"
    "LinearRegression().fit(X, y).score(X, y)",
    "lxml": "import pandas as pd, io\n"
    "pd.read_html(io.StringIO('<table><tr><td>1</td></tr></table>'), flavor='lxml')[0]",
    "sympy": "import sympy as sp\nx = sp.Symbol('x')\n"
    "sp.lambdify(x, sp.sin(x), 'numpy')(1.0); sp.integrate(x ** 2, x); sp.lambdify(x, x)(2)",
}


@pytest.mark.parametrize("what", SNIPPETS)
def test_the_standard_library_works(run, what):
    assert run(SNIPPETS[what])["error"] is None


@needs("numpy", "pandas", "matplotlib")
@pytest.mark.parametrize("what", PANDAS_SNIPPETS)
def test_pandas_and_matplotlib_import_lazily_what_they_need(run, what):
    result = run(PANDAS_SNIPPETS[what])
    assert result["error"] is None, result["error"]
    assert not [name for name in result["policy_events"] if name.startswith("import:")]


@pytest.mark.parametrize(
    "what, package", [(w, w) for w in SCIENCE_SNIPPETS], ids=list(SCIENCE_SNIPPETS)
)
def test_the_scientific_packages_import_lazily_what_they_need(open_session, what, package):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"not installed: {package}")
    run = open_session(max_memory_bytes=1 << 30)
    assert run(SCIENCE_SNIPPETS[what])["error"] is None


def test_every_allowed_and_installed_package_can_be_imported(client, open_session):
    names = client.call("engine.info")["allowed_imports"]
    assert len(names) > 50
    tries = [
        f"try: import {name}\nexcept BaseException as e: failed.append(repr(e))" for name in names
    ]
    run = open_session(max_memory_bytes=2 << 30, timeout_s=120)
    assert run.value("failed = []\n" + "\n".join(tries) + "\nfailed") == "[]"


@needs("pandas")
def test_an_optional_package_that_is_missing_is_told_with_what_there_is(run):
    if importlib.util.find_spec("openpyxl") is not None:
        pytest.skip("openpyxl is installed")
    error = run("import pandas as pd\npd.DataFrame({'a': [1]}).to_excel('x.xlsx')")["error"]
    assert "openpyxl" in error["value"]
    assert "installed: " in error["hint"] and "numpy" in error["hint"]


@needs("pandas")
def test_a_librarys_own_calls_are_counted_and_not_refused_by_the_guard(run):
    # It runs `locale -a`: whether that works is the kernel's to say.
    result = run("import pandas\npandas._config.localization.get_locales(); None")
    assert result["error"] is None or "is not available here" not in result["error"]["value"]
    assert result["policy_events"].get("subprocess.Popen", 0) >= 1


def test_a_loop_of_asyncio_counts_nothing(run):
    assert run("import asyncio\nasyncio.run(asyncio.sleep(0))")["policy_events"] == {}
