/** What Cellblock or the machine refuses. What user code did is never thrown: it is a value in the result. */

export const ERROR_KINDS = [
  "unknown_session",
  "expired",
  "busy_limit",
  "policy_invalid",
  "isolation_unavailable",
  "unsupported",
  "bad_argument",
  "too_large",
  "host_error",
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

/** The message is one sentence that says what to do. */
export abstract class CellblockError extends Error {
  abstract readonly kind: ErrorKind;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The session is not open here: closed, or the server that had it has ended. */
export class UnknownSession extends CellblockError {
  readonly kind = "unknown_session";
}

/** The session has outlived its policy's `session_ttl_s` or `idle_ttl_s`. */
export class Expired extends CellblockError {
  readonly kind = "expired";
}

/** Too many sessions, connections or requests at once. */
export class BusyLimit extends CellblockError {
  readonly kind = "busy_limit";
}

export class PolicyInvalid extends CellblockError {
  readonly kind = "policy_invalid";
}

/** This machine cannot isolate as far as the policy asks; `cellblock doctor` tells more. */
export class IsolationUnavailable extends CellblockError {
  readonly kind = "isolation_unavailable";
}

export class Unsupported extends CellblockError {
  readonly kind = "unsupported";
}

export class BadArgument extends CellblockError {
  readonly kind = "bad_argument";
}

export class TooLarge extends CellblockError {
  readonly kind = "too_large";
}

/** Cellblock or the machine failed: the program is missing, has died, or cannot be reached. */
export class HostError extends CellblockError {
  readonly kind = "host_error";
}

const CLASSES = {
  unknown_session: UnknownSession,
  expired: Expired,
  busy_limit: BusyLimit,
  policy_invalid: PolicyInvalid,
  isolation_unavailable: IsolationUnavailable,
  unsupported: Unsupported,
  bad_argument: BadArgument,
  too_large: TooLarge,
  host_error: HostError,
} as const satisfies Record<ErrorKind, new (message: string) => CellblockError>;

/** The error of a kind that the server names; one that this version does not know is a `HostError`. */
export function errorOfKind(kind: string, message: string): CellblockError {
  const known = ERROR_KINDS.find((one) => one === kind);
  return new CLASSES[known ?? "host_error"](message);
}
