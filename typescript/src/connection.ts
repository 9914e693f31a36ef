/** JSON-RPC with one server: requests, answers in any order, notifications. */
import { BadArgument, type CellblockError, HostError, TooLarge, errorOfKind } from "./errors.js";
import type { Transport } from "./transport.js";
import type { Method, Methods, Notification } from "./wire.js";

/** The server's limits. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 100;

type Listener = (notification: Notification) => void;

interface Pending {
  /** Whose notifications end with the answer. */
  heard: string | undefined;
  resolve(result: unknown): void;
  reject(reason: CellblockError): void;
}

interface Answer {
  id: number | null;
  result?: unknown;
  error?: { message: string; data?: { kind: string } };
}

export class Connection {
  readonly #transport: Transport;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Listener>();
  #nextId = 1;
  #ended: CellblockError | undefined;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.start({
      onLine: (line) => this.#take(line),
      onEnd: (reason) => this.#end(reason),
    });
    this.#transport.keepAlive(false);
  }

  /** Why nothing can be called any more, or undefined. */
  get ended(): CellblockError | undefined {
    return this.#ended;
  }

  /**
   * Sends a request in the order of the calls. `listener` hears the notifications of its session until
   * the answer. Rejects with a CellblockError.
   */
  async call<M extends Method>(
    method: M,
    params: Methods[M][0],
    listener?: Listener,
  ): Promise<Methods[M][1]> {
    if (this.#ended) throw this.#ended;
    checkSendable(params, method);
    const id = this.#nextId++;
    const line = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    if (Buffer.byteLength(line) > MAX_LINE_BYTES) {
      throw new TooLarge(
        `${method}: a request may have ${MAX_LINE_BYTES} bytes at most; upload large data as a file.`,
      );
    }
    const answer = new Promise<unknown>((resolve, reject) => {
      const heard = listener && "session_id" in params ? params.session_id : undefined;
      if (heard !== undefined) this.#listeners.set(heard, listener!);
      this.#pending.set(id, { heard, resolve, reject });
    });
    this.#transport.keepAlive(true);
    this.#transport.send(line);
    return (await answer) as Methods[M][1];
  }

  /** Ends the connection and with it its sessions. */
  close(): Promise<void> {
    return (this.#closing ??= this.#transport.close());
  }

  #take(line: string): void {
    let message: Answer | Notification;
    try {
      message = JSON.parse(line) as Answer | Notification;
    } catch (error) {
      return this.#fail(new HostError("The server sent a line that is no JSON.", { cause: error }));
    }
    if ("method" in message) {
      this.#listeners.get(message.params.session_id)?.(message);
    } else if (message.id === null) {
      // Not the answer of one request: the server will not go on with this connection.
      this.#fail(errorOf(message.error ?? { message: line }));
    } else {
      this.#settle(message, message.id);
    }
  }

  #settle(answer: Answer, id: number): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending?.heard !== undefined) this.#listeners.delete(pending.heard);
    if (this.#pending.size === 0 && !this.#closing) this.#transport.keepAlive(false);
    if (answer.error) pending?.reject(errorOf(answer.error));
    else pending?.resolve(answer.result);
  }

  #fail(reason: CellblockError): void {
    this.#end(reason);
    void this.close();
  }

  #end(reason: CellblockError): void {
    this.#ended ??= reason;
    for (const pending of this.#pending.values()) pending.reject(this.#ended);
    this.#pending.clear();
    this.#listeners.clear();
  }
}

/** Of a server that says no kind, too. */
function errorOf(error: { message: string; data?: { kind: string } }): CellblockError {
  return errorOfKind(error.data?.kind ?? "host_error", error.message);
}

/** What JSON would change or the server refuse without saying to which request. */
function checkSendable(value: unknown, method: string, depth = 0): void {
  if (typeof value === "string" && !value.isWellFormed()) {
    throw new BadArgument(
      `${method}: a text holds half of a character (a lone surrogate), which is no Unicode; ` +
        "toWellFormed() replaces it.",
    );
  }
  if (typeof value !== "object" || value === null) return;
  if (depth > MAX_DEPTH) throw new BadArgument(`${method}: the parameters are nested too deeply.`);
  for (const [name, part] of Object.entries(value)) {
    checkSendable(name, method, depth);
    checkSendable(part, method, depth + 1);
  }
}
