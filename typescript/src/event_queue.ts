/** What a run says, for one reader that may be slow. */
import type { Result } from "./result.js";

export type OutputEvent =
  | { type: "stdout"; text: string }
  | { type: "stderr"; text: string }
  | { type: "result"; result: Result };

/**
 * Nothing is dropped. What waits to be read is bounded by the policy (`spool_bytes` for each stream,
 * `max_result_bytes`), and pieces of one stream that wait become one.
 */
export class EventQueue {
  #waiting: OutputEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  push(event: OutputEvent): void {
    const last = this.#waiting.at(-1);
    if (event.type !== "result" && last?.type === event.type) last.text += event.text;
    else this.#waiting.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The next one; undefined after the last. */
  async next(): Promise<OutputEvent | undefined> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#waiting.shift();
  }
}
