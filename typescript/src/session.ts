/** One session of a connection: its runs, one after the other. */
import { type CellblockError, UnknownSession } from "./errors.js";
import type { Connection } from "./connection.js";
import { RunningExecution } from "./running_execution.js";
import type { IsolationReport, TraceContext } from "./wire.js";

export interface StartOptions {
  /** Less than the policy's; more is clamped to it and told in `policyEvents`. 0: the policy's. */
  timeoutMs?: number | undefined;
  /** Takes the run back: its code is interrupted, its promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Come back in the result and stand in the audit log. */
  trace?: TraceContext | undefined;
  /** Asks for `modelText` of at most so many bytes. */
  modelTextBytes?: number | undefined;
}

export class Session {
  readonly id: string;
  readonly isolation: IsolationReport;
  readonly connection: Connection;
  #closed: CellblockError | undefined;
  /** The last run that was started, until it has ended. */
  #last: Promise<void> | undefined;

  constructor(connection: Connection, id: string, isolation: IsolationReport) {
    this.connection = connection;
    this.id = id;
    this.isolation = isolation;
  }

  /** Starts a run. One at a time is under way, so that what the server tells is known to be its. */
  start(code: string, options: StartOptions): RunningExecution {
    const run = new RunningExecution(this, code, options);
    const ended = this.#last ? this.#last.then(() => run.begin()) : run.begin();
    this.#last = ended;
    void ended.then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    return run;
  }

  /** Throws when it was closed. */
  checkOpen(): void {
    if (this.#closed) throw this.#closed;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new UnknownSession("The session is closed; open another one.");
    if (this.connection.ended) return;
    await this.connection.call("session.close", { session_id: this.id });
  }
}
