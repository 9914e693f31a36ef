#include "policy/import_rules.hpp"

#include <string>
#include <vector>

#include "cellblock/policy.hpp"
#include "support/catch.hpp"

namespace cellblock::policy {
namespace {

using Verdict = ImportRules::Verdict;

const ImportRules kDefault(SecurityPolicy::default_allowed_imports());

TEST_CASE("A listed package is allowed with its submodules, and no other with a similar name") {
  const ImportRules rules({"numpy", "json"});
  CHECK(rules.judge("numpy") != Verdict::refused);
  CHECK(rules.judge("numpy.random") == Verdict::whole);
  CHECK(rules.judge("json.decoder") == Verdict::whole);
  CHECK(rules.judge("numpyx") == Verdict::refused);
  CHECK(rules.judge("num") == Verdict::refused);
  CHECK(rules.judge("") == Verdict::refused);
  CHECK(rules.judge("json.") == Verdict::whole);
}

TEST_CASE("An empty list allows nothing") {
  CHECK(ImportRules(std::vector<std::string>{}).judge("json") == Verdict::refused);
  CHECK(ImportRules().judge("_json") == Verdict::refused);
}

TEST_CASE("A dotted name allows that part, and its parents without their other parts") {
  const ImportRules rules({"urllib.parse"});
  CHECK(rules.judge("urllib") == Verdict::partly);
  CHECK(rules.judge("urllib.parse") == Verdict::whole);
  CHECK(rules.judge("urllib.request") == Verdict::refused);
  CHECK(rules.judge("urllib.parser") == Verdict::refused);
}

TEST_CASE("What is left out of a package must be listed itself") {
  CHECK(ImportRules({"asyncio"}).judge("asyncio") == Verdict::partly);
  CHECK(ImportRules({"asyncio"}).judge("asyncio.events") == Verdict::whole);
  CHECK(ImportRules({"asyncio"}).judge("asyncio.subprocess") == Verdict::refused);
  CHECK(ImportRules({"asyncio", "asyncio.subprocess"}).judge("asyncio.subprocess") ==
        Verdict::whole);
}

TEST_CASE("The private module that implements an allowed one goes with it") {
  const ImportRules rules({"json", "datetime"});
  CHECK(rules.allows("_json"));
  CHECK(rules.allows("_datetime"));
  CHECK_FALSE(rules.allows("_socket"));
  CHECK_FALSE(rules.allows("__json"));
}

TEST_CASE("The default list leaves out processes, sockets and native code") {
  for (const char* name : {"subprocess",
                           "socket",
                           "_socket",
                           "ssl",
                           "http",
                           "http.client",
                           "urllib.request",
                           "ftplib",
                           "smtplib",
                           "ctypes",
                           "_ctypes",
                           "multiprocessing",
                           "pty",
                           "asyncio.subprocess",
                           "concurrent.futures.process",
                           "posix",
                           "_posixsubprocess",
                           "cffi",
                           "cython",
                           "webbrowser",
                           "socketserver",
                           "xmlrpc",
                           "telnetlib",
                           "ensurepip",
                           "venv",
                           "numpy.f2py",
                           "runpy"}) {
    INFO(name);
    CHECK_FALSE(kDefault.allows(name));
  }
  for (const char* name : {"numpy",
                           "pandas",
                           "matplotlib.pyplot",
                           "seaborn",
                           "scipy.stats",
                           "sklearn",
                           "statsmodels",
                           "plotly",
                           "altair",
                           "bokeh",
                           "PIL",
                           "sympy",
                           "polars",
                           "pyarrow",
                           "networkx",
                           "numexpr",
                           "numba",
                           "os",
                           "os.path",
                           "sys",
                           "json",
                           "math",
                           "asyncio",
                           "urllib.parse",
                           "concurrent.futures",
                           "importlib",
                           "sqlite3",
                           "threading",
                           "_thread",
                           "xml.etree"}) {
    INFO(name);
    CHECK(kDefault.allows(name));
  }
}

TEST_CASE("What is allowed and installed is told by top-level name, in order") {
  const std::vector<std::string> installed{"subprocess", "json", "_json", "urllib", "abc"};
  CHECK(allowed_and_installed({"json", "abc", "urllib.parse", "scipy"}, installed) ==
        std::vector<std::string>{"abc", "json", "urllib"});
}

}  // namespace
}  // namespace cellblock::policy
