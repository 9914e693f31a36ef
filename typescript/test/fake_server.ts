/** A program in the place of `cellblock` that says what a test wants. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext } from "node:test";

import { Cellblock } from "cellblock";

import { folderFor } from "./support.js";

/**
 * An engine on a fake server whose body is JavaScript: `on(method, (params, id) => …)` hears requests,
 * `answer(id, result)`, `notify(method, params)` and `write(bytes)` speak. session.open is answered.
 */
export async function fakeEngine(
  t: TestContext,
  body: string,
  options: { onLog?: (text: string) => void } = {},
): Promise<Cellblock> {
  const binary = join(await folderFor(t), "cellblock");
  const script = `#!${process.execPath}
    const { writeSync } = require("node:fs");
    const handlers = {};
    const on = (method, handler) => (handlers[method] = handler);
    const write = (bytes) => {
      for (let rest = Buffer.from(bytes); rest.length > 0; ) {
        try { rest = rest.subarray(writeSync(1, rest)); }
        catch (error) { if (error.code !== "EAGAIN") throw error; }
      }
    };
    const say = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    const answer = (id, result) => say({ id, result });
    const notify = (method, params) =>
      say({ method, params: { session_id: "s", execution_id: "x", ...params } });
    const result = (changes = {}) => ({
      session_id: "s", execution_id: "x", execution_count: 1, code_sha256: "", status: "ok",
      cause: null, exit_code: 0, stdout: "", stderr: "", truncated: { stdout: null, stderr: null },
      late: { stdout: "", stderr: "" }, text: null, results: [], error: null, variables: [],
      variables_summary: "", changes: { added: [], changed: [], removed: [] },
      files: { created: [], changed: [], deleted: [] }, state: "kept", lost_names: [],
      stopped_by: null, usage: { wall_ms: 1, cpu_ms: 1, peak_memory_bytes: 1 },
      isolation: { level: "full", layers: [] }, policy_events: {}, trace: {}, ...changes,
    });
    on("session.open", (params, id) =>
      answer(id, { session_id: "s", start_ms: 1, isolation: { level: "full", layers: [] } }));
    on("session.close", (params, id) => answer(id, {}));
    ${body}
    require("node:readline").createInterface({ input: process.stdin })
      .on("line", (line) => {
        const { method, params, id } = JSON.parse(line);
        handlers[method]?.(params, id);
      })
      .on("close", () => process.exit(0));
  `;
  await writeFile(binary, script);
  await chmod(binary, 0o755);
  const engine = new Cellblock({ binary, ...options });
  t.after(() => engine.close());
  return engine;
}
