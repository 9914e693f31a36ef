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
export class CellblockError extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.name = new.target.name;
  }
}

/** The session is not open here: closed, or the server that had it has ended. */
export class UnknownSession extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("unknown_session", message, options);
  }
}

/** The session has outlived its policy's `session_ttl_s` or `idle_ttl_s`. */
export class Expired extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("expired", message, options);
  }
}

/** Too many sessions, connections or requests at once. */
export class BusyLimit extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("busy_limit", message, options);
  }
}

export class PolicyInvalid extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("policy_invalid", message, options);
  }
}

/** This machine cannot isolate as far as the policy asks; `cellblock doctor` tells more. */
export class IsolationUnavailable extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("isolation_unavailable", message, options);
  }
}

export class Unsupported extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("unsupported", message, options);
  }
}

export class BadArgument extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("bad_argument", message, options);
  }
}

export class TooLarge extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("too_large", message, options);
  }
}

/** Cellblock or the machine failed: the program is missing, has died, or cannot be reached. */
export class HostError extends CellblockError {
  constructor(message: string, options?: ErrorOptions) {
    super("host_error", message, options);
  }
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
