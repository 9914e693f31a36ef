/** What a run says while it runs: callbacks, iteration, interruption, order. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { type RunEvent } from "cellblock";

import { rejectsWith, sandboxFor, startEngine, until } from "./support.js";

const engine = startEngine();
after(() => engine.close());

test("callbacks may be coroutines and are awaited in order", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const seen: string[] = [];
  let errors = 0;
  const execution = await sandbox.runCode(
    "import sys, time\nprint('one', flush=True); time.sleep(0.2)\n" +
      "print('two', file=sys.stderr, flush=True); time.sleep(0.2)\ndisplay({'a': 1})\n1 / 0",
    {
      onStdout: async ({ line, error, timestamp }) => {
        await sleep(50); // what comes next waits for it
        assert.ok(!error && Math.abs(timestamp / 1e6 - Date.now()) < 60_000);
        seen.push(line);
      },
      onStderr: (message) => seen.push(String(message)),
      onResult: (result) => seen.push(`result ${result.text}`),
      onError: ({ name }) => {
        errors += 1;
        seen.push(name);
      },
    },
  );
  assert.deepEqual(seen, ["one\n", "two\n", "result {'a': 1}", "ZeroDivisionError"]);
  assert.equal(errors, 1);
  assert.deepEqual([execution.stdout, execution.stderr], ["one\n", "two\n"]);
});

test("output is told before the run ends", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  let heard = "";
  const run = sandbox.runCode("print('now', flush=True)\nimport time\ntime.sleep(600)", {
    timeoutMs: 30_000,
    onStdout: ({ line }) => void (heard += line),
  });
  await until(() => heard === "now\n", "the first line");
  assert.equal(await sandbox.interrupt(), true);
  const { status, exitCode, stdout } = await run;
  assert.deepEqual([status, exitCode, stdout], ["cancelled", 130, "now\n"]);
  assert.equal(await sandbox.interrupt(), false);
});

test("an exception in a callback ends the run and is raised", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const boom = new Error("mine");
  for (const onStdout of [
    () => {
      throw boom;
    },
    () => Promise.reject(boom),
  ]) {
    const run = sandbox.runCode("kept = 1\nprint('x', flush=True)\nwhile True: pass", { onStdout });
    await assert.rejects(run, boom);
  }
  assert.equal((await sandbox.runCode("kept")).text, "1");
});

test("an exception at the last event is raised too", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const fail = (): never => {
    throw new RangeError("mine");
  };
  await assert.rejects(sandbox.runCode("1", { onResult: fail }), RangeError);
  await assert.rejects(sandbox.runCode("1 / 0", { onError: fail }), RangeError);
});

test("a slow callback gets everything", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  let heard = "";
  const { status } = await sandbox.runCode("print('x' * 3_000_000)", {
    onStdout: async ({ line }) => {
      heard += line;
      await sleep(10);
    },
  });
  assert.equal(status, "ok");
  assert.ok(heard === "x".repeat(3_000_000) + "\n");
});

test("a callback may use the session", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const seen: string[][] = [];
  await sandbox.runCode("print('x')", {
    onStdout: async ({ line }) => {
      await sandbox.upload("seen.txt", line);
      seen.push((await sandbox.files.list()).map(({ path }) => path));
    },
  });
  assert.deepEqual(seen, [["seen.txt"]]);
});

test("a callback may run code in the same session", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const inner: (string | undefined)[] = [];
  await sandbox.runCode("print('x')", {
    onStdout: async () => void inner.push((await sandbox.runCode("1 + 1")).text),
  });
  assert.deepEqual(inner, ["2"]);
});

test("a run is iterated to its end", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const run = sandbox.stream("print('a')\ndisplay('shown')\nprint('b')\n42");
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  // What was printed before a result comes before it; what was printed after it may, too.
  const text = events.map((event) => (event.type === "stdout" ? event.text : "")).join("");
  assert.deepEqual([events[0]?.type, text], ["stdout", "a\nb\n"]);
  const shown = events.flatMap((event) => (event.type === "result" ? [event.result.text] : []));
  assert.deepEqual(shown, ["'shown'", "42"]);
  const last = events.at(-1);
  assert.ok(last?.type === "end" && last.execution === (await run.result));
  assert.equal(last.execution.text, "42");
  await assert.rejects(async () => {
    for await (const _ of run);
  }, /once/);
});

test("who leaves the loop interrupts the run", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const run = sandbox.stream("while True: print('x' * 1000)");
  for await (const event of run) {
    assert.equal(event.type, "stdout");
    break;
  }
  assert.equal((await run.result).status, "cancelled");
  assert.equal((await sandbox.runCode("1")).text, "1");
});

test("a slow reader loses nothing", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const run = sandbox.stream("for i in range(100_000): print('x' * 100)");
  const other = await sandboxFor(t, engine);
  let size = 0;
  let pieces = 0;
  for await (const event of run) {
    if (event.type !== "stdout") continue;
    if (size === 0) {
      // The run goes on meanwhile, and so do others.
      assert.equal((await other.runCode("1 + 1")).text, "2");
      await run.result;
    }
    size += event.text.length;
    pieces += 1;
  }
  assert.equal(size, 101 * 100_000);
  assert.ok(pieces < 10, `what waited came together: ${pieces}`);
});

test("text is whole however its bytes are cut", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  let heard = "";
  const code = "for i in range(3000): print('aé€🙂' * 7)";
  await sandbox.runCode(code, { onStdout: ({ line }) => void (heard += line) });
  assert.equal(heard, ("aé€🙂".repeat(7) + "\n").repeat(3000));
});

test("runs of one session queue in order", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const runs = ["order = [1]\nimport time; time.sleep(0.3)", "order.append(2)", "order.append(3)"];
  const executions = runs.map((code) => sandbox.runCode(code));
  assert.equal((await sandbox.runCode("order")).text, "[1, 2, 3]");
  const counts = (await Promise.all(executions)).map(({ executionCount }) => executionCount);
  assert.deepEqual(counts, [1, 2, 3]);
});

test("each run hears its own output only", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const heard = ["", "", "", ""];
  await Promise.all(
    heard.map((_, i) =>
      sandbox.runCode(`for _ in range(100): print(${i}, flush=True)`, {
        onStdout: ({ line }) => void (heard[i] += line),
      }),
    ),
  );
  heard.forEach((text, i) => assert.equal(text, `${i}\n`.repeat(100)));
});

test("runs of different sessions go side by side", async (t) => {
  const [one, other] = await Promise.all([sandboxFor(t, engine), sandboxFor(t, engine)]);
  const long = one.runCode("import time; time.sleep(600)", { timeoutMs: 30_000 });
  assert.equal((await other.runCode("1 + 1")).text, "2");
  await one.interrupt();
  assert.equal((await long).status, "cancelled");
});

test("a run that waits can be taken back", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const long = sandbox.stream("import time; time.sleep(600)");
  const waiting = sandbox.stream("ran = True");
  const last = sandbox.runCode("'ran' in globals()");
  assert.equal(await waiting.interrupt(), true);
  const { status, exitCode, cause, error } = await waiting.result;
  assert.deepEqual([status, exitCode, cause, error?.name], ["cancelled", 130, "caller", "Cancelled"]);
  assert.equal(await long.interrupt(), true);
  assert.equal((await long.result).status, "cancelled");
  assert.equal((await last).text, "False");
  assert.equal(await waiting.interrupt(), false);
});

test("a signal takes a run back", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const controller = new AbortController();
  const { signal } = controller;
  let heard = "";
  const running = sandbox.runCode("kept = 1\nprint('on', flush=True)\nwhile True: pass", {
    signal,
    onStdout: ({ line }) => void (heard += line),
  });
  const waiting = sandbox.runCode("kept = 2", { signal });
  await until(() => heard !== "", "the run's output");
  const reason = new Error("enough");
  const both = Promise.all([running, waiting].map((run) => assert.rejects(run, reason)));
  controller.abort(reason);
  await both;
  await assert.rejects(sandbox.runCode("kept = 3", { signal }), reason);
  assert.equal((await sandbox.runCode("kept")).text, "1");
  await assert.rejects(
    sandbox.runCode("while True: pass", { signal: AbortSignal.timeout(200) }),
    { name: "TimeoutError" },
  );
  assert.equal((await sandbox.runCode("kept", { signal: new AbortController().signal })).text, "1");
});

test("an interrupt right behind its run is not lost", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  for (let i = 0; i < 10; i += 1) {
    const run = sandbox.stream("while True: pass", { timeoutMs: 20_000 });
    assert.equal(await run.interrupt(), true);
    assert.equal((await run.result).status, "cancelled");
  }
});

test("what is shown can be replaced and taken back", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const operations: (string | undefined)[][] = [];
  const { results } = await sandbox.runCode(
    "h = display('a', display_id=True)\nh.update('b')\nclear_output()\ndisplay('c')",
    { onResult: ({ operation, text }) => operations.push([operation, text]) },
  );
  assert.deepEqual(
    operations.map(([operation]) => operation),
    ["show", "update", "clear", "show"],
  );
  assert.deepEqual(
    results.map(({ text }) => text),
    ["'c'"],
  );
});

test("a run for a model brings its text", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const execution = await sandbox.runCode("print('x' * 5000)\n6 * 7", { modelTextBytes: 300 });
  assert.match(execution.modelText ?? "", /42/);
  assert.ok(Buffer.byteLength(execution.modelText ?? "") <= 300);
  assert.equal((await sandbox.runCode("1")).modelText, undefined);
  await rejectsWith(sandbox.runCode("1", { modelTextBytes: -1 }), "bad_argument");
});
