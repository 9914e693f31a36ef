/** A server that runs already: `cellblock serve --socket PATH`. */
import { type Socket, connect } from "node:net";

import { type CellblockError, HostError } from "./errors.js";
import { LineSplitter } from "./line_splitter.js";
import type { Transport, TransportEvents } from "./transport.js";

/** For a server that no longer answers. */
const END_LIMIT_MS = 10_000;

export class SocketTransport implements Transport {
  readonly #socket: Socket;
  readonly #lines = new LineSplitter();
  readonly #path: string;
  #closing = false;
  #ended: Promise<void> = Promise.resolve();

  private constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
  }

  /** Connects. Throws HostError. */
  static connect(path: string): Promise<SocketTransport> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const fail = (error: Error): void => {
        reject(
          new HostError(
            `No server takes connections at ${path} (${error.message}); start one: ` +
              `cellblock serve --socket ${path}.`,
            { cause: error },
          ),
        );
      };
      socket.once("error", fail);
      socket.once("connect", () => {
        socket.off("error", fail);
        resolve(new SocketTransport(socket, path));
      });
    });
  }

  start(events: TransportEvents): void {
    const socket = this.#socket;
    let problem: CellblockError | undefined;
    this.#ended = new Promise((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        try {
          for (const line of this.#lines.push(chunk)) events.onLine(line);
        } catch (error) {
          problem = new HostError(`The server broke the protocol: ${String(error)}.`, {
            cause: error,
          });
          socket.destroy();
        }
      });
      socket.on("error", (error) => {
        problem ??= new HostError(`The connection has broken: ${error.message}.`, { cause: error });
      });
      socket.on("close", () => {
        events.onEnd(problem ?? this.#endReason());
        resolve();
      });
    });
  }

  send(line: string): void {
    if (this.#socket.writable) this.#socket.write(line + "\n");
  }

  keepAlive(on: boolean): void {
    if (on) this.#socket.ref();
    else this.#socket.unref();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.keepAlive(true);
    this.#socket.end();
    const timer = setTimeout(() => this.#socket.destroy(), END_LIMIT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #endReason(): CellblockError {
    return new HostError(
      this.#closing
        ? "This Cellblock is closed; make a new one."
        : `The server at ${this.#path} has closed the connection, and its sessions with it.`,
    );
  }
}
