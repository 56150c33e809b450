/**
 * Hooks around the tools of an agent of the Vercel AI SDK.
 *
 * ```ts
 * import { generateText, stepCountIs } from "ai";
 * import { Runtime } from "pintle";
 * import { guard } from "pintle/adapters/ai-sdk";
 *
 * const runtime = new Runtime({ packs: ["shell", "git"] });
 * const { text } = await generateText({
 *   ...guard({ model, tools: { shell } }, runtime),
 *   stopWhen: stepCountIs(5),
 *   prompt: "tidy up",
 * });
 * ```
 *
 * Hooks are asked about each call of each tool, also those that run at once, and are shown its result. A call that is refused is an
 * error of the tool, which the model sees. If a hook ends the run, the next call of the model throws the `Refusal`. Tools without
 * `execute`, which the program or the provider runs, are out of reach: name them in `unguarded`.
 */

import { type LanguageModel, type Tool, type ToolSet, gateway, wrapLanguageModel } from "ai";

import { Refusal } from "../errors.js";
import { ToolCall } from "../runtime.js";
import { type Decider, type GuardOptions, WithheldError, jsonText, optionsOf, runCall, unguardedError, valueLike } from "./calls.js";

type WrappedModel = Parameters<typeof wrapLanguageModel>[0]["model"];

/** The model and the tools with hooks around them, for `generateText`, `streamText` and `ToolLoopAgent`. */
export function guard<T extends ToolSet>(
  { model, tools }: { model: LanguageModel; tools: T },
  decider: Decider,
  options: GuardOptions = {},
): { model: WrappedModel; tools: T } {
  const guarding = new Guarding(decider, options);
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guarding.guardTool(name, tool)]);
  return { model: guarding.guardModel(model), tools: Object.fromEntries(guarded) as T };
}

class Guarding {
  readonly #decider: Decider;
  readonly #options: GuardOptions;
  /** The refusal that ends the run. */
  #end: Refusal | undefined;
  /** What hooks left of results that have another type now, by the ID of the call. */
  readonly #texts = new Map<string, string>();

  constructor(decider: Decider, options: GuardOptions) {
    this.#decider = decider;
    this.#options = options;
  }

  #check(): void {
    if (this.#end !== undefined) {
      throw this.#end;
    }
  }

  guardModel(model: LanguageModel): WrappedModel {
    return wrapLanguageModel({
      // The SDK accepts older models in the same places.
      model: (typeof model === "string" ? gateway(model) : model) as WrappedModel,
      middleware: {
        specificationVersion: "v3",
        transformParams: async ({ params }) => {
          this.#check();
          return params;
        },
      },
    });
  }

  guardTool(name: string, tool: Tool): Tool {
    if (this.#options.unguarded?.includes(name)) {
      return tool;
    }
    const { execute, toModelOutput } = tool;
    if (execute === undefined) {
      throw unguardedError(name);
    }
    const guarded = {
      ...tool,
      execute: async (input: unknown, options: Parameters<typeof execute>[1]): Promise<unknown> => {
        this.#check();
        const { toolCallId: id, abortSignal: signal } = options;
        const call = new ToolCall(id, name, input as Record<string, unknown>, optionsOf(this.#options));
        let original: unknown;
        const run = async (decided: ToolCall): Promise<unknown> => {
          original = await lastOf(await execute.call(tool, decided.args, options));
          return original;
        };
        const guarded = await runCall(this.#decider, call, run, jsonText, { signal }).catch((error: unknown) => {
          if (error instanceof Refusal && error.stopsRun) {
            this.#end ??= error;
          }
          throw error;
        });
        if ("result" in guarded) {
          return guarded.result;
        }
        if (guarded.isRefused) {
          throw new WithheldError(guarded.text);
        }
        const value = valueLike(original, guarded.text);
        if (typeof value !== typeof original) {
          this.#texts.set(id, guarded.text);
        }
        return value;
      },
    } as Tool;
    if (toModelOutput !== undefined) {
      guarded.toModelOutput = (options) => {
        const text = this.#texts.get(options.toolCallId);
        return text === undefined ? toModelOutput.call(tool, options) : { type: "text", value: text };
      };
    }
    return guarded;
  }
}

/** The result of a tool: the last one of a tool that also has preliminary ones, which hooks have not seen yet. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) {
    return result;
  }
  let last: unknown;
  for await (const part of result as AsyncIterable<unknown>) {
    last = part;
  }
  return last;
}
