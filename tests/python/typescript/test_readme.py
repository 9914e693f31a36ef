"""The programs in the README, compiled and run."""

import re

from conftest import SOURCES, run

TEXT = (SOURCES / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```ts\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_every_program_runs_and_prints_what_it_says(node, package, modules, environment):
    assert len(PROGRAMS) >= 5
    folder = package / "test" / "readme"
    folder.mkdir()
    for number, program in enumerate(PROGRAMS):
        (folder / f"program{number}.ts").write_text(program + "export {};\n", encoding="utf-8")
    compiler = [node, modules / "typescript/bin/tsc", "--project", "test/tsconfig.json"]
    run(compiler, package, environment)
    for number, program in enumerate(PROGRAMS):
        printed = run([node, f"test/dist/readme/program{number}.js"], package, environment)
        for promised in re.findall(r"// prints: (.*)", program):
            assert promised in printed, (promised, printed)
