/** An engine: one server with its sandboxes. */
import { Connection } from "./connection.js";
import { ChildTransport } from "./child_transport.js";
import type { CellblockError } from "./errors.js";
import type { SecurityPolicy } from "./policy.js";
import { findProgram } from "./program.js";
import { Sandbox } from "./sandbox.js";
import { Session } from "./session.js";
import { SocketTransport } from "./socket_transport.js";
import type { EngineInfo, ToolSchema } from "./wire.js";

/** How to start a server of our own. */
export interface CellblockOptions {
  /** The `cellblock` program; else $CELLBLOCK_BINARY, else the one on PATH. */
  binary?: string | undefined;
  /** The Python whose packages are used, for example a venv's `bin/python`. */
  python?: string | undefined;
  /** Packages to load ahead; numpy, pandas and matplotlib when left out. */
  preload?: readonly string[] | undefined;
  /** A Python file whose functions every session starts with. */
  helpers?: string | undefined;
  /** Sessions at once: 256 when left out. */
  maxSessions?: number | undefined;
  /** Where every execution is logged, a JSON object a line; nowhere when left out. */
  auditLog?: string | undefined;
  /** Log the code itself, not only its hash. */
  logCode?: boolean | undefined;
  /** Of sandboxes that are opened without one. */
  policy?: SecurityPolicy | undefined;
  /** The server's environment; this process's when left out. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Gets what the server says on standard error; written to this process's when left out. */
  onLog?: ((text: string) => void) | undefined;
}

export interface SandboxOptions {
  /** What the session may do; the engine's when left out. */
  policy?: SecurityPolicy | undefined;
  /** Another interpreter of the same minor version, for example a venv's. */
  python?: string | undefined;
}

/**
 * Starts a server, or is connected to one. Sandboxes of one engine start in milliseconds. It does not
 * keep the process alive while nothing is under way, and ends with it.
 */
export class Cellblock implements AsyncDisposable {
  static readonly #shared = new Map<string, Cellblock>();
  readonly #connection: Connection;
  readonly #policy: SecurityPolicy | undefined;

  /** Starts a server. Throws HostError when the program is not found. */
  constructor(options?: CellblockOptions);
  /** @internal */
  constructor(options: CellblockOptions, connection: Connection);
  constructor(options: CellblockOptions = {}, connection?: Connection) {
    this.#policy = options.policy;
    this.#connection = connection ?? new Connection(startServer(options));
  }

  /** Connects to a server that runs: `cellblock serve --socket PATH`. Rejects with HostError. */
  static async connect(
    path: string,
    options: { policy?: SecurityPolicy | undefined } = {},
  ): Promise<Cellblock> {
    return new Cellblock(options, new Connection(await SocketTransport.connect(path)));
  }

  /** The engine that this process's sandboxes share; a new one when it has ended. */
  static shared(binary?: string): Cellblock {
    const program = findProgram(binary);
    const running = Cellblock.#shared.get(program);
    if (running && !running.ended) return running;
    const started = new Cellblock({ binary: program });
    Cellblock.#shared.set(program, started);
    return started;
  }

  /** Why it takes no more calls, or undefined. */
  get ended(): CellblockError | undefined {
    return this.#connection.ended;
  }

  /** What runs here. Waits until the engine is ready. */
  info(): Promise<EngineInfo> {
    return this.#connection.call("engine.info", {});
  }

  /**
   * The tool `execute_python` for a model, under a policy (the engine's when left out): name,
   * description, JSON Schema of its arguments, words for a system message.
   */
  toolSchema(policy = this.#policy): Promise<ToolSchema> {
    return this.#connection.call("engine.tool_schema", policy === undefined ? {} : { policy });
  }

  async createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
    const policy = options.policy ?? this.#policy;
    const opened = await this.#connection.call("session.open", {
      ...(policy !== undefined && { policy }),
      ...(options.python !== undefined && { python: options.python }),
    });
    return new Sandbox(
      new Session(this.#connection, opened.session_id, opened.isolation),
      opened.start_ms,
    );
  }

  /** Ends it and its sandboxes; calls that are under way reject. Resolves when all is gone. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function startServer(options: CellblockOptions): ChildTransport {
  const { python, preload, helpers, maxSessions, auditLog, logCode } = options;
  const args = [
    ...(python === undefined ? [] : ["--python", python]),
    ...(preload === undefined ? [] : ["--preload", preload.join(",")]),
    ...(helpers === undefined ? [] : ["--helpers", helpers]),
    ...(maxSessions === undefined ? [] : ["--max-sessions", String(maxSessions)]),
    ...(auditLog === undefined ? ["--no-audit-log"] : ["--audit-log", auditLog]),
    ...(logCode ? ["--log-code"] : []),
  ];
  const onLog = options.onLog ?? ((text: string) => void process.stderr.write(text));
  return new ChildTransport(findProgram(options.binary), args, options.env ?? process.env, onLog);
}
