/** A server that runs already, for many programs. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

import { Cellblock, Sandbox } from "cellblock";

import { sessions, folderFor, rejectsWith, until } from "./support.js";

async function serve(t: TestContext): Promise<{ path: string; server: ChildProcess }> {
  const path = join(await folderFor(t), "c.sock");
  const server = spawn(
    process.env["CELLBLOCK_BINARY"] ?? "cellblock",
    ["serve", "--socket", path, "--no-audit-log", "--preload", ""],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  t.after(async () => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill();
    await once(server, "exit");
  });
  await once(server.stdout!, "data");
  return { path, server };
}

test("an engine connects to a server that runs", async (t) => {
  const { path } = await serve(t);
  await using engine = await Cellblock.connect(path);
  await using sandbox = await Sandbox.create({ engine });
  let heard = "";
  const execution = await sandbox.runCode("print('out')\n6 * 7", {
    onStdout: ({ line }) => void (heard += line),
  });
  assert.deepEqual([execution.text, heard], ["42", "out\n"]);
});

test("a closed connection ends its sandboxes and no others", async (t) => {
  const { path, server } = await serve(t);
  const [one, other] = await Promise.all([Cellblock.connect(path), Cellblock.connect(path)]);
  const kept = await other.createSandbox();
  const before = sessions(server.pid!).length;
  const sandbox = await one.createSandbox();
  const run = sandbox.runCode("while True: pass").then(
    ({ status }) => status,
    ({ kind }) => kind,
  );
  await until(() => sessions(server.pid!).length > before, "the session's processes");
  await one.close();
  assert.ok(["cancelled", "host_error"].includes(await run));
  await until(() => sessions(server.pid!).length <= before, "the session has ended");
  assert.equal((await kept.runCode("1 + 1")).text, "2");
  await rejectsWith(sandbox.runCode("1"), "host_error", /closed/);
  await other.close();
});

test("a server that ends is told", async (t) => {
  const { path, server } = await serve(t);
  const engine = await Cellblock.connect(path);
  const sandbox = await engine.createSandbox();
  const run = sandbox.runCode("while True: pass");
  await until(() => sessions(server.pid!).length >= 2, "the session");
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await rejectsWith(run, "host_error", /connection/);
  await rejectsWith(sandbox.runCode("1"), "host_error");
  await engine.close();
  await gone; // a process closes its descriptors in no promised order
  await rejectsWith(Cellblock.connect(path), "host_error", /cellblock serve --socket/);
});

test("a server that takes no more connections says so", async (t) => {
  const { path } = await serve(t);
  const engines = await Promise.all(Array.from({ length: 64 }, () => Cellblock.connect(path)));
  await Promise.all(engines.map((engine) => engine.info()));
  const late = await Cellblock.connect(path);
  await rejectsWith(late.info(), "busy_limit");
  await Promise.all([...engines, late].map((engine) => engine.close()));
});
