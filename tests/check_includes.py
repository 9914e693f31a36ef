#!/usr/bin/env python3
"""Check which folder of src includes which: base <- protocol <- policy <- {sandbox, python} <-
session <- zygote; host stands on policy, protocol and base; in_process on
host, session and python; the faces, and the Python SDK, stand on base and the public API."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What a folder of src may include of the other folders. `cellblock` is the public API.
ALLOWED = {
    "base": set(),
    "protocol": {"base", "cellblock"},
    "policy": {"base", "protocol", "cellblock"},
    "cage_init": {"base"},
    "sandbox": {"base", "protocol", "policy", "cellblock"},
    "python": {"base", "protocol", "policy", "cellblock"},
    "session": {"base", "protocol", "policy", "sandbox", "python", "cellblock"},
    "zygote": {"base", "protocol", "policy", "sandbox", "python", "session", "cellblock"},
    "host": {"base", "protocol", "policy", "cellblock"},
    "in_process": {"base", "protocol", "policy", "python", "session", "host", "cellblock"},
    "tool": {"cellblock"},
    "rpc": {"base", "tool", "cellblock"},
    "mcp": {"base", "tool", "rpc", "cellblock"},
    "http": {"base", "rpc", "mcp", "cellblock"},
    "cli": {"base", "tool", "rpc", "mcp", "http", "cellblock"},
}

# Headers of others that only these folders may include.
ONLY_IN = {
    r"Python\.h|pybind11/.*": {"python"},
    r"spdlog/.*": {"host"},
    r"boost/.*": {"http"},
    r"CLI/.*|CLI11\.hpp|histedit\.h|editline/.*": {"cli"},
    r"nlohmann/.*": {"protocol", "policy", "host", "session", "zygote", "python", "in_process"}
    | {"tool", "rpc", "mcp", "http", "cli"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def problems_of_source(path: pathlib.Path) -> list:
    """Return what is wrong with one file below src."""
    folder = path.relative_to(ROOT / "src").parts[0]
    if folder not in ALLOWED:
        return [f"src/{folder} has no rule yet: add it to tests/check_includes.py"]
    problems = []
    for quote, name in INCLUDE.findall(path.read_text()):
        for pattern, folders in ONLY_IN.items():
            if re.fullmatch(pattern, name) and folder not in folders:
                problems.append(f"<{name}> is only for src/{', src/'.join(sorted(folders))}")
        target = name.split("/")[0]
        if quote == '"' and "/" not in name:
            problems.append(f'"{name}": includes are written from src, as "{folder}/{name}"')
        elif target == folder or (target not in ALLOWED and target != "cellblock"):
            continue
        elif target not in ALLOWED[folder]:
            problems.append(f'"{name}": {folder} must not know of {target}')
    return problems


def problems_of_sdk(path: pathlib.Path) -> list:
    """Return what is wrong with one file of the Python SDK's extension module."""
    return [
        f'"{name}": the Python SDK stands on the public API, tool and base only'
        for quote, name in INCLUDE.findall(path.read_text())
        if quote == '"' and "/" in name and name.split("/")[0] not in {"base", "tool", "cellblock"}
    ]


def problems_of_public_header(path: pathlib.Path) -> list:
    """Return what is wrong with one public header: std and its own kind only."""
    return [
        f"{name}: a public header includes std and cellblock/ only"
        for _, name in INCLUDE.findall(path.read_text())
        if not (name.startswith("cellblock/") or re.fullmatch(r"[a-z_]+", name))
    ]


def main() -> int:
    """Check every file; return 1 when one breaks a rule."""
    count = 0
    found = []
    checks = {
        "src": problems_of_source,
        "include": problems_of_public_header,
        "python/cellblock/native": problems_of_sdk,
    }
    for folder, check in checks.items():
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp", ".h", ".c", ".in"} and path.is_file():
                count += 1
                found += [f"{path.relative_to(ROOT)}: {problem}" for problem in check(path)]
    print("\n".join(found + [f"{count} files, {len(found)} problems"]))
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
