/** The result of a run that was taken back before its turn: as the server tells it of one that it had. */
import { createHash } from "node:crypto";

import type { ExecutionResult, IsolationReport, TraceContext } from "./wire.js";

export function neverStarted(
  sessionId: string,
  isolation: IsolationReport,
  code: string,
  trace: TraceContext | undefined,
): ExecutionResult {
  return {
    session_id: sessionId,
    execution_id: "",
    execution_count: 0,
    code_sha256: createHash("sha256").update(code).digest("hex"),
    status: "cancelled",
    cause: "caller",
    exit_code: 130,
    stdout: "",
    stderr: "",
    truncated: { stdout: null, stderr: null },
    late: { stdout: "", stderr: "" },
    text: null,
    results: [],
    error: {
      name: "Cancelled",
      value: "The cell was taken back before it started.",
      traceback: "",
      hint: null,
    },
    variables: [],
    variables_summary: "",
    changes: { added: [], changed: [], removed: [] },
    files: { created: [], changed: [], deleted: [] },
    state: "kept",
    lost_names: [],
    stopped_by: null,
    usage: { wall_ms: 0, cpu_ms: 0, peak_memory_bytes: 0 },
    isolation,
    policy_events: {},
    trace: trace ?? {},
  };
}
