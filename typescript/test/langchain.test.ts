/** CellblockTool with the real @langchain/core and a scripted model. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { type ExecutionResult } from "cellblock";
import { CellblockTool, type CellblockToolOptions } from "cellblock/langchain";
import { createAgent } from "langchain";

import { sandboxFor, startEngine } from "./support.js";

const engine = startEngine();
after(() => engine.close());

async function toolFor(options: CellblockToolOptions = {}): Promise<CellblockTool> {
  return CellblockTool.create({ engine, ...options });
}

function call(code: string, more: Record<string, unknown> = {}) {
  return {
    type: "tool_call" as const,
    id: "c1",
    name: "execute_python",
    args: { code, ...more },
  };
}

test("the definition is made from the policy", async () => {
  await using tool = await toolFor({ policy: { timeout_s: 7 } });
  assert.equal(tool.name, "execute_python");
  assert.match(tool.description, /Python/);
  assert.deepEqual(Object.keys(tool.schema.properties), ["code", "timeout_seconds"]);
  assert.equal(tool.schema.properties.timeout_seconds.default, 7);
  await using named = await toolFor({ name: "python", description: "Mine." });
  assert.deepEqual([named.name, named.description], ["python", "Mine."]);
});

test("a call gives content and artifact and keeps state", async () => {
  await using tool = await toolFor();
  await tool.invoke(call("x = 20"));
  const message = (await tool.invoke(call("print('out')\nx * 2 + 2"))) as ToolMessage;
  assert.equal(message.tool_call_id, "c1");
  assert.equal(message.status, "success");
  assert.match(message.content as string, /42[^]*out/);
  const artifact = message.artifact as ExecutionResult;
  assert.deepEqual([artifact.status, artifact.text, artifact.stdout], ["ok", "42", "out\n"]);
  assert.deepEqual(artifact, JSON.parse(JSON.stringify(artifact)));
});

test("what the code does wrong is told to the model", async () => {
  await using tool = await toolFor();
  const failed = (await tool.invoke(call("1 / 0"))) as ToolMessage;
  assert.equal(failed.status, "error");
  assert.match(failed.content as string, /ZeroDivisionError/);
  const late = (await tool.invoke(call("while True: pass", { timeout_seconds: 0.3 }))) as ToolMessage;
  assert.equal((late.artifact as ExecutionResult).status, "timeout");
  const broken = (await tool.invoke(call("'\ud800'"))) as ToolMessage;
  assert.equal(broken.status, "error");
  assert.match(broken.content as string, /surrogate/);
  await assert.rejects(tool.invoke({ ...call("1"), args: { text: "1" } }));
});

test("pictures are image blocks", async () => {
  const picture =
    "import base64\nclass Picture:\n  def _repr_png_(self): return base64.b64decode(" +
    "'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')\n" +
    "for _ in range(3): display(Picture())";
  await using tool = await toolFor({ images: 2 });
  const { content } = (await tool.invoke(call(picture))) as ToolMessage;
  assert.ok(Array.isArray(content));
  assert.deepEqual(
    content.map(({ type }) => type),
    ["text", "image", "image"],
  );
  const [text, image] = content as { text?: string; mimeType?: string; data?: string }[];
  assert.match(text?.text ?? "", /1 more images/);
  assert.equal(image?.mimeType, "image/png");
  assert.match(image?.data ?? "", /^iVBOR/);
  await using blind = await toolFor({ images: 0 });
  assert.equal(typeof ((await blind.invoke(call(picture))) as ToolMessage).content, "string");
});

test("each thread has a sandbox of its own", async () => {
  await using tool = await toolFor();
  const of = (thread_id: string) => ({ configurable: { thread_id } });
  await tool.invoke(call("x = 1"), of("a"));
  const other = (await tool.invoke(call("x"), of("b"))) as ToolMessage;
  assert.match(other.content as string, /NameError/);
  const [first] = await (await tool.sandbox("a")).variables();
  assert.equal(first?.name, "x");
});

test("a sandbox of the callers is used and left open", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  {
    await using tool = await toolFor({ sandbox });
    await tool.invoke(call("x = 5"), { configurable: { thread_id: "any" } });
  }
  assert.equal((await sandbox.runCode("x")).text, "5");
});

test("an expired sandbox is replaced and the model is told", async () => {
  await using tool = await toolFor({ policy: { idle_ttl_s: 0.2 } });
  await tool.invoke(call("x = 1"));
  await sleep(2500);
  const { content } = (await tool.invoke(call("6 * 7"))) as ToolMessage;
  assert.match(content as string, /expired[^]*42/);
});

test("a signal takes the call back", async () => {
  await using tool = await toolFor();
  await tool.invoke(call("kept = 1"));
  const started = Date.now();
  await assert.rejects(
    tool.invoke(call("while True: pass"), { signal: AbortSignal.timeout(300) }),
  );
  assert.ok(Date.now() - started < 20_000);
  assert.match(((await tool.invoke(call("kept"))) as ToolMessage).content as string, /1/);
});

test("an agent runs reads the error and tries again", async () => {
  await using tool = await toolFor();
  const model = fakeModel()
    .respondWithTools([{ name: tool.name, args: { code: "total = 6\ntotal / 0" }, id: "1" }])
    .respondWithTools([{ name: tool.name, args: { code: "total * 7" }, id: "2" }])
    .respond(new AIMessage("The answer is 42."));
  const agent = createAgent({ model, tools: [tool] });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage("Compute.")] },
    { configurable: { thread_id: "of the agent" } },
  );
  assert.equal(messages.at(-1)?.text, "The answer is 42.");
  const told = messages.filter((message) => ToolMessage.isInstance(message));
  assert.deepEqual(
    told.map(({ status, tool_call_id }) => [tool_call_id, status]),
    [
      ["1", "error"],
      ["2", "success"],
    ],
  );
  assert.match(told[0]?.text ?? "", /ZeroDivisionError/);
  assert.equal((told[1]?.artifact as ExecutionResult).text, "42");
  const sandbox = await tool.sandbox("of the agent");
  assert.equal((await sandbox.runCode("total")).text, "6");
});
