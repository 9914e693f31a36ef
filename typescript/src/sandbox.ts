/** A Python session: one namespace, one workspace, many runs. */
import { resolve } from "node:path";

import type { FileContent } from "./bytes.js";
import { type Callbacks, follow } from "./callbacks.js";
import { Cellblock, type SandboxOptions } from "./cellblock.js";
import { toCodePoints, toUnits } from "./cursor.js";
import { UnknownSession, Unsupported } from "./errors.js";
import type { Execution } from "./execution.js";
import type { RunningExecution } from "./running_execution.js";
import { Session, type StartOptions } from "./session.js";
import type { FileInfo, IsolationReport, RedactionReport, Variable } from "./wire.js";
import { Workspace } from "./workspace.js";

/** A further interpreter in the sandbox's cage and workspace, with variables of its own. */
export interface Context {
  readonly id: string;
  readonly language: "python";
  /** Where its code begins: the workspace, to which paths are relative. */
  readonly cwd: string;
}

export interface CreateCodeContextOptions {
  language?: "python" | undefined;
}

export interface RunOptions extends StartOptions {
  /** Where to run; the sandbox's own namespace when left out. */
  context?: Context | undefined;
  language?: "python" | undefined;
}

export interface CreateOptions extends SandboxOptions {
  /** The engine to run on; the one that this process shares when left out. */
  engine?: Cellblock | undefined;
  /** The shared engine's program. */
  binary?: string | undefined;
}

/** The code that a question is about; the cursor counts UTF-16 units and is the end when left out. */
export interface CodeOptions {
  cursor?: number | undefined;
  context?: Context | undefined;
}

export interface OutputOptions {
  stream?: "stdout" | "stderr" | undefined;
  /** In bytes. */
  offset?: number | undefined;
  /** 65 536 bytes when left out, 4 MiB at most. */
  limit?: number | undefined;
  /** An ECMAScript regular expression: only lines that match, from the offset to the end. */
  pattern?: string | undefined;
  context?: Context | undefined;
}

export interface OutputPage {
  text: string;
  /** Equals `totalBytes` at the end. */
  nextOffset: number;
  totalBytes: number;
}

export interface RedactOptions {
  /** Column: what becomes of it. */
  rules: Record<string, "drop" | "mask" | "hash">;
  /** In the workspace; the file's own name when left out. */
  path?: string | undefined;
  /** By the file's name when left out. */
  format?: "csv" | "jsonl" | "parquet" | undefined;
  /** The same key gives the same hashes in another file. */
  hashKey?: string | undefined;
}

/** Runs of one namespace go one after the other, those of others side by side. */
export class Sandbox implements AsyncDisposable {
  /** The session's id. */
  readonly sandboxId: string;
  readonly isolation: IsolationReport;
  /** From the request to the first ready session process. */
  readonly startMs: number;
  readonly files: Workspace;
  readonly #session: Session;
  readonly #contexts = new Map<string, Session>();

  /** @internal */
  constructor(session: Session, startMs: number) {
    this.#session = session;
    this.sandboxId = session.id;
    this.isolation = session.isolation;
    this.startMs = startMs;
    this.files = new Workspace(session);
  }

  /** Opens a sandbox. Rejects with a CellblockError. */
  static async create(options: CreateOptions = {}): Promise<Sandbox> {
    const { engine, binary, ...rest } = options;
    return (engine ?? Cellblock.shared(binary)).createSandbox(rest);
  }

  /**
   * Runs one cell and gives its result. What goes wrong in the code is in the result; it rejects with
   * a CellblockError when Cellblock or the machine failed, with the signal's reason when the signal
   * took the run back, and with what a callback threw.
   */
  async runCode(code: string, options: RunOptions & Callbacks = {}): Promise<Execution> {
    return follow(this.stream(code, options), options);
  }

  /** Starts one cell; what it says can be iterated: `for await (const event of …)`. */
  stream(code: string, options: RunOptions = {}): RunningExecution {
    checkLanguage(options.language);
    return this.#sessionOf(options.context).start(code, options);
  }

  /** Ends what runs now, with status `cancelled`; what waits goes on. False: nothing ran. */
  async interrupt(context?: Context): Promise<boolean> {
    const { connection, id } = this.#open(context);
    return (await connection.call("session.interrupt", { session_id: id })).interrupted;
  }

  /** A fresh namespace in the same workspace. */
  async reset(context?: Context): Promise<void> {
    const { connection, id } = this.#open(context);
    await connection.call("session.reset", { session_id: id });
  }

  async variables(context?: Context): Promise<Variable[]> {
    const { connection, id } = this.#open(context);
    return (await connection.call("session.variables", { session_id: id })).variables;
  }

  /** What could stand at the cursor; `start` and `end` (UTF-16 units) say what a match replaces. */
  async complete(
    code: string,
    options: CodeOptions = {},
  ): Promise<{ matches: string[]; start: number; end: number }> {
    const { connection, id } = this.#open(options.context);
    const found = await connection.call("session.complete", {
      session_id: id,
      code,
      cursor: toCodePoints(code, options.cursor ?? code.length),
    });
    return {
      matches: found.matches,
      start: toUnits(code, found.start),
      end: toUnits(code, found.end),
    };
  }

  /** Signature and documentation of what stands at the cursor. */
  async inspect(code: string, options: CodeOptions = {}): Promise<{ found: boolean; text: string }> {
    const { connection, id } = this.#open(options.context);
    return connection.call("session.inspect", {
      session_id: id,
      code,
      cursor: toCodePoints(code, options.cursor ?? code.length),
    });
  }

  /** Whether the code can be run as it is; if `incomplete`, `indent` begins the next line. */
  async isComplete(
    code: string,
    context?: Context,
  ): Promise<{ status: "complete" | "incomplete" | "invalid"; indent: string }> {
    const { connection, id } = this.#open(context);
    return connection.call("session.is_complete", { session_id: id, code });
  }

  /** A page of the output of one of the last executions, beyond what its result holds. */
  async output(executionId: string, options: OutputOptions = {}): Promise<OutputPage> {
    const { context, ...query } = options;
    const { connection, id } = this.#open(context);
    const page = await connection.call("session.output", {
      session_id: id,
      execution_id: executionId,
      ...(query as { [Name in keyof typeof query]: NonNullable<(typeof query)[Name]> }),
    });
    return { text: page.text, nextOffset: page.next_offset, totalBytes: page.total_bytes };
  }

  /** Writes a file into the workspace. Returns what the code must use as its path. */
  async upload(path: string, content: FileContent): Promise<string> {
    return (await this.files.write(path, content)).path;
  }

  /** A file or folder of this machine; under its own name when `path` is left out. */
  async uploadFile(local: string, path?: string): Promise<string> {
    const { connection, id } = this.#open();
    const done = await connection.call("session.upload", {
      session_id: id,
      file: resolve(local),
      ...(path !== undefined && { path }),
    });
    return done.path;
  }

  /** A file of this machine whose columns are redacted before the sandbox gets it. */
  async uploadRedacted(local: string, options: RedactOptions): Promise<RedactionReport> {
    const { connection, id } = this.#open();
    const { rules, path, format, hashKey } = options;
    return (await connection.call("session.upload", {
      session_id: id,
      file: resolve(local),
      redact: rules,
      ...(path !== undefined && { path }),
      ...(format !== undefined && { format }),
      ...(hashKey !== undefined && { hash_key: hashKey }),
    })) as RedactionReport;
  }

  download(path: string): Promise<Uint8Array> {
    return this.files.read(path, { format: "bytes" });
  }

  /** Every file of the workspace. */
  listFiles(): Promise<FileInfo[]> {
    return this.files.list();
  }

  async createCodeContext(options: CreateCodeContextOptions = {}): Promise<Context> {
    checkLanguage(options.language);
    const { connection, id } = this.#open();
    const opened = await connection.call("session.open", { share: id });
    const session = new Session(connection, opened.session_id, opened.isolation);
    this.#contexts.set(session.id, session);
    return contextOf(session);
  }

  async listCodeContexts(): Promise<Context[]> {
    return [...this.#contexts.values()].map(contextOf);
  }

  /** Ends a context; the sandbox and its other contexts go on. */
  async removeCodeContext(context: Context | string): Promise<void> {
    const session = this.#sessionOf(context);
    this.#contexts.delete(session.id);
    await session.close();
  }

  /** A fresh namespace for a context. */
  async restartCodeContext(context: Context | string): Promise<void> {
    const { connection, id } = this.#open(context);
    await connection.call("session.reset", { session_id: id });
  }

  /** Ends the sandbox and its contexts; what runs is cancelled. A second call does nothing. */
  async close(): Promise<void> {
    const contexts = [...this.#contexts.values()];
    this.#contexts.clear();
    await Promise.all([...contexts, this.#session].map((session) => session.close()));
  }

  /** The same as close. */
  async kill(): Promise<boolean> {
    await this.close();
    return true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #sessionOf(context?: Context | string): Session {
    if (context === undefined) return this.#session;
    const id = typeof context === "string" ? context : context.id;
    const session = this.#contexts.get(id);
    if (session) return session;
    this.#session.checkOpen();
    throw new UnknownSession(
      `This sandbox has no context ${JSON.stringify(id)}; createCodeContext makes one.`,
    );
  }

  #open(context?: Context | string): Session {
    const session = this.#sessionOf(context);
    session.checkOpen();
    return session;
  }
}

function contextOf(session: Session): Context {
  return { id: session.id, language: "python", cwd: "." };
}

function checkLanguage(language: string | undefined): void {
  if (language !== undefined && language !== "python") {
    throw new Unsupported(`Only Python runs here, not ${language}; leave \`language\` out.`);
  }
}
