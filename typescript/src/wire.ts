/** The messages of docs/protocol.md, with the names that they have there. */
import type { Chart } from "./charts.js";
import type { SecurityPolicy } from "./policy.js";

export type Status =
  | "ok"
  | "error"
  | "exit"
  | "timeout"
  | "memory_limit"
  | "cpu_limit"
  | "crashed"
  | "cancelled"
  | "host_error";

export type Cause =
  | "exception"
  | "syntax"
  | "import_refused"
  | "exit"
  | "wall_time"
  | "cpu_time"
  | "memory"
  | "processes"
  | "threads"
  | "open_files"
  | "file_size"
  | "disk_full"
  | "denied_syscall"
  | "signal"
  | "stack_overflow"
  | "protocol"
  | "caller"
  | "zygote_lost"
  | "host";

/** What became of the session's variables. */
export type State = "kept" | "rolled_back" | "lost";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Text as it is, JSON types as values, pictures in base64. */
export type MimeBundle = { [type: string]: Json };

export interface DisplayData {
  is_main_result: boolean;
  mime: MimeBundle;
  chart: Chart | null;
  display_id?: string;
  operation?: "update" | "clear";
}

export interface Variable {
  name: string;
  type: string;
  /** For example `DataFrame(1000, 12)`. */
  summary: string;
}

export interface VariableChange {
  name: string;
  type?: string;
  summary?: string;
  /** What changed, for example `lost column b`. */
  detail?: string;
}

export interface Changes {
  added: VariableChange[];
  changed: VariableChange[];
  removed: VariableChange[];
}

export interface FileInfo {
  /** Relative to the workspace. */
  path: string;
  size: number;
  mime: string;
}

export interface FileChanges {
  created: FileInfo[];
  changed: FileInfo[];
  deleted: FileInfo[];
}

export interface Layer {
  name: string;
  on: boolean;
  detail: string;
  remedy?: string;
}

export interface IsolationReport {
  level: "full" | "reduced" | "partial" | "none";
  layers: Layer[];
}

/** The caller's own marks: they come back in the result and stand in the audit log. */
export interface TraceContext {
  traceparent?: string;
  request_id?: string;
  tenant?: string;
}

export interface Truncation {
  total_bytes: number;
  omitted_bytes: number;
}

/** The JSON form of a run's result, the same in every language. */
export interface ExecutionResult {
  session_id: string;
  execution_id: string;
  execution_count: number;
  code_sha256: string;
  status: Status;
  cause: Cause | null;
  exit_code: number;
  stdout: string;
  stderr: string;
  truncated: { stdout: Truncation | null; stderr: Truncation | null };
  late: { stdout: string; stderr: string };
  text: string | null;
  results: DisplayData[];
  error: { name: string; value: string; traceback: string; hint: string | null } | null;
  variables: Variable[];
  variables_summary: string;
  changes: Changes;
  files: FileChanges;
  state: State;
  lost_names: string[];
  stopped_by: "sigint" | "sigkill" | null;
  usage: { wall_ms: number; cpu_ms: number; peak_memory_bytes: number };
  isolation: IsolationReport;
  policy_events: Record<string, number>;
  trace: TraceContext;
  model_text?: string;
}

export interface Helper {
  name: string;
  signature: string;
  doc: string;
}

export interface EngineInfo {
  version: string;
  executor: string;
  python_version: string;
  python_executable: string;
  preloaded: Record<string, string>;
  missing: Record<string, string>;
  helpers: Helper[];
  allowed_imports: string[];
  policy_events: Record<string, number>;
  zygote_start_ms: number;
  parked_threads: number;
}

/** The tool `execute_python`, made from a policy and from what is installed. */
export interface ToolSchema {
  name: string;
  title: string;
  description: string;
  short_description: string;
  /** Words for a system message. */
  prompt: string;
  input_schema: { properties: { [name: string]: Json }; [name: string]: Json };
  output_schema: { [name: string]: Json };
  python_version: string;
  packages: string[];
  preloaded: Record<string, string>;
  helpers: Helper[];
  policy: Required<SecurityPolicy>;
}

export interface RedactionReport {
  path: string;
  format: string;
  columns: string[];
  rows: number;
  rules: Record<string, string>;
}

interface OfSession {
  session_id: string;
}

interface OfCode extends OfSession {
  code: string;
  /** In code points. */
  cursor?: number;
}

/** Each method with its parameters and its result. */
export interface Methods {
  "engine.info": [Record<string, never>, EngineInfo];
  "engine.tool_schema": [{ policy?: SecurityPolicy }, ToolSchema];
  "session.open": [
    { policy?: SecurityPolicy; python?: string; share?: string },
    { session_id: string; start_ms: number; isolation: IsolationReport },
  ];
  "session.run": [
    OfSession & {
      code: string;
      timeout_s?: number;
      trace?: TraceContext;
      model_text_bytes?: number;
    },
    ExecutionResult,
  ];
  "session.interrupt": [OfSession, { interrupted: boolean }];
  "session.reset": [OfSession, Record<string, never>];
  "session.variables": [OfSession, { variables: Variable[] }];
  "session.complete": [OfCode, { matches: string[]; start: number; end: number }];
  "session.inspect": [OfCode, { found: boolean; text: string }];
  "session.is_complete": [
    OfSession & { code: string },
    { status: "complete" | "incomplete" | "invalid"; indent: string },
  ];
  "session.output": [
    OfSession & {
      execution_id: string;
      stream?: "stdout" | "stderr";
      offset?: number;
      limit?: number;
      pattern?: string;
    },
    { text: string; next_offset: number; total_bytes: number },
  ];
  "session.upload": [
    OfSession &
      (
        | { path: string; data_base64: string; append?: boolean }
        | {
            file: string;
            path?: string;
            redact?: Record<string, string>;
            format?: string;
            hash_key?: string;
          }
      ),
    { path: string } | RedactionReport,
  ];
  "session.download": [
    OfSession & { path: string; offset?: number; limit?: number },
    { data_base64: string; size: number; next_offset: number; at_end: boolean },
  ];
  "session.files": [OfSession, { files: FileInfo[] }];
  "session.close": [OfSession, Record<string, never>];
}

export type Method = keyof Methods;

/** What an execution says before its answer. */
export type Notification =
  | { method: "stream"; params: OfSession & { execution_id: string; name: "stdout" | "stderr"; text: string } }
  | { method: "display"; params: OfSession & { execution_id: string; result: DisplayData } }
  | { method: "queued"; params: OfSession & { execution_id: string; position: number } };
