/** What carries lines to a server and back. */
import type { CellblockError } from "./errors.js";

export interface TransportEvents {
  /** Without its newline. */
  onLine(line: string): void;
  /** Once: nothing more comes and nothing more is sent. */
  onEnd(reason: CellblockError): void;
}

export interface Transport {
  /** To be called once, before anything else. */
  start(events: TransportEvents): void;
  /** Sends a line, given without its newline. After the end it does nothing. */
  send(line: string): void;
  /** Whether it keeps the process alive. It does at first. */
  keepAlive(on: boolean): void;
  /** Ends it in order; resolves when the other side is gone. `onEnd` is called. */
  close(): Promise<void>;
}
