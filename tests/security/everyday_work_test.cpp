// What must go on working under the filters, in one real session with the Python layer on.
#include <csignal>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

struct Work {
  const char* what;
  const char* code;
};

const std::vector<Work> kPlainWork{
    {"threads",
     "import threading\n"
     "seen = []\n"
     "ts = [threading.Thread(target=seen.append, args=(n,)) for n in range(8)]\n"
     "[t.start() for t in ts]; [t.join(20) for t in ts]\n"
     "assert sorted(seen) == list(range(8))"},
    {"a pool of threads",
     "from concurrent.futures import ThreadPoolExecutor\n"
     "with ThreadPoolExecutor(4) as pool:\n"
     "    assert list(pool.map(lambda n: n * n, range(4))) == [0, 1, 4, 9]"},
    {"asyncio",
     "import asyncio\n"
     "async def work():\n"
     "    await asyncio.sleep(0.001)\n"
     "    return await asyncio.to_thread(lambda: 7)\n"
     "assert await work() == 7"},
    {"an event loop of one's own",
     "import asyncio, threading\n"
     "got = []\n"
     "t = threading.Thread(target=lambda: got.append("
     "asyncio.run(asyncio.sleep(0, 5))))\n"
     "t.start(); t.join(20)\n"
     "assert got == [5]"},
    {"temporary files",
     "import tempfile, os\n"
     "with tempfile.TemporaryFile() as f: f.write(b'x')\n"
     "with tempfile.NamedTemporaryFile() as f: f.write(b'x'); f.flush()\n"
     "with tempfile.TemporaryDirectory() as d:\n"
     "    open(os.path.join(d, 'x'), 'w').close()"},
    {"sqlite in memory",
     "import sqlite3\n"
     "db = sqlite3.connect(':memory:')\n"
     "db.execute('create table t (a)'); db.execute('insert into t values (1)')\n"
     "assert db.execute('select a from t').fetchall() == [(1,)]"},
    {"sqlite in the workspace",
     "import sqlite3\n"
     "for mode in ('delete', 'truncate', 'persist'):\n"
     "    with sqlite3.connect('data.db') as db:\n"
     "        db.execute(f'pragma journal_mode={mode}')\n"
     "        db.execute('create table if not exists t (a)')\n"
     "        db.execute('insert into t values (1)')\n"
     "assert sqlite3.connect('data.db').execute("
     "'select count(*) from t').fetchone() == (3,)"},
    {"time zones",
     "import zoneinfo, datetime\n"
     "z = zoneinfo.ZoneInfo('Europe/Berlin')\n"
     "assert datetime.datetime(2024, 7, 1, tzinfo=z).utcoffset().seconds == 7200"},
    {"locale",
     "import locale\n"
     "locale.setlocale(locale.LC_ALL, ''); locale.localeconv()"},
    {"decimal",
     "from decimal import Decimal, getcontext\n"
     "getcontext().prec = 50\n"
     "assert str(Decimal(1) / Decimal(3)).startswith('0.33333333333333333333')"},
    {"random numbers",
     "import random, secrets, uuid\n"
     "assert len({random.random(), random.random(), secrets.randbits(64)}) == 3\n"
     "assert uuid.uuid4() != uuid.uuid4()"},
    {"files and folders",
     "import os, shutil, pathlib, mmap\n"
     "os.makedirs('a/b'); pathlib.Path('a/b/x').write_text('text')\n"
     "os.rename('a/b/x', 'y'); shutil.copyfile('y', 'z'); os.link('y', 'w')\n"
     "os.symlink('y', 'l'); assert open('l').read() == 'text'\n"
     "with open('z', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m: m[0] = 84\n"
     "assert open('z').read() == 'Text'; open('z', 'r+').truncate(1)\n"
     "assert sorted(os.listdir())[:1] == ['a']; shutil.rmtree('a')\n"
     "shutil.disk_usage('.'); list(os.scandir('.'))"},
    {"sleep and signals",
     "import time, signal\n"
     "time.sleep(0.001)\n"
     "got = []\n"
     "signal.signal(signal.SIGALRM, lambda *a: got.append(1))\n"
     "signal.setitimer(signal.ITIMER_REAL, 0.001)\n"
     "end = time.monotonic() + 20\n"
     "while not got and time.monotonic() < end: time.sleep(0.001)\n"
     "assert got"},
    {"descriptors",
     "import os, select\n"
     "r, w = os.pipe(); os.write(w, b'x')\n"
     "assert select.select([r], [], [], 5)[0] == [r]\n"
     "p = select.epoll(); p.register(r, select.EPOLLIN); assert p.poll(5)\n"
     "os.isatty(r); os.set_blocking(r, False); os.dup(r); os.close(w)"},
    {"archives",
     "import zipfile, tarfile, gzip\n"
     "open('in.txt', 'w').write('x')\n"
     "with zipfile.ZipFile('a.zip', 'w') as z: z.write('in.txt')\n"
     "zipfile.ZipFile('a.zip').extractall('unzipped')\n"
     "with tarfile.open('a.tar.gz', 'w:gz') as t: t.add('in.txt')\n"
     "assert tarfile.open('a.tar.gz').getnames() == ['in.txt']"},
};

// With packages that may be missing.
const std::vector<Work> kPackages{
    {"numpy",
     "import numpy as np\n"
     "a = np.random.default_rng().random((200, 200))\n"
     "assert np.allclose(a @ np.linalg.inv(a), np.eye(200), atol=1e-6)\n"
     "np.linalg.svd(a); np.save('a.npy', a); np.load('a.npy', mmap_mode='r').sum()"},
    {"pandas",
     "import pandas as pd\n"
     "df = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], "
     "'t': pd.date_range('2024', periods=2, tz='Europe/Paris')})\n"
     "df.to_csv('d.csv', index=False); assert len(pd.read_csv('d.csv')) == 2\n"
     "df.to_json('d.json'); assert list(pd.read_json('d.json').columns) == list('abt')\n"
     "assert df.groupby('b').a.sum().x == 1"},
    {"matplotlib",
     "import matplotlib.pyplot as plt\n"
     "fig, ax = plt.subplots()\n"
     "ax.plot([1, 2], [3, 4]); ax.set_title('Ünï $x^2$', family='DejaVu Serif')\n"
     "fig.savefig('p.png'); fig.savefig('p.pdf'); fig.savefig('p.svg')\n"
     "import os; assert os.path.getsize('p.png') > 1000"},
    {"scipy",
     "import scipy.linalg, scipy.optimize, scipy.stats\n"
     "assert abs(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2) - 2 ** 0.5) < 1e-6"},
    {"PIL",
     "from PIL import Image\n"
     "Image.new('RGB', (8, 8)).save('i.jpg'); Image.open('i.jpg').load()"},
};

}  // namespace

TEST_CASE("Everyday work goes on under the filters") {
  const auto executor = make_executor();
  auto session = open_session(*executor);
  for (const auto& work : kPlainWork) {
    INFO(work.what);
    const auto result = session.run(work.code);
    INFO(result.err << (result.error ? result.error->traceback : ""));
    CHECK(result.status == Status::ok);
    CHECK(result.err.empty());
  }
}

TEST_CASE("Packages imported in the session work under the filters") {
  const auto executor = make_executor();
  SecurityPolicy policy;
  policy.timeout = kLong;
  auto session = open_session(*executor, policy);
  for (const auto& work : kPackages) {
    INFO(work.what);
    const auto result = session.run(work.code);
    INFO(result.err << (result.error ? result.error->traceback : ""));
    if (result.error && result.error->name == "ModuleNotFoundError") {
      report_skip(std::string(work.what) + " is not installed");
      continue;
    }
    CHECK(result.status == Status::ok);
  }
}

TEST_CASE("The filters are seen at work in a session's own report") {
  const auto executor = make_executor();
  auto session = open_session(*executor);
  const auto result = session.run("1");
  for (const auto& layer : result.isolation.layers) {
    INFO(layer.name << ": " << layer.detail);
    if (layer.name == "seccomp") CHECK(layer.on);
    if (layer.name == "landlock") {
      if (!layer.on) {
        report_skip("Landlock is off: " + layer.detail);
      } else {
        CHECK_THAT(layer.detail, Catch::Matchers::ContainsSubstring("ABI "));
      }
    }
  }
}

TEST_CASE("Signals of the host and crashes end as before under the filters") {
  const auto executor = make_executor();
  SecurityPolicy policy;
  policy.import_guard = ImportGuard::off;
  auto session = open_session(*executor, policy);
  const auto late = session.run("while True: pass", {.timeout = 300ms});
  CHECK(late.status == Status::timeout);
  CHECK(late.stopped_by == StoppedBy::sigint);
  CHECK(session.run("import os, time; os.kill(os.getpid(), 0); 1").text == "1");
  const auto aborted = session.run("os.abort()");
  CHECK(aborted.status == Status::crashed);
  CHECK(aborted.exit_code == 128 + SIGABRT);
  CHECK(session.run("import ctypes; ctypes.string_at(8)").exit_code == 128 + SIGSEGV);
  CHECK(session.run("1").status == Status::ok);
}
