/** What callers may give as a file's content, in pieces that fit into a request. */

export type FileContent =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>;

/** At least one piece, none larger than `limit`; text as UTF-8. */
export async function* pieces(
  content: FileContent,
  limit: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  for await (const chunk of chunks(content)) {
    for (let at = 0; at < chunk.length; at += limit) {
      count += 1;
      yield chunk.subarray(at, at + limit);
    }
  }
  if (count === 0) yield new Uint8Array();
}

function chunks(content: FileContent): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (typeof content === "string") return [Buffer.from(content, "utf8")];
  if (content instanceof Uint8Array) return [content];
  if (content instanceof ArrayBuffer) return [new Uint8Array(content)];
  if (content instanceof Blob) return content.stream() as unknown as AsyncIterable<Uint8Array>;
  return content as AsyncIterable<Uint8Array>;
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
