/**
 * A plugin for OpenCode that asks hooks about the tools of every session.
 *
 * ```ts
 * // .opencode/plugin/pintle.ts
 * import { Runtime } from "pintle";
 * import { pintlePlugin } from "pintle/adapters/opencode";
 *
 * export const Pintle = pintlePlugin(new Runtime({ packs: ["shell", "git"] }));
 * ```
 *
 * Hooks are asked about each call of each tool, and are shown its result. `pintle install opencode` puts hooks of files around every
 * session instead.
 */

import type { Hooks, PluginInput } from "@opencode-ai/plugin";

import { AgentLife, ToolCall } from "../runtime.js";
import { type Decider, checkName } from "./calls.js";

/** A plugin. Calls belong to the session of an `AgentLife`, or to OpenCode's own. */
export function pintlePlugin(decider: Decider): (input: Pick<PluginInput, "directory">) => Promise<Hooks> {
  return async ({ directory }) => {
    /** The calls that run, by ID, as hooks left them. */
    const running = new Map<string, ToolCall>();
    const lifeOf = (session: string): AgentLife =>
      decider instanceof AgentLife ? decider : decider.life({ session, cwd: directory });
    const newCall = (input: { callID: string; tool: string }, args: Record<string, unknown>): ToolCall =>
      new ToolCall(input.callID, input.tool, args, { vocabulary: "opencode", cwd: directory });
    return {
      // What it throws is the call's result for the model.
      "tool.execute.before": async (input, output) => {
        const call = newCall(input, output.args);
        const decided = await lifeOf(input.sessionID).decideToolCall(call);
        checkName(call, decided);
        running.set(input.callID, decided);
        // OpenCode passes on the object that it has.
        replaceFields(output.args, decided.args);
      },
      "tool.execute.after": async (input, output) => {
        const call = running.get(input.callID) ?? newCall(input, input.args);
        running.delete(input.callID);
        // A tool of an MCP server has parts instead of a text.
        const parts = output as unknown as { content?: { type?: string; text?: string }[] };
        if (Array.isArray(parts.content)) {
          const texts = parts.content.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : []));
          const text = texts.join("\n");
          const reviewed = await lifeOf(input.sessionID).concludeToolCall(call, call.result(text));
          if (reviewed.content !== text) {
            parts.content = [{ type: "text", text: reviewed.content }];
          }
          return;
        }
        const reviewed = await lifeOf(input.sessionID).concludeToolCall(call, call.result(output.output));
        if (reviewed.content !== output.output) {
          // The title and the metadata can contain the result, too.
          Object.assign(output, { output: reviewed.content, title: "", metadata: withoutTexts(output.metadata) });
        }
      },
    };
  };
}

function replaceFields(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const key of Object.keys(target)) {
    delete target[key];
  }
  for (const [key, value] of Object.entries(fields)) {
    // Assigning `__proto__` would give the arguments fields that no hook has seen.
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") {
    return "";
  }
  if (Array.isArray(value)) {
    return value.map(withoutTexts);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withoutTexts(field)]));
}
