"""What npm packs, and that it can be used as it is."""

import json
import re
import shutil

from conftest import MANIFEST, ROOT, SOURCES, run

CONSUMER = """
import { Cellblock, type Execution, Sandbox } from "cellblock";
await using engine = new Cellblock({ preload: [] });
await using sandbox: Sandbox = await engine.createSandbox();
const execution: Execution = await sandbox.runCode("6 * 7");
const chart = execution.chart;
if (chart?.type === "bar") console.log(chart.elements[0]?.group.length);
console.log(execution.text, execution.toJSON().execution_count);
// @ts-expect-error: a policy has no such field
await sandbox.runCode("1", { policy: {} });
"""


def test_the_package_has_what_it_needs_and_nothing_else(package, environment):
    packed = json.loads(run(["npm", "pack", "--dry-run", "--json"], package, environment))
    files = {entry["path"] for entry in packed[0]["files"]}
    modules = {path.stem for path in (SOURCES / "src").glob("*.ts")}
    assert len(modules) > 15
    assert files == {"package.json", "README.md", "LICENSE"} | {
        path
        for name in modules
        for path in (
            f"src/{name}.ts",
            f"dist/{name}.js",
            f"dist/{name}.js.map",
            f"dist/{name}.d.ts",
            f"dist/{name}.d.ts.map",
        )
    }


def test_a_program_uses_the_packed_package(node, package, modules, environment, tmp_path):
    run(["npm", "pack", "--pack-destination", tmp_path], package, environment)
    (tarball,) = tmp_path.glob("*.tgz")
    program = tmp_path / "program"
    program.mkdir()
    (program / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
    flags = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
    run(["npm", "install", *flags, tarball], program, environment)
    installed = {path.name for path in (program / "node_modules").iterdir()} - {
        ".package-lock.json"
    }
    assert installed == {"cellblock"}, "the package has no dependency"
    (program / "node_modules/@types").symlink_to(modules / "@types")
    shutil.copytree(modules / "undici-types", program / "node_modules/undici-types")
    (program / "main.ts").write_text(CONSUMER, encoding="utf-8")
    compiler = [node, modules / "typescript/bin/tsc", "--strict", "--module", "nodenext"]
    types = ["--target", "es2022", "--lib", "es2023,esnext.disposable", "--types", "node"]
    run([*compiler, *types, "main.ts"], program, environment)
    assert run([node, "main.js"], program, environment) == "42 1\n"


def test_the_version_is_the_projects():
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.search(r"project\([^)]*VERSION ([\d.]+)", project)[1] == MANIFEST["version"]
