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
  /** When the run before has ended. One at a time is under way, so that what comes is known to be its. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(connection: Connection, id: string, isolation: IsolationReport) {
    this.connection = connection;
    this.id = id;
    this.isolation = isolation;
  }

  /** Starts a run; it waits for those that were started before. */
  start(code: string, options: StartOptions): RunningExecution {
    const run = new RunningExecution(this, code, options);
    const before = this.#turn;
    this.#turn = (async () => {
      await before;
      await run.begin();
    })();
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
