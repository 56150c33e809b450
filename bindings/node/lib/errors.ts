/** The errors of the package. */

import type { NativeDiagnostic, NativeLoadFault, NativeRefusal } from "./native.js";

/** Every error of this package is one, but for a `TypeError` about an argument. */
export class PintleError extends Error {
  override name = "PintleError";
}

/** Hooks do not let a step of the agent happen. Nothing of the step may be done. */
export class Refusal extends PintleError {
  override name = "Refusal";
  /** The name of the event at which it was refused. */
  readonly event: string;
  /** The reason. That of a tool call is its result for the model. */
  readonly reason: string;
  /** The names of the hooks that refused it, in their order; none if it was cancelled. */
  readonly hooks: readonly string[];
  /** Whether the run must end, and not just this step. */
  readonly stopsRun: boolean;

  constructor(fields: NativeRefusal) {
    super(fields.text);
    this.event = fields.event;
    this.reason = fields.reason;
    this.hooks = Object.freeze([...fields.hooks]);
    this.stopsRun = fields.stopsRun;
  }
}

/**
 * The refusal of a call that hooks left as one that cannot be passed on.
 *
 * @internal
 */
export function refuseCall(reason: string): Refusal {
  return new Refusal({ text: `tool.pre denied: ${reason}`, event: "tool.pre", reason, hooks: [], stopsRun: false });
}

/** A message about a hook or its file. `text` has the place, the message and the next step. */
export type Diagnostic = Readonly<NativeDiagnostic>;

/** Hooks cannot be loaded. The message is everything that is wrong with them. */
export class LoadError extends PintleError {
  override name = "LoadError";
  /** Each fault with its place and its next step. */
  readonly diagnostics: readonly Diagnostic[];

  constructor(fault: NativeLoadFault) {
    super(fault.text);
    this.diagnostics = Object.freeze(fault.diagnostics);
  }
}

/** A payload is not one of its event, or the event does not exist. */
export class EventError extends PintleError {
  override name = "EventError";
}

/** A tape cannot be written, or something is wrong with it. */
export class TapeError extends PintleError {
  override name = "TapeError";
}

/**
 * The result of a call of the native module. Errors about arguments become those of a class.
 *
 * @internal
 */
export function withErrors<T>(ErrorClass: new (message: string) => Error, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && "code" in error) {
      const code = String(error.code);
      throw new (code === "InvalidArg" ? ErrorClass : code.endsWith("Expected") ? TypeError : PintleError)(error.message);
    }
    throw error;
  }
}

/**
 * An error in one line, such as `RangeError: no such file`.
 *
 * @internal
 */
export function describeError(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "it threw a value that is not a text";
  }
}
