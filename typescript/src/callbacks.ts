/** Callbacks for what a run says while it runs. */
import type { Execution, ExecutionError } from "./execution.js";
import type { Result } from "./result.js";
import type { RunningExecution } from "./running_execution.js";

/** A piece of a stream. */
export class OutputMessage {
  /** A piece as it came: it may be part of a line, or several. */
  readonly line: string;
  /** Nanoseconds since 1970, when it was received. */
  readonly timestamp: number;
  /** Whether it is of stderr. */
  readonly error: boolean;

  constructor(line: string, error: boolean) {
    this.line = line;
    this.timestamp = Date.now() * 1e6;
    this.error = error;
  }

  toString(): string {
    return this.line;
  }
}

type Callback<Argument> = (argument: Argument) => unknown;

/** Called one at a time and in order; one that gives a promise is waited for. */
export interface Callbacks {
  onStdout?: Callback<OutputMessage> | undefined;
  onStderr?: Callback<OutputMessage> | undefined;
  /** What is shown: values, figures, display(). */
  onResult?: Callback<Result> | undefined;
  onError?: Callback<ExecutionError> | undefined;
}

/** The run's result, after the last callback has returned. One that throws interrupts the run. */
export async function follow(run: RunningExecution, callbacks: Callbacks): Promise<Execution> {
  const { onStdout, onStderr, onResult, onError } = callbacks;
  if (onStdout || onStderr || onResult) {
    for await (const event of run) {
      if (event.type === "stdout") await onStdout?.(new OutputMessage(event.text, false));
      else if (event.type === "stderr") await onStderr?.(new OutputMessage(event.text, true));
      else if (event.type === "result") await onResult?.(event.result);
    }
  }
  const execution = await run.result;
  if (execution.error) await onError?.(execution.error);
  return execution;
}
