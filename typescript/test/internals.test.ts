/** The small parts that the public classes stand on. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { pieces } from "#internal/bytes";
import { toCodePoints, toUnits } from "#internal/cursor";
import { LineSplitter } from "#internal/line_splitter";
import { findProgram } from "#internal/program";

import { folderFor } from "./support.js";

test("bytes become lines wherever they are cut", () => {
  const text = Buffer.from("é€🙂\n\nlast\n");
  for (let cut = 0; cut <= text.length; cut += 1) {
    const splitter = new LineSplitter();
    const lines = [...splitter.push(text.subarray(0, cut)), ...splitter.push(text.subarray(cut))];
    assert.deepEqual(lines, ["é€🙂", "", "last"]);
  }
});

test("a line beyond the limit is refused and not kept", () => {
  const splitter = new LineSplitter(8);
  assert.deepEqual([...splitter.push(Buffer.from("12345678\n"))], ["12345678"]);
  assert.deepEqual([...splitter.push(Buffer.from("12345678"))], []);
  assert.throws(() => [...splitter.push(Buffer.from("9"))], RangeError);
});

test("places are counted in characters there and back", () => {
  const text = "a🙂b";
  assert.deepEqual(
    [0, 1, 2, 3, 4, 99].map((units) => toCodePoints(text, units)),
    [0, 1, 1, 2, 3, 3],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 99].map((points) => toUnits(text, points)),
    [0, 1, 3, 4, 4],
  );
});

test("content comes in pieces of bounded size", async () => {
  async function sizes(content: Parameters<typeof pieces>[0]): Promise<number[]> {
    const found: number[] = [];
    for await (const piece of pieces(content, 4)) found.push(piece.length);
    return found;
  }
  assert.deepEqual(await sizes("123456789"), [4, 4, 1]);
  assert.deepEqual(await sizes("é€"), [4, 1]);
  assert.deepEqual(await sizes(new Uint8Array(8)), [4, 4]);
  assert.deepEqual(await sizes(new Blob(["12345"])), [4, 1]);
  assert.deepEqual(await sizes(new Blob(["12345"]).stream()), [4, 1]);
  assert.deepEqual(await sizes(""), [0]);
});

test("the program is what the option says then the variable then PATH", async (t) => {
  const folder = await folderFor(t);
  const program = join(folder, "cellblock");
  await writeFile(program, "", { mode: 0o644 });
  assert.throws(() => findProgram(undefined, { PATH: `/nonexistent::${folder}` }), /not on PATH/);
  const other = join(await folderFor(t), "cellblock");
  await writeFile(other, "", { mode: 0o755 });
  const PATH = `${folder}:${join(other, "..")}`;
  assert.equal(findProgram(undefined, { PATH }), other);
  assert.throws(() => findProgram(undefined, { PATH, CELLBLOCK_BINARY: program }), /CELLBLOCK_BINARY/);
  assert.equal(findProgram(other, { PATH, CELLBLOCK_BINARY: program }), other);
});
