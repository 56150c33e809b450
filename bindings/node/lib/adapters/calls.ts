/** The way of a tool call through hooks, which is the same in every framework. */

import { PintleError, Refusal, refuseCall } from "../errors.js";
import type { Json } from "../hooks.js";
import { type AgentLife, type Runtime, type StepOptions, ToolCall } from "../runtime.js";

/** What decides: a runtime, or the turn of an agent with its session and directory. */
export type Decider = Runtime | AgentLife;

/** What every adapter takes. */
export interface AdapterOptions {
  /** The agent whose names the tools have, such as `claude`. Default: Pintle's own. */
  vocabulary?: string | undefined;
}

/** What an adapter takes that is given the tools themselves. */
export interface GuardOptions extends AdapterOptions {
  /** The names of the tools about which hooks need not be asked. */
  unguarded?: readonly string[] | undefined;
}

/**
 * Tools that a framework calls by themselves, with hooks around them.
 *
 * @internal
 */
export class ToolGuard {
  readonly #decider: Decider;
  readonly #options: GuardOptions;
  /** The refusal that ends the run. */
  #end: Refusal | undefined;

  constructor(decider: Decider, options: GuardOptions) {
    this.#decider = decider;
    this.#options = options;
  }

  /** Throws the refusal that ended the run. */
  check(): void {
    if (this.#end !== undefined) {
      throw this.#end;
    }
  }

  /** The tools, each as `guard` makes it of one and of the function that calls it. */
  guardTools<T extends { execute?: unknown }>(
    tools: Record<string, T>,
    guard: (name: string, tool: T, execute: NonNullable<T["execute"]>) => T,
  ): Record<string, T> {
    const guarded = Object.entries(tools).map(([name, tool]) => {
      if (this.#options.unguarded?.includes(name)) {
        return [name, tool] as const;
      }
      if (tool.execute === undefined) {
        const message = `hooks cannot be asked about the tool \`${name}\`, which has no \`execute\``;
        throw new TypeError(`${message}; name it in \`unguarded\` to use it without them`);
      }
      return [name, guard(name, tool, tool.execute as NonNullable<T["execute"]>)] as const;
    });
    return Object.fromEntries(guarded);
  }

  /**
   * The result of a call, as hooks left it: a value of the type of the tool's own, or a text. It throws what the model gets as an
   * error of the tool.
   */
  async call(
    { id, name, input }: { id: string; name: string; input: unknown },
    run: (args: Json) => unknown,
    options: StepOptions,
  ): Promise<{ value: unknown; isText: boolean }> {
    this.check();
    const call = new ToolCall(id, name, input as Record<string, unknown>, optionsOf(this.#options));
    let original: unknown;
    const runDecided = async (decided: ToolCall): Promise<unknown> => {
      original = await run(decided.args);
      return original;
    };
    const guarded = await runCall(this.#decider, call, runDecided, jsonText, options).catch((error: unknown) => {
      if (error instanceof Refusal && error.stopsRun) {
        this.#end ??= error;
      }
      throw error;
    });
    if ("result" in guarded) {
      return { value: guarded.result, isText: false };
    }
    if (guarded.isRefused) {
      throw new WithheldError(guarded.text);
    }
    const value = valueLike(original, guarded.text);
    return { value, isText: kindOf(value) !== kindOf(original) };
  }
}

/** The tool's result is not for the model: hooks refused the call, or withheld what the tool returned. */
class WithheldError extends PintleError {
  override name = "WithheldError";
}

/** The result of a tool as hooks left it, or a text for the model in the place of one. */
export type GuardedResult<R> = { result: R } | { text: string; isRefused: boolean };

/** @internal */
export function optionsOf({ vocabulary }: AdapterOptions): { vocabulary?: string } {
  return vocabulary === undefined ? {} : { vocabulary };
}

/**
 * Throws if hooks made it the call of another tool, which the framework has not chosen.
 *
 * @internal
 */
export function checkName(asked: ToolCall, decided: ToolCall): void {
  if (decided.name !== asked.name) {
    throw refuseCall(`hooks changed this into a call of \`${decided.name}\`, which the agent cannot run instead`);
  }
}

/**
 * The result of a tool call. `run` calls the tool with the arguments that hooks left. A refusal that ends the run is thrown. Errors
 * that are `passing` are messages to the framework, and not errors of the tool.
 *
 * @internal
 */
export async function runCall<R>(
  decider: Decider,
  call: ToolCall,
  run: (decided: ToolCall) => R | Promise<R>,
  textOf: (result: R) => string,
  { isPassing = () => false, ...options }: StepOptions & { isPassing?: (error: unknown) => boolean } = {},
): Promise<GuardedResult<R>> {
  let decided: ToolCall;
  try {
    decided = await decider.decideToolCall(call, options);
    checkName(call, decided);
  } catch (error) {
    if (error instanceof Refusal && !error.stopsRun) {
      return { text: error.reason, isRefused: true };
    }
    throw error;
  }
  let result: R;
  try {
    result = await run(decided);
  } catch (error) {
    if (isPassing(error)) {
      throw error;
    }
    const message = errorText(error);
    const reviewed = await decider.concludeToolCall(decided, decided.error(message));
    if (reviewed.content === message) {
      throw error;
    }
    return { text: reviewed.content, isRefused: true };
  }
  const text = textOf(result);
  const reviewed = await decider.concludeToolCall(decided, decided.result(text));
  const isOwn = reviewed.content === text && !reviewed.isError;
  return isOwn ? { result } : { text: reviewed.content, isRefused: reviewed.isError };
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The text of a tool's result, as frameworks give it to the model.
 *
 * @internal
 */
export function jsonText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/**
 * What hooks left of the `jsonText` of a value: a value of the same type, or a text if it is no such value any more.
 *
 * @internal
 */
export function valueLike(original: unknown, text: string): unknown {
  if (typeof original === "string") {
    return text;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  return kindOf(value) === kindOf(original) ? value : text;
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}
