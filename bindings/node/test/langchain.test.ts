import assert from "node:assert/strict";
import { test } from "node:test";

import { AIMessage, HumanMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Command } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { z } from "zod";

import { pintleMiddleware } from "../lib/adapters/langchain.js";
import { Refusal, Runtime, deny, on } from "../lib/index.js";
import { endingRuntime, ran, scenario, shell } from "./scenario.js";

class ScriptedModel extends FakeListChatModel {
  #messages: AIMessage[];

  constructor(...messages: AIMessage[]) {
    super({ responses: [] });
    this.#messages = messages;
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<{ generations: { text: string; message: AIMessage }[] }> {
    const message = this.#messages.shift();
    assert(message);
    return { generations: [{ text: message.text, message }] };
  }
}

const shellTool = tool(shell, { name: "shell", description: "Runs a command.", schema: z.object({ command: z.string() }) });

async function results(runtime: Runtime, shellTool: StructuredToolInterface, ...calls: { command: string }[]): Promise<string[]> {
  const tool_calls = calls.map((args, index) => ({ name: "shell", args, id: `call_${index}` }));
  const model = new ScriptedModel(new AIMessage({ content: "", tool_calls }), new AIMessage("done"));
  const agent = createAgent({ model, tools: [shellTool], middleware: [pintleMiddleware(runtime)] });
  const { messages } = (await agent.invoke({ messages: [new HumanMessage("go")] })) as { messages: BaseMessage[] };
  return messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.text);
}

scenario("LangChain", async (runtime, args) => (await results(runtime, shellTool, args)).join());

test("calls at once are each decided", async () => {
  ran.length = 0;
  const runtime = new Runtime({ packs: ["shell"] });
  const texts = await results(runtime, shellTool, { command: "ls" }, { command: "rm -rf /" }, { command: "pwd" });
  assert.deepEqual(texts.map((text) => text.startsWith("ran")), [true, false, true]);
  assert.deepEqual(ran.sort(), ["ls", "pwd"]);
});

test("hooks see what a command adds to the messages, in every form of it", async () => {
  const hides = on("tool.post", (call) => (call.payload.content.includes("hidden") ? deny("it is private") : undefined));
  const runtime = new Runtime({ hooks: [hides] });
  const message = (id: string) => new ToolMessage({ content: "hidden", tool_call_id: id });
  const updates: ((id: string) => unknown)[] = [
    (id) => ({ messages: [message(id)] }),
    (id) => [["messages", [message(id)]]],
    (id) => ({ messages: message(id) }),
    (id) => ({ messages: [{ role: "tool", content: "hidden", tool_call_id: id }] }),
  ];
  for (const update of updates) {
    const commands = tool((_, { toolCall }) => new Command({ update: update(toolCall.id) as never }), {
      name: "shell",
      description: "Runs a command.",
      schema: z.object({ command: z.string() }),
    });
    const texts = await results(runtime, commands, { command: "ls" });
    assert.deepEqual(texts, ["tool result blocked: it is private"]);
  }
});

test("a refusal that ends the run ends it", async () => {
  ran.length = 0;
  const refusal = new Refusal({ text: "enough", event: "tool.pre", reason: "enough", hooks: [], stopsRun: true });
  await assert.rejects(results(endingRuntime(refusal), shellTool, { command: "ls" }), /enough/);
  assert.deepEqual(ran, []);
});
