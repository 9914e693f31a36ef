/** A server of our own: `cellblock serve --stdio` as a child process. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

import { type CellblockError, HostError } from "./errors.js";
import { LineSplitter } from "./line_splitter.js";
import type { Transport, TransportEvents } from "./transport.js";

/** The server ends within two seconds after its input is closed. */
const END_LIMIT_MS = 10_000;
/** Of what the server says on standard error, for the error that tells its end. */
const KEPT_LOG_CHARACTERS = 2_000;

export class ChildTransport implements Transport {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #onLog: (text: string) => void;
  readonly #lines = new LineSplitter();
  #log = "";
  #closing = false;
  #ended: Promise<void> = Promise.resolve();

  /** `onLog` gets what the server says on standard error. */
  constructor(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    onLog: (text: string) => void,
  ) {
    this.#onLog = onLog;
    // A session of its own: Ctrl-C at the terminal is for this program. The server ends with us all
    // the same, because its standard input then closes.
    this.#child = spawn(program, ["serve", "--stdio", ...args], {
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env,
    });
  }

  start(events: TransportEvents): void {
    const child = this.#child;
    this.#ended = new Promise((resolve) => {
      const end = once((reason: CellblockError) => {
        child.kill("SIGKILL");
        events.onEnd(reason);
        resolve();
      });
      child.stdout.on("data", (chunk: Buffer) => {
        try {
          for (const line of this.#lines.push(chunk)) events.onLine(line);
        } catch (error) {
          end(new HostError(`The server broke the protocol: ${String(error)}.`, { cause: error }));
        }
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => this.#keepLog(text));
      child.on("error", (error) => {
        end(new HostError(`The server cannot be started: ${error.message}.`, { cause: error }));
      });
      // What the server wrote before its end is read first. A process of the server's that still ends
      // may hold standard error open, so the end of that is not waited for.
      const both = afterCalls(2, () => end(this.#endReason()));
      child.on("exit", both);
      child.stdout.on("close", both);
      // A server that is gone is told by its exit.
      child.stdin.on("error", () => {});
    });
  }

  send(line: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(line + "\n");
  }

  keepAlive(on: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const one of [this.#child, stdin, stdout, stderr]) {
      if (one instanceof Socket || one === this.#child) one[on ? "ref" : "unref"]();
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.keepAlive(true);
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_LIMIT_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  #keepLog(text: string): void {
    this.#log = (this.#log + text).slice(-KEPT_LOG_CHARACTERS);
    this.#onLog(text);
  }

  #endReason(): CellblockError {
    if (this.#closing) return new HostError("This Cellblock is closed; make a new one.");
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exit status ${exitCode}` : signalCode;
    const said = this.#log.trim().split("\n").at(-1);
    return new HostError(
      `The server has ended (${how}) and its sessions with it${said ? `: ${said}` : "."}`,
    );
  }
}

function once<Argument>(call: (argument: Argument) => void): (argument: Argument) => void {
  let done = false;
  return (argument) => {
    if (done) return;
    done = true;
    call(argument);
  };
}

function afterCalls(count: number, call: () => void): () => void {
  return () => {
    if (--count === 0) call();
  };
}
