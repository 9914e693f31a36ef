/** The conversation with a server: order, size, cuts, faults, the end. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeEngine } from "./fake_server.js";
import { rejectsWith, until } from "./support.js";

test("answers come in any order", async (t) => {
  const engine = await fakeEngine(
    t,
    `const asked = [];
     on("session.inspect", (params, id) => {
       asked.push([id, { found: true, text: params.code }]);
       if (asked.length === 3) for (const [id, result] of asked.reverse()) answer(id, result);
     });`,
  );
  const sandbox = await engine.createSandbox();
  const texts = await Promise.all(["a", "b", "c"].map((code) => sandbox.inspect(code)));
  assert.deepEqual(
    texts.map(({ text }) => text),
    ["a", "b", "c"],
  );
});

test("characters and lines may be cut anywhere", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("session.inspect", async (params, id) => {
       const line = JSON.stringify({ jsonrpc: "2.0", id, result: { found: true, text: "é€🙂\\u2028" } });
       for (const byte of Buffer.from(line + "\\n")) {
         write([byte]);
         await new Promise(setImmediate);
       }
     });`,
  );
  const sandbox = await engine.createSandbox();
  assert.equal((await sandbox.inspect("x")).text, "é€🙂\u2028");
});

test("a line may be 64 MiB long", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("session.inspect", (params, id) => answer(id, { found: true, text: "y".repeat(64 << 20) }));`,
  );
  const sandbox = await engine.createSandbox();
  assert.equal((await sandbox.inspect("x")).text.length, 64 << 20);
});

test("several lines may come in one piece", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("session.run", (params, id) => {
       const line = (message) => JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n";
       const ids = { session_id: "s", execution_id: "x" };
       write(line({ method: "stream", params: { ...ids, name: "stdout", text: "1" } }) +
             line({ method: "queued", params: { ...ids, position: 1 } }) +
             line({ method: "unknown", params: {} }) +
             line({ method: "stream", params: { ...ids, name: "stdout", text: "2" } }) +
             line({ id, result: result({ stdout: "12" }) }));
     });`,
  );
  const sandbox = await engine.createSandbox();
  let heard = "";
  const { stdout } = await sandbox.runCode("x", { onStdout: ({ line }) => void (heard += line) });
  assert.deepEqual([heard, stdout], ["12", "12"]);
});

test("late and foreign notifications belong to no run", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("session.run", (params, id) => {
       notify("stream", { name: "stdout", text: "mine" });
       notify("stream", { session_id: "other", name: "stdout", text: "not mine" });
       answer(id, result());
       notify("stream", { name: "stdout", text: "late" });
     });
     on("session.inspect", (params, id) => answer(id, { found: false, text: "" }));`,
  );
  const sandbox = await engine.createSandbox();
  const heard: string[] = [];
  await sandbox.runCode("x", { onStdout: ({ line }) => heard.push(line) });
  await sandbox.inspect("later"); // what was late has been read by now
  assert.deepEqual(heard, ["mine"]);
});

test("an error has its kind and its class", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("session.reset", (params, id) =>
       say({ id, error: { code: -32000, message: "Gone.", data: { kind: "expired" } } }));
     on("session.variables", (params, id) =>
       say({ id, error: { code: -32000, message: "New.", data: { kind: "of_later_versions" } } }));`,
  );
  const sandbox = await engine.createSandbox();
  await assert.rejects(sandbox.reset(), { name: "Expired", kind: "expired", message: "Gone." });
  await assert.rejects(sandbox.variables(), { name: "HostError", kind: "host_error" });
});

test("all that wait are told when the server dies", async (t) => {
  let log = "";
  const engine = await fakeEngine(
    t,
    `on("session.run", () => {
       process.stderr.write("cellblock: no memory is left.\\n");
       notify("stream", { name: "stdout", text: "before" });
       process.exit(2);
     });`,
    { onLog: (text) => void (log += text) },
  );
  const [one, other] = [await engine.createSandbox(), await engine.createSandbox()];
  let heard = "";
  const told = Promise.all([
    rejectsWith(
      one.runCode("x", { onStdout: ({ line }) => void (heard += line) }),
      "host_error",
      /has ended \(exit status 2\).*no memory is left/,
    ),
    rejectsWith(one.runCode("waits"), "host_error"),
    rejectsWith(other.variables(), "host_error"),
  ]);
  await told;
  assert.equal(heard, "before");
  assert.equal(log, "cellblock: no memory is left.\n");
  await rejectsWith(one.runCode("later"), "host_error", /has ended/);
  await rejectsWith(engine.info(), "host_error");
  assert.equal(engine.ended?.kind, "host_error");
  await one.close();
  await engine.close();
});

test("a server that is killed is told by its signal", async (t) => {
  const engine = await fakeEngine(t, `on("engine.info", () => process.kill(process.pid, "SIGKILL"));`);
  await rejectsWith(engine.info(), "host_error", /SIGKILL/);
});

test("a server that breaks the protocol is ended", async (t) => {
  for (const said of ["no JSON", "[1", '{"jsonrpc":"2.0","id":null}']) {
    const engine = await fakeEngine(
      t,
      `on("engine.info", (params, id) => {
         write(${JSON.stringify(said + "\n")});
         answer(id, {});
       });`,
    );
    await rejectsWith(engine.info(), "host_error");
    await engine.close();
  }
});

test("what concerns no request ends the connection with its kind", async (t) => {
  const engine = await fakeEngine(
    t,
    `say({ id: null, error: { code: -32000, message: "Too many.", data: { kind: "busy_limit" } } });`,
  );
  await rejectsWith(engine.info(), "busy_limit", /Too many/);
  await until(() => engine.ended !== undefined, "the end");
});

test("an error that names no kind is told all the same", async (t) => {
  const engine = await fakeEngine(
    t,
    `on("engine.info", (params, id) => {
       write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "No." } }) + "\\n");
     });`,
  );
  await rejectsWith(engine.info(), "host_error", /No/);
  await engine.close();
});
