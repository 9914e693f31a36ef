/**
 * What a session may do: the fields of a policy file, in every language by these names
 * (include/cellblock/policy.hpp has the defaults). The server refuses unknown fields and absurd
 * numbers with `PolicyInvalid`. `null` is no limit.
 *
 * The policy is the operator's: never let a model write it.
 */
export interface SecurityPolicy {
  /** The base that the other fields change. */
  profile?: "default" | "strict" | "trusted";
  /** Wall clock of one execution. */
  timeout_s?: number;
  /** Between SIGINT and SIGKILL. */
  grace_s?: number;
  cpu_seconds?: number | null;
  max_cpus?: number | null;
  max_memory_bytes?: number | null;
  max_processes?: number | null;
  max_threads?: number | null;
  max_open_files?: number | null;
  max_file_bytes?: number | null;
  workspace_bytes?: number | null;
  workspace_files?: number | null;
  /** A host folder that becomes the workspace; null: a private one that ends with the session. */
  workspace_dir?: string | null;
  max_stdout_bytes?: number;
  max_stderr_bytes?: number;
  max_text_bytes?: number;
  max_result_bytes?: number;
  /** How much of each stream is kept for paging and streamed. */
  spool_bytes?: number;
  /** Top-level names; `[]`: none. */
  allowed_imports?: string[];
  import_guard?: "on" | "off";
  network?: "none";
  read_paths?: string[];
  env?: Record<string, string>;
  background?: "keep" | "end";
  on_restart?: "fresh" | "reimport";
  isolation?: "required" | "best_effort" | "none";
  interpreter?: "main" | "sub";
  session_ttl_s?: number;
  idle_ttl_s?: number;
}
