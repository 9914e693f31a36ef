/** One thing that a run shows: the value of the last expression, a figure, what display() is given. */
import type { Chart } from "./charts.js";
import type { DisplayData, Json, MimeBundle } from "./wire.js";

const FORMATS = {
  text: "text/plain",
  html: "text/html",
  markdown: "text/markdown",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  pdf: "application/pdf",
  latex: "text/latex",
  json: "application/json",
  javascript: "application/javascript",
} as const;

export class Result {
  /** Whether it is the value of the last expression. */
  readonly isMainResult: boolean;
  /** Everything, by MIME type. */
  readonly raw: MimeBundle;
  /** The data of a figure. */
  readonly chart: Chart | undefined;
  /** The code's own name for it. */
  readonly displayId: string | undefined;
  /**
   * `update`: it takes the place of what has its `displayId`; `clear`: what the run has shown so far
   * is taken back.
   */
  readonly operation: "show" | "update" | "clear";

  constructor(data: DisplayData) {
    this.isMainResult = data.is_main_result;
    this.raw = data.mime;
    this.chart = data.chart ?? undefined;
    this.displayId = data.display_id;
    this.operation = data.operation ?? "show";
  }

  get text(): string | undefined {
    return this.#text("text");
  }
  get html(): string | undefined {
    return this.#text("html");
  }
  get markdown(): string | undefined {
    return this.#text("markdown");
  }
  get svg(): string | undefined {
    return this.#text("svg");
  }
  /** In base64, as `jpeg` and `pdf`. */
  get png(): string | undefined {
    return this.#text("png");
  }
  get jpeg(): string | undefined {
    return this.#text("jpeg");
  }
  get pdf(): string | undefined {
    return this.#text("pdf");
  }
  get latex(): string | undefined {
    return this.#text("latex");
  }
  /** The value itself, not its text. */
  get json(): Json | undefined {
    return this.raw[FORMATS.json];
  }
  get javascript(): string | undefined {
    return this.#text("javascript");
  }

  /** The formats that it has: the names above, and MIME types for all others. */
  formats(): string[] {
    const names = new Map<string, string>(
      Object.entries(FORMATS).map(([name, type]) => [type, name]),
    );
    return Object.keys(this.raw).map((type) => names.get(type) ?? type);
  }

  /** The JSON form of docs/protocol.md. */
  toJSON(): DisplayData {
    return {
      is_main_result: this.isMainResult,
      mime: this.raw,
      chart: this.chart ?? null,
      ...(this.displayId !== undefined && { display_id: this.displayId }),
      ...(this.operation !== "show" && { operation: this.operation }),
    };
  }

  #text(format: keyof typeof FORMATS): string | undefined {
    const data = this.raw[FORMATS[format]];
    return typeof data === "string" ? data : undefined;
  }
}
