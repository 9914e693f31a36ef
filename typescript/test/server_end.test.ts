/** Nothing is left behind: not by a program that ends, not by a server that dies. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Cellblock } from "cellblock";

import { PATIENCE_MS, descendants, folderFor, gone, rejectsWith, until } from "./support.js";

const PACKAGE = dirname(dirname(fileURLToPath(import.meta.resolve("cellblock"))));

/**
 * Runs a program that imports the package; `sees` is called with its pid (and process group) when
 * it first prints. Then its standard input ends.
 */
async function runProgram(
  t: TestContext,
  code: string,
  sees: (pid: number) => void,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const folder = await folderFor(t);
  await mkdir(join(folder, "node_modules"));
  await symlink(PACKAGE, join(folder, "node_modules/cellblock"));
  const script = join(folder, "program.mjs");
  await writeFile(
    script,
    `import { Cellblock } from "cellblock";
     import { once } from "node:events";
     ${code}`,
  );
  const child = spawn(process.execPath, [script], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
    if (!child.stdin.writableEnded) sees(child.pid!);
    child.stdin.end();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (said.stderr += text));
  const [status] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  return { code: status, ...said };
}

test("a program that ends with open sandboxes ends at once and leaves nothing", async (t) => {
  let below: number[] = [];
  const done = await runProgram(
    t,
    `const engine = new Cellblock({ preload: [] });
     const sandbox = await engine.createSandbox();
     await sandbox.runCode("x = 1");
     console.log("ready");
     await once(process.stdin.resume(), "end");`,
    (pid) => (below = descendants(pid)),
  );
  assert.deepEqual(done, { code: 0, stdout: "ready\n", stderr: "" });
  assert.ok(below.length >= 3, "server, zygote and session");
  await gone(below);
});

test("a killed host leaves no process", async (t) => {
  let below: number[] = [];
  const done = await runProgram(
    t,
    `const engine = new Cellblock({ preload: [] });
     const sandbox = await engine.createSandbox();
     await sandbox.runCode("print('on', flush=True)\\nwhile True: pass",
                           { onStdout: ({ line }) => console.log(line) });`,
    (pid) => {
      below = descendants(pid);
      process.kill(pid, "SIGKILL");
    },
  );
  assert.equal(done.code, null);
  assert.ok(below.length >= 3);
  await gone(below);
});

test("ctrl c from a terminal reaches the host only", async (t) => {
  const done = await runProgram(
    t,
    `const engine = new Cellblock({ preload: [] });
     const sandbox = await engine.createSandbox();
     const controller = new AbortController();
     process.on("SIGINT", () => controller.abort());
     await sandbox.runCode("kept = 1");
     const run = sandbox.runCode("print('on', flush=True)\\nwhile True: pass",
       { signal: controller.signal, onStdout: ({ line }) => console.log(line.trim()) });
     await run.catch(({ name }) => console.log(name));
     console.log((await sandbox.runCode("kept")).text);`,
    // The program's process group, as a terminal does.
    (pid) => process.kill(-pid, "SIGINT"),
  );
  assert.deepEqual(done, { code: 0, stdout: "on\nAbortError\n1\n", stderr: "" });
});

test("a program waits for a run that is under way", async (t) => {
  const done = await runProgram(
    t,
    `const engine = new Cellblock({ preload: [] });
     const sandbox = await engine.createSandbox();
     void sandbox.runCode("import time; time.sleep(0.5); 6 * 7").then(({ text }) => console.log(text));`,
    () => {},
  );
  assert.deepEqual(done, { code: 0, stdout: "42\n", stderr: "" });
});

test("no rejection is left unhandled when the server dies", async (t) => {
  const done = await runProgram(
    t,
    `const engine = new Cellblock({ preload: [], onLog: () => {} });
     const sandbox = await engine.createSandbox();
     const run = sandbox.stream("print('on', flush=True)\\nwhile True: pass");
     const waiting = sandbox.stream("1");
     try {
       for await (const event of run) {
         const { readFileSync, readdirSync } = await import("node:fs");
         const server = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).find((name) => {
           try {
             const stat = readFileSync(\`/proc/\${name}/stat\`, "utf8");
             return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(process.pid);
           } catch { return false; }
         });
         process.kill(Number(server), "SIGKILL");
       }
     } catch (error) { console.log(error.name, /SIGKILL/.test(error.message)); }
     await new Promise((resolve) => setTimeout(resolve, 200));
     await sandbox.close();
     await engine.close();`,
    () => {},
  );
  assert.deepEqual(done, { code: 0, stdout: "HostError true\n", stderr: "" });
});

test("closing an executor closes its sessions and ends its processes", async () => {
  const before = new Set(descendants(process.pid));
  const engine = new Cellblock({ preload: [] });
  const sandbox = await engine.createSandbox();
  const run = sandbox.runCode("while True: pass");
  await until(() => descendants(process.pid).length > before.size + 2, "the session");
  const below = descendants(process.pid).filter((pid) => !before.has(pid));
  await Promise.all([engine.close(), engine.close()]);
  // Its answer came with the end, or nothing did.
  assert.equal(
    await run.then(
      ({ status }) => status,
      ({ kind }) => kind,
    ),
    "cancelled",
  );
  await gone(below);
  await rejectsWith(sandbox.runCode("1"), "host_error", /closed/);
});

test("a missing program is told with what to do", async (t) => {
  assert.throws(() => new Cellblock({ binary: "/nonexistent/cellblock" }), {
    name: "HostError",
    kind: "host_error",
    message: /`binary` names \/nonexistent/,
  });
  const program = join(await folderFor(t), "cellblock");
  await writeFile(program, "#!/nonexistent/interpreter\n", { mode: 0o755 });
  const broken = new Cellblock({ binary: program });
  await rejectsWith(broken.info(), "host_error", /cannot be started/);
  await broken.close();
  const environment = { ...process.env };
  try {
    process.env["CELLBLOCK_BINARY"] = "/nonexistent/other";
    assert.throws(() => new Cellblock(), { message: /CELLBLOCK_BINARY names/ });
    delete process.env["CELLBLOCK_BINARY"];
    process.env["PATH"] = await folderFor(t);
    assert.throws(() => new Cellblock(), { message: /not on PATH.*Install/ });
  } finally {
    Object.assign(process.env, environment);
  }
});

test("a server that cannot start says why", async () => {
  let log = "";
  const engine = new Cellblock({ preload: ["nosuchpackage"], onLog: (text) => void (log += text) });
  const run = engine.createSandbox().then((sandbox) => sandbox.runCode("while True: pass"));
  await Promise.allSettled([run]);
  await until(() => engine.ended !== undefined, "the server's end");
  await rejectsWith(engine.info(), "host_error", /exit status 2.*nosuchpackage/);
  assert.match(log, /nosuchpackage/);
  await engine.close();
});
