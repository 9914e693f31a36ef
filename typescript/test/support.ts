/** What the tests share. $CELLBLOCK_BINARY names the program under test. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Cellblock, type CellblockError, type ErrorKind, Sandbox } from "cellblock";

/** Generous: a machine that builds beside the tests is slow; nothing waits this long when it works. */
export const PATIENCE_MS = 60_000;

/** An engine without packages, which starts fast. */
export function startEngine(): Cellblock {
  return new Cellblock({ preload: [] });
}

/** A sandbox of that engine that ends with the test. */
export async function sandboxFor(
  t: TestContext,
  engine: Cellblock,
  options: Parameters<Cellblock["createSandbox"]>[0] = {},
): Promise<Sandbox> {
  const sandbox = await engine.createSandbox(options);
  t.after(() => sandbox.close());
  return sandbox;
}

/** A folder that ends with the test; only its owner can enter it. */
export async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cellblock-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Checks that a promise rejects with an error of that kind. */
export async function rejectsWith(
  promise: Promise<unknown>,
  kind: ErrorKind,
  message = /./,
): Promise<void> {
  await assert.rejects(promise, (error: CellblockError) => {
    assert.equal(error.kind, kind, error.stack);
    assert.match(error.message, message);
    return true;
  });
}

/** Waits until something holds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    assert.ok(Date.now() < deadline, `in time: ${what}`);
    await sleep(20);
  }
}

/** The processes below one, by number. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It has just ended.
    }
  }
  const found: number[] = [];
  for (const todo = [root]; todo.length > 0; ) {
    const below = children.get(todo.pop()!) ?? [];
    found.push(...below);
    todo.push(...below);
  }
  return found;
}

/** Those of them that are Python processes: without cages' inits, which are made ahead. */
export function sessions(root: number): number[] {
  const seen = descendants(root).filter(isNoInit);
  // An init bears the zygote's name until it has been told its own.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  return seen.filter(isNoInit);
}

function isNoInit(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("cellblock-init");
  } catch {
    return false; // it has just ended
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until none of the processes is left. */
export async function gone(pids: number[]): Promise<void> {
  await until(() => !pids.some(isAlive), "the processes have ended");
}
