/** A session's files: its workspace, which is the code's working folder. */
import { type FileContent, pieces, toBase64 } from "./bytes.js";
import type { Session } from "./session.js";
import type { FileInfo } from "./wire.js";

/** Large files travel in pieces of this size. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface EntryInfo extends FileInfo {
  /** The path's last part. */
  name: string;
  type: "file";
}

export interface ReadFormats {
  text: string;
  bytes: Uint8Array;
  blob: Blob;
  stream: ReadableStream<Uint8Array>;
}

/**
 * Paths are relative to the workspace, or absolute below it as the code has them; all others, `..` and links are
 * refused (BadArgument).
 */
export class Workspace {
  readonly #session: Session;

  /** @internal */
  constructor(session: Session) {
    this.#session = session;
  }

  /** A file's content; text is read as UTF-8. */
  async read<Format extends keyof ReadFormats = "text">(
    path: string,
    options: { format?: Format } = {},
  ): Promise<ReadFormats[Format]> {
    return (await this.#read(path, options.format ?? "text")) as ReadFormats[Format];
  }

  /** Makes or replaces a file. Returns what the code must use as its path. */
  async write(path: string, content: FileContent): Promise<{ path: string }> {
    let written = path;
    let append = false;
    for await (const piece of pieces(content, PIECE_BYTES)) {
      this.#session.checkOpen();
      const answer = await this.#session.connection.call("session.upload", {
        session_id: this.#session.id,
        path,
        data_base64: toBase64(piece),
        append,
      });
      written = answer.path;
      append = true;
    }
    return { path: written };
  }

  /** Every file of the folder and of those below it. */
  async list(folder = ""): Promise<EntryInfo[]> {
    this.#session.checkOpen();
    const { connection, id } = this.#session;
    const { files } = await connection.call("session.files", { session_id: id });
    const prefix = folder.replace(/^(\.?\/)+|\/+$/g, "").replace(/^\.$/, "");
    return files
      .filter(({ path }) => prefix === "" || path.startsWith(prefix + "/"))
      .map((file) => ({ ...file, name: file.path.slice(file.path.lastIndexOf("/") + 1), type: "file" }));
  }

  async #read(path: string, format: keyof ReadFormats): Promise<ReadFormats[keyof ReadFormats]> {
    if (format === "stream") return this.#stream(path);
    const parts: Buffer[] = [];
    for await (const piece of this.#pieces(path)) parts.push(piece);
    const bytes = Buffer.concat(parts);
    if (format === "text") return bytes.toString("utf8");
    return format === "blob" ? new Blob([bytes]) : new Uint8Array(bytes);
  }

  #stream(path: string): ReadableStream<Uint8Array> {
    const source = this.#pieces(path);
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value, done } = await source.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await source.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  async *#pieces(path: string): AsyncGenerator<Buffer, void, undefined> {
    const { connection, id } = this.#session;
    for (let offset = 0, atEnd = false; !atEnd; ) {
      this.#session.checkOpen();
      const page = await connection.call("session.download", {
        session_id: id,
        path,
        offset,
        limit: PIECE_BYTES,
      });
      yield Buffer.from(page.data_base64, "base64");
      offset = page.next_offset;
      atEnd = page.at_end;
    }
  }
}
