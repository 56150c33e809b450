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

import type { Json } from "../hooks.js";
import { type Decider, type GuardOptions, ToolGuard } from "./calls.js";

type WrappedModel = Parameters<typeof wrapLanguageModel>[0]["model"];

/** The model and the tools with hooks around them, for `generateText`, `streamText` and `ToolLoopAgent`. */
export function guard<T extends ToolSet>(
  { model, tools }: { model: LanguageModel; tools: T },
  decider: Decider,
  options: GuardOptions = {},
): { model: WrappedModel; tools: T } {
  const guard = new ToolGuard(decider, options);
  /** What hooks left of results that have another type now, by the ID of the call. */
  const texts = new Map<string, string>();
  const guardTool = (name: string, tool: Tool, execute: NonNullable<Tool["execute"]>): Tool => {
    const { toModelOutput } = tool;
    const guarded = {
      ...tool,
      execute: async (input: unknown, options: Parameters<typeof execute>[1]): Promise<unknown> => {
        const { toolCallId: id, abortSignal: signal } = options;
        const run = async (args: Json): Promise<unknown> => lastOf(await execute.call(tool, args, options));
        const { value, isText } = await guard.call({ id, name, input }, run, { signal });
        if (isText) {
          texts.set(id, String(value));
        }
        return value;
      },
    } as Tool;
    if (toModelOutput !== undefined) {
      guarded.toModelOutput = (options) => {
        const text = texts.get(options.toolCallId);
        return text === undefined ? toModelOutput.call(tool, options) : { type: "text", value: text };
      };
    }
    return guarded;
  };
  const wrapped = wrapLanguageModel({
    // The SDK accepts older models in the same places.
    model: (typeof model === "string" ? gateway(model) : model) as WrappedModel,
    middleware: {
      specificationVersion: "v3",
      transformParams: async ({ params }) => {
        guard.check();
        return params;
      },
    },
  });
  return { model: wrapped, tools: guard.guardTools<Tool>(tools, guardTool) as T };
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
