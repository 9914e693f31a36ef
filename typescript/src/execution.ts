/** What came out of one run. */
import { Result } from "./result.js";
import type {
  Cause,
  Changes,
  ExecutionResult,
  FileChanges,
  IsolationReport,
  State,
  Status,
  TraceContext,
  Variable,
} from "./wire.js";

/** What went wrong in the code. */
export interface ExecutionError {
  name: string;
  value: string;
  /** The code's own frames only. */
  traceback: string;
  /** One sentence to act on. */
  hint: string | undefined;
}

export interface Logs {
  stdout: string[];
  stderr: string[];
}

/** How much of a stream the result leaves out; `Sandbox.output` has the rest. */
export interface Truncation {
  totalBytes: number;
  omittedBytes: number;
}

export interface Usage {
  wallMs: number;
  cpuMs: number;
  /** Since the session began. */
  peakMemoryBytes: number;
}

export class Execution {
  readonly sessionId: string;
  readonly executionId: string;
  /** Of its session, from 1. */
  readonly executionCount: number;
  readonly codeSha256: string;

  readonly status: Status;
  /** Undefined when all went well. */
  readonly cause: Cause | undefined;
  /** 0; 1 error; n for `sys.exit(n)`; 124 timeout; 137 memory; 152 CPU time; 130 cancelled. */
  readonly exitCode: number;

  /** Within the policy's `max_stdout_bytes`: head and tail of what is longer. */
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { stdout: Truncation | undefined; stderr: Truncation | undefined };
  /** Written after the last run ended and before this one. */
  readonly late: { stdout: string; stderr: string };

  /** The value of the last expression. */
  readonly text: string | undefined;
  readonly results: Result[];
  readonly error: ExecutionError | undefined;

  /** The namespace, the most recently changed first. */
  readonly variables: Variable[];
  /** The same in a line each. */
  readonly variablesSummary: string;
  readonly changes: Changes;
  readonly files: FileChanges;

  /** What became of the variables; `lostNames` are those that went. */
  readonly state: State;
  readonly lostNames: string[];
  readonly stoppedBy: "sigint" | "sigkill" | undefined;

  readonly usage: Usage;
  readonly isolation: IsolationReport;
  readonly policyEvents: Record<string, number>;
  readonly trace: TraceContext;
  /** Plain text for a model; there when `modelTextBytes` asked for it. */
  readonly modelText: string | undefined;

  readonly #result: ExecutionResult;

  constructor(result: ExecutionResult) {
    this.#result = result;
    this.sessionId = result.session_id;
    this.executionId = result.execution_id;
    this.executionCount = result.execution_count;
    this.codeSha256 = result.code_sha256;
    this.status = result.status;
    this.cause = result.cause ?? undefined;
    this.exitCode = result.exit_code;
    this.stdout = result.stdout;
    this.stderr = result.stderr;
    this.truncated = {
      stdout: truncation(result.truncated.stdout),
      stderr: truncation(result.truncated.stderr),
    };
    this.late = result.late;
    this.text = result.text ?? undefined;
    this.results = result.results.map((data) => new Result(data));
    this.error = result.error ? { ...result.error, hint: result.error.hint ?? undefined } : undefined;
    this.variables = result.variables;
    this.variablesSummary = result.variables_summary;
    this.changes = result.changes;
    this.files = result.files;
    this.state = result.state;
    this.lostNames = result.lost_names;
    this.stoppedBy = result.stopped_by ?? undefined;
    this.usage = {
      wallMs: result.usage.wall_ms,
      cpuMs: result.usage.cpu_ms,
      peakMemoryBytes: result.usage.peak_memory_bytes,
    };
    this.isolation = result.isolation;
    this.policyEvents = result.policy_events;
    this.trace = result.trace;
    this.modelText = result.model_text;
  }

  /** `stdout` and `stderr` in lines, with their ends. */
  get logs(): Logs {
    return { stdout: lines(this.stdout), stderr: lines(this.stderr) };
  }

  /** The first picture, in base64. */
  get png(): string | undefined {
    return this.results.find((result) => result.png !== undefined)?.png;
  }

  /** The data of the first figure. */
  get chart(): Result["chart"] {
    return this.results.find((result) => result.chart !== undefined)?.chart;
  }

  /** The JSON form, the same in every language: docs/protocol.md. */
  toJSON(): ExecutionResult {
    return this.#result;
  }
}

function lines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function truncation(
  cut: { total_bytes: number; omitted_bytes: number } | null,
): Truncation | undefined {
  return cut ? { totalBytes: cut.total_bytes, omittedBytes: cut.omitted_bytes } : undefined;
}
