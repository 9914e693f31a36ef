/** A run that was started. */
import { BadArgument } from "./errors.js";
import { EventQueue, type OutputEvent } from "./event_queue.js";
import { Execution } from "./execution.js";
import { neverStarted } from "./never_started.js";
import { Result } from "./result.js";
import type { Session, StartOptions } from "./session.js";
import type { Notification } from "./wire.js";

/** `end` is the last one. */
export type RunEvent = OutputEvent | { type: "end"; execution: Execution };

interface Settle {
  resolve(execution: Execution): void;
  reject(reason: unknown): void;
}

/**
 * Its events can be iterated once: `for await (const event of running)`. Who leaves the loop before
 * the end interrupts the run.
 */
export class RunningExecution implements AsyncIterable<RunEvent> {
  /**
   * Rejects with a CellblockError when Cellblock or the machine failed, and with the signal's reason
   * when a signal took the run back; what the code did is a value.
   */
  readonly result: Promise<Execution>;
  readonly #session: Session;
  readonly #code: string;
  readonly #options: StartOptions;
  readonly #events = new EventQueue();
  readonly #settle: Settle;
  #stage: "waiting" | "running" | "done" = "waiting";
  #iterated = false;
  readonly #abort = (): void => void this.interrupt().catch(() => {});

  /** @internal */
  constructor(session: Session, code: string, options: StartOptions) {
    this.#session = session;
    this.#code = code;
    this.#options = options;
    let settle!: Settle;
    this.result = new Promise<Execution>((resolve, reject) => (settle = { resolve, reject }));
    this.#settle = settle;
    // Who only iterates is told there.
    this.result.catch(() => {});
    const { signal } = options;
    if (signal?.aborted) {
      this.#done(() => {
        throw signal.reason;
      });
    } else {
      signal?.addEventListener("abort", this.#abort, { once: true });
    }
  }

  /** Ends it with status `cancelled`; one that waits never starts. False: it was done. */
  async interrupt(): Promise<boolean> {
    if (this.#stage === "done") return false;
    if (this.#stage === "waiting") {
      const { id, isolation } = this.#session;
      this.#done(() => new Execution(neverStarted(id, isolation, this.#code, this.#options.trace)));
      return true;
    }
    const { connection, id } = this.#session;
    return (await connection.call("session.interrupt", { session_id: id })).interrupted;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    if (this.#iterated) throw new BadArgument("The events of a run can be iterated once.");
    this.#iterated = true;
    try {
      for (let event; (event = await this.#events.next()) !== undefined; ) yield event;
      yield { type: "end", execution: await this.result };
    } finally {
      if (this.#stage !== "done") {
        await this.interrupt().catch(() => {});
        await this.result.catch(() => {});
      }
    }
  }

  /** @internal Its turn has come. Never rejects. */
  async begin(): Promise<void> {
    if (this.#stage !== "waiting") return;
    const { connection, id } = this.#session;
    try {
      this.#session.checkOpen();
      const answer = connection.call(
        "session.run",
        { session_id: id, code: this.#code, ...parameters(this.#options) },
        (notification) => this.#hear(notification),
      );
      this.#stage = "running";
      const result = await answer;
      this.#done(() => new Execution(result));
    } catch (error) {
      this.#done(() => {
        throw error;
      });
    }
  }

  #hear(notification: Notification): void {
    const { method, params } = notification;
    if (method === "stream") this.#events.push({ type: params.name, text: params.text });
    else if (method === "display") {
      this.#events.push({ type: "result", result: new Result(params.result) });
    }
  }

  #done(outcome: () => Execution): void {
    const { signal } = this.#options;
    this.#stage = "done";
    signal?.removeEventListener("abort", this.#abort);
    try {
      const execution = outcome();
      if (signal?.aborted && execution.status === "cancelled") throw signal.reason;
      this.#settle.resolve(execution);
    } catch (error) {
      this.#settle.reject(error);
    }
    this.#events.end();
  }
}

function parameters(options: StartOptions): {
  timeout_s?: number;
  trace?: NonNullable<StartOptions["trace"]>;
  model_text_bytes?: number;
} {
  const { timeoutMs, trace, modelTextBytes } = options;
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs >= 0)) {
    throw new BadArgument("timeoutMs must be a number of milliseconds; 0 is the policy's own limit.");
  }
  return {
    ...(timeoutMs !== undefined && timeoutMs !== 0 && { timeout_s: timeoutMs / 1000 }),
    ...(trace !== undefined && { trace }),
    ...(modelTextBytes !== undefined && { model_text_bytes: modelTextBytes }),
  };
}

