/**
 * Hooks around the tools of a LangChain agent, which runs on LangGraph.
 *
 * ```ts
 * import { createAgent } from "langchain";
 * import { Runtime } from "pintle";
 * import { pintleMiddleware } from "pintle/adapters/langchain";
 *
 * const runtime = new Runtime({ packs: ["shell", "git"] });
 * const agent = createAgent({ model, tools: [shell], middleware: [pintleMiddleware(runtime)] });
 * ```
 *
 * The middleware sees every call of every tool of the agent, also those that run at once and those that other middleware adds.
 * It is the last of the list: middleware behind it could change a call that hooks have judged.
 */

import { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { type Command, isGraphBubbleUp } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";

import { ToolCall } from "../runtime.js";
import { type AdapterOptions, type Decider, jsonText, optionsOf, runCall } from "./calls.js";

/** Asks hooks about each tool call, and shows them its result. */
export function pintleMiddleware(decider: Decider, options: AdapterOptions = {}): AgentMiddleware {
  return createMiddleware({
    name: "Pintle",
    wrapToolCall: async (request, handler) => {
      const { id = "", name, args } = request.toolCall;
      const run = (decided: ToolCall): Promise<ToolMessage | Command> =>
        Promise.resolve(handler({ ...request, toolCall: { ...request.toolCall, args: decided.args } }));
      const guarded = await runCall(decider, new ToolCall(id, name, args, optionsOf(options)), run, textOf, {
        isPassing: isGraphBubbleUp,
      });
      if ("result" in guarded) {
        return guarded.result;
      }
      return new ToolMessage({ content: guarded.text, name, tool_call_id: id, status: "error" });
    },
  });
}

/** The texts that a result adds to the messages, in whatever form LangGraph takes them. */
function textOf(result: ToolMessage | Command): string {
  if (result instanceof ToolMessage) {
    return result.text;
  }
  const { update } = result;
  const entries = Array.isArray(update) ? update : Object.entries(update ?? {});
  const messages = entries.flatMap(([key, value]) => (key === "messages" ? value : []));
  return messages.map((message) => (message instanceof BaseMessage ? message.text : jsonText(message))).join("\n");
}
