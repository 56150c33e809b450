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

import { type Decider, type GuardOptions, ToolGuard } from "./calls.js";

type AnyTool = ToolAction<any, any, any, any, any, any, any>;

/** The tools with hooks around them, for the `tools` of an agent. */
export function guardTools<T extends Record<string, AnyTool>>(tools: T, decider: Decider, options: GuardOptions = {}): T {
  const guard = new ToolGuard(decider, options);
  const guardTool = (name: string, tool: AnyTool, execute: NonNullable<AnyTool["execute"]>): AnyTool => {
    const guarded: typeof execute = async (input, context) => {
      const id = context?.agent?.toolCallId ?? "";
      const run = (args: unknown): unknown => execute.call(tool, args, context);
      const { value } = await guard.call({ id, name, input }, run, { signal: context?.abortSignal });
      return value;
    };
    // Mastra knows its tools by their class.
    return Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as AnyTool, tool, { execute: guarded });
  };
  return guard.guardTools<AnyTool>(tools, guardTool) as T;
}
