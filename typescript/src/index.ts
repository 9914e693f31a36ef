export { type FileContent } from "./bytes.js";
export { type Callbacks, OutputMessage } from "./callbacks.js";
export { Cellblock, type CellblockOptions, type SandboxOptions } from "./cellblock.js";
export type * from "./charts.js";
export * from "./errors.js";
export { type OutputEvent } from "./event_queue.js";
export { Execution, type ExecutionError, type Logs, type Truncation, type Usage } from "./execution.js";
export { type SecurityPolicy } from "./policy.js";
export { Result } from "./result.js";
export { type RunEvent, type RunningExecution } from "./running_execution.js";
export {
  type CodeOptions,
  type Context,
  type CreateCodeContextOptions,
  type CreateOptions,
  type OutputOptions,
  type OutputPage,
  type RedactOptions,
  type RunOptions,
  Sandbox,
  Sandbox as default,
} from "./sandbox.js";
export { type StartOptions } from "./session.js";
export type {
  Cause,
  Changes,
  DisplayData,
  EngineInfo,
  ExecutionResult,
  FileChanges,
  FileInfo,
  Helper,
  IsolationReport,
  Json,
  Layer,
  MimeBundle,
  RedactionReport,
  State,
  Status,
  ToolSchema,
  TraceContext,
  Variable,
  VariableChange,
} from "./wire.js";
export { type EntryInfo, type ReadFormats, type Workspace } from "./workspace.js";
