/** A session runs code, keeps state, has files, and ends. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Cellblock, Sandbox, type SecurityPolicy } from "cellblock";

import { folderFor, rejectsWith, sandboxFor, startEngine } from "./support.js";

const engine = startEngine();
after(() => engine.close());

test("state lives between runs", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  assert.equal((await sandbox.runCode("x = 20")).status, "ok");
  const execution = await sandbox.runCode("print('out'); x * 2 + 2");
  assert.deepEqual([execution.status, execution.text, execution.stdout], ["ok", "42", "out\n"]);
  assert.deepEqual(execution.logs, { stdout: ["out\n"], stderr: [] });
  assert.equal(execution.executionCount, 2);
  assert.deepEqual(
    (await sandbox.variables()).map(({ name }) => name),
    ["x"],
  );
});

test("what the code does wrong is a value", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const execution = await sandbox.runCode("1 / 0");
  const { status, cause, exitCode } = execution;
  assert.deepEqual([status, cause, exitCode], ["error", "exception", 1]);
  assert.equal(execution.error?.name, "ZeroDivisionError");
  assert.match(execution.error.traceback, /1 \/ 0/);
  assert.equal((await sandbox.runCode("import sys; sys.exit(3)")).exitCode, 3);
});

test("a timeout is a value and keeps the session", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await sandbox.runCode("kept = 1");
  const { status, exitCode, stoppedBy } = await sandbox.runCode("while True: pass", {
    timeoutMs: 300,
  });
  assert.deepEqual([status, exitCode, stoppedBy], ["timeout", 124, "sigint"]);
  assert.equal((await sandbox.runCode("kept")).text, "1");
});

test("a crash is told with what was lost", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await sandbox.runCode("gone = 1");
  const { status, state, lostNames } = await sandbox.runCode("import os; os.abort()");
  assert.deepEqual([status, state, lostNames], ["crashed", "lost", ["gone"]]);
  assert.equal((await sandbox.runCode("1 + 1")).text, "2");
});

test("logs are lists of lines", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const { logs } = await sandbox.runCode(
    "import sys\nprint('a\\nb')\nprint('c', end='')\nprint('e', file=sys.stderr)",
  );
  assert.deepEqual(logs, { stdout: ["a\n", "b\n", "c"], stderr: ["e\n"] });
});

test("reset empties the namespace and keeps the files", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await sandbox.runCode("x = 1; open('kept.txt', 'w').write('kept')");
  await sandbox.reset();
  assert.deepEqual(await sandbox.variables(), []);
  assert.equal(await sandbox.files.read("kept.txt"), "kept");
});

test("files go in and out", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  assert.equal(await sandbox.upload("a/bytes.bin", new Uint8Array([0, 1, 2])), "a/bytes.bin");
  assert.deepEqual(await sandbox.download("a/bytes.bin"), new Uint8Array([0, 1, 2]));
  assert.equal(await sandbox.upload("text.txt", "grün 🙂"), "text.txt");
  const read = await sandbox.runCode("open('text.txt', encoding='utf-8').read()");
  assert.equal(read.text, "'grün 🙂'");
  await sandbox.files.write("buffer.bin", new Uint8Array([7]).buffer);
  await sandbox.files.write("blob.txt", new Blob(["from a blob"]));
  assert.equal(await sandbox.files.read("blob.txt"), "from a blob");
  const folder = await folderFor(t);
  const local = join(folder, "local.csv");
  await writeFile(local, "a,b\n1,2\n");
  assert.equal(await sandbox.uploadFile(local), "local.csv");
  assert.equal(await sandbox.uploadFile(local, "in/other.csv"), "in/other.csv");
  const files = await sandbox.files.list();
  assert.deepEqual(
    files.map(({ path }) => path).sort(),
    ["a/bytes.bin", "blob.txt", "buffer.bin", "in/other.csv", "local.csv", "text.txt"],
  );
  assert.deepEqual(
    files.find(({ path }) => path === "in/other.csv"),
    { path: "in/other.csv", name: "other.csv", type: "file", size: 8, mime: "text/csv" },
  );
  assert.deepEqual(
    (await sandbox.files.list("./in/")).map(({ path }) => path),
    ["in/other.csv"],
  );
});

test("a file object is sent piece by piece", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const piece = Uint8Array.from({ length: 256 }, (_, value) => value);
  const count = 36_000; // more than two pieces of the wire
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 36; i += 1) yield Buffer.concat(Array.from({ length: 1000 }, () => piece));
  }
  await sandbox.upload("large.bin", content());
  const large = await sandbox.download("large.bin");
  assert.equal(large.length, 256 * count);
  assert.ok(Buffer.from(large).equals(Buffer.concat(Array.from({ length: count }, () => piece))));
  await sandbox.upload("copy.bin", large);
  let size = 0;
  for await (const chunk of await sandbox.files.read("copy.bin", { format: "stream" })) {
    size += chunk.length;
  }
  assert.equal(size, large.length);
  const head = (await sandbox.files.read("copy.bin", { format: "stream" })).getReader();
  assert.ok((await head.read()).value);
  await head.cancel();
  assert.equal((await sandbox.files.read("copy.bin", { format: "blob" })).size, large.length);
  await sandbox.upload("empty.bin", "");
  assert.deepEqual(await sandbox.download("empty.bin"), new Uint8Array());
});

test("a table is redacted on its way", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const local = join(await folderFor(t), "people.csv");
  await writeFile(local, "name,age\nAda,36\n");
  const report = await sandbox.uploadRedacted(local, {
    rules: { name: "mask" },
    path: "people.csv",
  });
  assert.deepEqual([report.path, report.columns, report.rows], ["people.csv", ["name", "age"], 1]);
  const text = await sandbox.files.read("people.csv");
  assert.deepEqual(text.trim().split(/\r?\n/), ["name,age", "***,36"]);
});

test("paths outside the workspace are refused", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  for (const path of ["/etc/passwd", "../up", "a/../../up"]) {
    await rejectsWith(sandbox.upload(path, "x"), "bad_argument");
    await assert.rejects(sandbox.download(path));
    await assert.rejects(async () => {
      for await (const _ of await sandbox.files.read(path, { format: "stream" }));
    });
  }
});

test("completion inspection and completeness", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await sandbox.runCode("total = 1");
  assert.deepEqual(await sandbox.complete("print(tot"), { matches: ["total"], start: 6, end: 9 });
  assert.deepEqual((await sandbox.complete("tot + 1", { cursor: 3 })).matches, ["total"]);
  // JavaScript counts this character twice.
  const behind = await sandbox.complete("'🙂', tot", { cursor: 9 });
  assert.deepEqual(behind, { matches: ["total"], start: 6, end: 9 });
  assert.ok((await sandbox.inspect("len")).found);
  assert.equal((await sandbox.isComplete("for i in range(3):")).status, "incomplete");
  assert.equal((await sandbox.isComplete("x = 1")).status, "complete");
});

test("output beyond the result is paged", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const execution = await sandbox.runCode("for i in range(10_000): print('line', i)");
  assert.ok(execution.truncated.stdout && execution.truncated.stdout.omittedBytes > 0);
  assert.equal(execution.truncated.stderr, undefined);
  const { executionId } = execution;
  let page = await sandbox.output(executionId, { pattern: "line 50$", limit: 4096 });
  assert.equal(page.text, "line 50\n");
  let text = "";
  for (let offset = 0; offset < page.totalBytes; offset = page.nextOffset) {
    page = await sandbox.output(executionId, { offset });
    text += page.text;
  }
  assert.equal(text, Array.from({ length: 10_000 }, (_, i) => `line ${i}\n`).join(""));
  await rejectsWith(sandbox.output(executionId, { stream: "stdin" as "stdout" }), "bad_argument");
});

test("trace marks come back", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const trace = { request_id: "r-1", tenant: "t" };
  assert.deepEqual((await sandbox.runCode("1", { trace })).trace, trace);
  const wrong = { user: "x" } as typeof trace & { user: string };
  await rejectsWith(sandbox.runCode("1", { trace: wrong }), "bad_argument", /user/);
});

test("wrong arguments are refused", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await rejectsWith(sandbox.runCode(1 as unknown as string), "bad_argument", /code/);
  for (const timeoutMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, "5" as unknown as number]) {
    await rejectsWith(sandbox.runCode("1", { timeoutMs }), "bad_argument", /timeout/);
  }
  const clamped = await sandbox.runCode("1", { timeoutMs: 1e9 });
  assert.deepEqual(clamped.policyEvents, { timeout_clamped: 1 });
  await rejectsWith(sandbox.runCode("'\ud800'"), "bad_argument", /surrogate/);
  await rejectsWith(sandbox.runCode("x".repeat(65 * 1024 * 1024)), "too_large");
  await rejectsWith(sandbox.runCode("#".repeat(1024 * 1024 + 1)), "too_large", /in pieces/);
  assert.equal((await sandbox.runCode(String.raw`r'\ud800'`)).text, String.raw`'\\ud800'`);
  const policy = { timeout: 1 } as SecurityPolicy;
  await rejectsWith(engine.createSandbox({ policy }), "policy_invalid", /timeout/);
  await rejectsWith(
    sandbox.runCode("1", { language: "r" as "python" }),
    "unsupported",
    /Only Python/,
  );
});

test("a closed session says so", async () => {
  const sandbox = await engine.createSandbox();
  const running = sandbox.runCode("while True: pass");
  const waiting = rejectsWith(sandbox.runCode("1"), "unknown_session");
  await sandbox.close();
  await sandbox.close();
  assert.equal((await running).status, "cancelled");
  await waiting;
  for (const call of [
    () => sandbox.variables(),
    () => sandbox.reset(),
    () => sandbox.files.list(),
    () => sandbox.runCode("1"),
    () => sandbox.upload("x", "x"),
    () => sandbox.createCodeContext(),
  ]) {
    await rejectsWith(call(), "unknown_session");
  }
  assert.ok(sandbox.sandboxId && sandbox.isolation.level);
});

test("an idle session expires", async (t) => {
  const sandbox = await sandboxFor(t, engine, { policy: { idle_ttl_s: 0.2 } });
  let expired: unknown;
  for (let i = 0; i < 50 && !expired; i += 1) {
    await sleep(400); // every answer counts as use
    expired = await sandbox.variables().then(
      () => undefined,
      (error: unknown) => error,
    );
  }
  await rejectsWith(Promise.reject(expired), "expired", /idle/);
  await rejectsWith(sandbox.runCode("1"), "expired", /idle/);
});

test("a session without an executor shares the default one", async () => {
  const [one, other] = await Promise.all([Sandbox.create(), Sandbox.create()]);
  assert.notEqual(one.sandboxId, other.sandboxId);
  assert.equal((await one.runCode("6 * 7")).text, "42");
  const shared = Cellblock.shared();
  assert.equal(shared, Cellblock.shared());
  await shared.close();
  await rejectsWith(one.runCode("1"), "host_error", /closed/);
  await other.close();
  const later = await Sandbox.create();
  assert.notEqual(Cellblock.shared(), shared);
  await later.kill();
  await Cellblock.shared().close();
});

test("a sandbox ends with its scope", async () => {
  let left: Sandbox;
  {
    await using sandbox = await engine.createSandbox();
    left = sandbox;
    assert.equal((await sandbox.runCode("1")).text, "1");
  }
  await rejectsWith(left.runCode("1"), "unknown_session");
});

test("the engines policy is that of sandboxes without one", async () => {
  await using strict = new Cellblock({ preload: [], policy: { timeout_s: 0.5 } });
  await using sandbox = await strict.createSandbox();
  assert.equal((await sandbox.runCode("import time; time.sleep(60)")).status, "timeout");
  await using other = await strict.createSandbox({ policy: { timeout_s: 20 } });
  assert.equal((await other.runCode("import time; time.sleep(1); 1")).status, "ok");
});

test("the engine tells what runs", async () => {
  const info = await engine.info();
  assert.equal(info.executor, "fork");
  assert.deepEqual(info.preloaded, {});
  assert.ok(info.helpers.some(({ name }) => name === "load_csv"));
});
