/** Further interpreters in a sandbox's cage and workspace. */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { rejectsWith, sandboxFor, sessions, startEngine, until } from "./support.js";

const engine = startEngine();
after(() => engine.close());

test("a context has variables of its own and the same files", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const context = await sandbox.createCodeContext();
  assert.deepEqual([context.language, context.cwd], ["python", "."]);
  await sandbox.runCode("x = 'main'; open('shared.txt', 'w').write('seen')");
  const other = await sandbox.runCode("x", { context });
  assert.equal(other.error?.name, "NameError");
  assert.equal(other.sessionId, context.id);
  assert.equal((await sandbox.runCode("open('shared.txt').read()", { context })).text, "'seen'");
  assert.equal((await sandbox.runCode("x")).text, "'main'");
  await sandbox.runCode("y = 2", { context });
  assert.deepEqual(
    (await sandbox.variables(context)).map(({ name }) => name),
    ["y"],
  );
});

test("runs of two contexts go side by side", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const context = await sandbox.createCodeContext();
  const long = sandbox.runCode("while True: pass", { context });
  assert.equal((await sandbox.runCode("1 + 1")).text, "2");
  assert.equal(await sandbox.interrupt(), false);
  assert.equal(await sandbox.interrupt(context), true);
  assert.equal((await long).status, "cancelled");
});

test("contexts are listed restarted and removed", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const [one, other] = [await sandbox.createCodeContext(), await sandbox.createCodeContext()];
  assert.deepEqual(await sandbox.listCodeContexts(), [one, other]);
  await sandbox.runCode("x = 1", { context: one });
  await sandbox.restartCodeContext(one);
  assert.deepEqual(await sandbox.variables(one), []);
  await sandbox.removeCodeContext(one.id);
  assert.deepEqual(await sandbox.listCodeContexts(), [other]);
  await rejectsWith(sandbox.runCode("1", { context: one }), "unknown_session", /createCodeContext/);
  await rejectsWith(sandbox.removeCodeContext(one), "unknown_session");
  assert.equal((await sandbox.runCode("1", { context: other })).text, "1");
});

test("what is no context is refused", async (t) => {
  const [sandbox, stranger] = [await sandboxFor(t, engine), await sandboxFor(t, engine)];
  const context = await stranger.createCodeContext();
  await rejectsWith(sandbox.runCode("1", { context }), "unknown_session");
  await rejectsWith(sandbox.createCodeContext({ language: "r" as "python" }), "unsupported");
});

test("a closed sandbox ends its contexts", async () => {
  const before = sessions(process.pid).length;
  const sandbox = await engine.createSandbox();
  const context = await sandbox.createCodeContext();
  const run = sandbox.runCode("while True: pass", { context });
  await until(() => sessions(process.pid).length >= before + 2, "two sessions");
  await sandbox.close();
  assert.equal((await run).status, "cancelled");
  await until(() => sessions(process.pid).length <= before, "both have ended");
  await rejectsWith(sandbox.runCode("1", { context }), "unknown_session");
});
