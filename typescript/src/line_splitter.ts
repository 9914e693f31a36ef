/** Bytes into lines; a character may be cut by the chunks. */

/** Longer than any line of the server's: an answer is bounded by the policy, a download by its pieces. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

export class LineSplitter {
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk ends, without their newlines. Throws a RangeError beyond the limit. */
  *push(chunk: Buffer): Generator<string, void, undefined> {
    let start = 0;
    for (let end; (end = chunk.indexOf(0x0a, start)) >= 0; start = end + 1) {
      this.#add(chunk.subarray(start, end));
      const line = Buffer.concat(this.#chunks, this.#size).toString("utf8");
      this.#chunks = [];
      this.#size = 0;
      yield line;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
    }
    this.#chunks.push(piece);
  }
}
