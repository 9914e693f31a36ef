/**
 * execute_python for LangChain.js and LangGraph.js; needs the package @langchain/core.
 *
 *     await using python = await CellblockTool.create();
 *     const agent = createAgent({ model, tools: [python] });
 */
import type { CallbackManagerForToolRun } from "@langchain/core/callbacks/manager";
import { ToolMessage } from "@langchain/core/messages";
import { StructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";

import { Cellblock } from "./cellblock.js";
import { CellblockError, Expired } from "./errors.js";
import type { Execution } from "./execution.js";
import type { SecurityPolicy } from "./policy.js";
import type { Sandbox } from "./sandbox.js";
import type { ExecutionResult, Json } from "./wire.js";

export interface CellblockToolOptions {
  /** Where to open sandboxes; the engine that this process shares when left out. */
  engine?: Cellblock | undefined;
  /** Of the sandboxes that the tool opens. */
  policy?: SecurityPolicy | undefined;
  /** Runs everything there and leaves it open, instead of opening sandboxes. */
  sandbox?: Sandbox | undefined;
  /** The most that the model reads of one result. */
  resultBytes?: number | undefined;
  /** How many pictures of one result the model is shown; 0 for models that read text only. */
  images?: number | undefined;
  name?: string | undefined;
  description?: string | undefined;
}

interface Arguments {
  code: string;
  timeout_seconds?: number;
}

type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; mimeType: string; data: string };

type Content = string | ContentBlock[];

interface Definition {
  name: string;
  description: string;
  schema: { [name: string]: Json };
}

const FRESH = "The earlier session has expired; this is a new one, without its variables and files.\n";

/**
 * Runs Python in a sandbox that keeps its state from call to call: one for each `thread_id` of the
 * config that a call comes with, and one for all calls without. The content is text, with pictures as
 * image blocks behind it; the artifact is the JSON form of the result, so that checkpointers can store
 * it. A signal in the config interrupts the run.
 *
 * Rejects with a CellblockError when Cellblock or the machine fails; what the code or the model did
 * wrong is told to the model.
 */
export class CellblockTool extends StructuredTool implements AsyncDisposable {
  override name: string;
  override description: string;
  // Typed loosely: LangChain's own type of a JSON Schema is a deep union that no data fits.
  override schema: any;
  override responseFormat = "content_and_artifact";
  readonly #engine: Cellblock;
  readonly #options: CellblockToolOptions;
  readonly #sandboxes = new Map<string, Promise<Sandbox>>();

  static override lc_name(): string {
    return "CellblockTool";
  }

  private constructor(definition: Definition, engine: Cellblock, options: CellblockToolOptions) {
    super();
    this.name = options.name ?? definition.name;
    this.description = options.description ?? definition.description;
    this.schema = definition.schema;
    this.#engine = engine;
    this.#options = options;
  }

  /** Asks the engine how the tool is to be described. */
  static async create(options: CellblockToolOptions = {}): Promise<CellblockTool> {
    const engine = options.engine ?? Cellblock.shared();
    const known = await engine.toolSchema(options.policy);
    // The session is the caller's matter, not the model's.
    const { session_id: _, ...properties } = known.input_schema.properties;
    const schema = { ...known.input_schema, properties };
    return new CellblockTool(
      { name: known.name, description: known.description, schema },
      engine,
      options,
    );
  }

  /** The sandbox of that thread, opened if need be: to upload files, or to look at it. */
  sandbox(threadId?: string): Promise<Sandbox> {
    if (this.#options.sandbox) return Promise.resolve(this.#options.sandbox);
    const key = threadId === undefined ? "" : `thread ${threadId}`;
    let sandbox = this.#sandboxes.get(key);
    if (!sandbox) {
      sandbox = this.#engine.createSandbox({ policy: this.#options.policy });
      this.#sandboxes.set(key, sandbox);
      // One that could not be opened is tried again by the next call.
      sandbox.catch(() => this.#sandboxes.delete(key));
    }
    return sandbox;
  }

  /** Closes the tool's sandboxes. */
  async close(): Promise<void> {
    const sandboxes = [...this.#sandboxes.values()];
    this.#sandboxes.clear();
    await Promise.all(
      sandboxes.map(async (opening) => {
        const sandbox = await opening.catch(() => undefined);
        await sandbox?.close();
      }),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Runs the tool; a message about code that failed has the status "error", which models are told. */
  override async invoke(
    ...call: Parameters<StructuredTool["invoke"]>
  ): ReturnType<StructuredTool["invoke"]> {
    const message: unknown = await super.invoke(...call);
    if (ToolMessage.isInstance(message)) {
      const artifact = message.artifact as ExecutionResult | undefined;
      if (artifact?.exit_code !== 0) message.status = "error";
    }
    return message as Awaited<ReturnType<StructuredTool["invoke"]>>;
  }

  protected override async _call(
    args: Arguments,
    _manager?: CallbackManagerForToolRun,
    config?: ToolRunnableConfig,
  ): Promise<[Content, ExecutionResult | undefined]> {
    const thread = config?.configurable?.["thread_id"] as string | undefined;
    try {
      const { execution, note } = await this.#run(args, thread, config?.signal);
      return [this.#content(execution, note), execution.toJSON()];
    } catch (error) {
      // The model can do better than this.
      if (error instanceof CellblockError && ["bad_argument", "too_large"].includes(error.kind)) {
        return [error.message, undefined];
      }
      throw error;
    }
  }

  async #run(
    { code, timeout_seconds }: Arguments,
    thread: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ execution: Execution; note: string }> {
    const options = {
      modelTextBytes: this.#options.resultBytes ?? 16_384,
      signal,
      ...(timeout_seconds !== undefined && { timeoutMs: timeout_seconds * 1000 }),
    };
    const sandbox = await this.sandbox(thread);
    try {
      return { execution: await sandbox.runCode(code, options), note: "" };
    } catch (error) {
      if (!(error instanceof Expired) || this.#options.sandbox) throw error;
      await this.#forget(sandbox);
    }
    const fresh = await this.sandbox(thread);
    return { execution: await fresh.runCode(code, options), note: FRESH };
  }

  async #forget(expired: Sandbox): Promise<void> {
    for (const [key, sandbox] of this.#sandboxes) {
      if ((await sandbox) === expired) this.#sandboxes.delete(key);
    }
    await expired.close();
  }

  #content(execution: Execution, note: string): Content {
    const most = this.#options.images ?? 4;
    const pictures = execution.results.flatMap(({ png, jpeg }): ContentBlock[] => {
      if (png !== undefined) return [{ type: "image", mimeType: "image/png", data: png }];
      return jpeg === undefined ? [] : [{ type: "image", mimeType: "image/jpeg", data: jpeg }];
    });
    let text = note + (execution.modelText ?? "");
    if (pictures.length === 0 || most === 0) return text;
    if (pictures.length > most) {
      text += `\n[${pictures.length - most} more images are not shown here]`;
    }
    return [{ type: "text", text }, ...pictures.slice(0, most)];
  }
}
