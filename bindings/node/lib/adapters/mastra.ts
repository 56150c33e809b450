/**
 * Hooks around the tools of a Mastra agent.
 *
 * ```ts
 * import { Agent } from "@mastra/core/agent";
 * import { Runtime } from "pintle";
 * import { guardTools } from "pintle/adapters/mastra";
 *
 * const runtime = new Runtime({ packs: ["shell", "git"] });
 * const tools = guardTools({ shell }, runtime);
 * const agent = new Agent({ id: "root", name: "root", instructions: "Tidy up.", model, tools });
 * ```
 *
 * Hooks are asked about each call of each of these tools, also those that run at once, and are shown its result. A call that is refused
 * is an error of the tool, which the model sees; if a hook ends the run, so is every further call. Tools without `execute`, which the
 * program runs, are out of reach: name them in `unguarded`. So are tools that the agent has from elsewhere, such as workflows.
 */

import type { ToolAction } from "@mastra/core/tools";

import { Refusal } from "../errors.js";
import { ToolCall } from "../runtime.js";
import { type Decider, type GuardOptions, WithheldError, jsonText, optionsOf, runCall, unguardedError, valueLike } from "./calls.js";

type AnyTool = ToolAction<any, any, any, any, any, any, any>;

/** The tools with hooks around them, for the `tools` of an agent. */
export function guardTools<T extends Record<string, AnyTool>>(tools: T, decider: Decider, options: GuardOptions = {}): T {
  /** The refusal that ends the run. */
  let end: Refusal | undefined;
  const guardTool = (name: string, tool: AnyTool): AnyTool => {
    if (options.unguarded?.includes(name)) {
      return tool;
    }
    const { execute } = tool;
    if (execute === undefined) {
      throw unguardedError(name);
    }
    const guarded: typeof execute = async (input, context) => {
      if (end !== undefined) {
        throw end;
      }
      const id = context?.agent?.toolCallId ?? "";
      const call = new ToolCall(id, name, input as Record<string, unknown>, optionsOf(options));
      let original: unknown;
      const run = async (decided: ToolCall): Promise<unknown> => {
        original = await execute.call(tool, decided.args, context);
        return original;
      };
      const result = await runCall(decider, call, run, jsonText, { signal: context?.abortSignal }).catch((error: unknown) => {
        if (error instanceof Refusal && error.stopsRun) {
          end ??= error;
        }
        throw error;
      });
      if ("result" in result) {
        return result.result;
      }
      if (result.isRefused) {
        throw new WithheldError(result.text);
      }
      return valueLike(original, result.text);
    };
    // Mastra knows its tools by their class.
    return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as AnyTool, tool, { execute: guarded });
  };
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool)])) as T;
}
