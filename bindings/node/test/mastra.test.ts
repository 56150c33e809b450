import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";

import { guardTools } from "../lib/adapters/mastra.js";
import { Refusal, Runtime } from "../lib/index.js";
import { endingRuntime, ran, scenario, shell } from "./scenario.js";
import { scriptedModel } from "./scripted-model.js";

const inputSchema = z.object({ command: z.string() });
const shellTool = createTool({ id: "shell", description: "Runs a command.", inputSchema, execute: async (input) => shell(input) });
const structured = createTool({ id: "shell", description: "Runs a command.", inputSchema, execute: async (input) => ({ text: shell(input) }) });

/** What the model received as the results of its calls. */
async function results(runtime: Runtime, tool: typeof shellTool | typeof structured, ...calls: { command: string }[]): Promise<string> {
  const model = scriptedModel(...calls);
  const tools = guardTools({ shell: tool }, runtime);
  const agent = new Agent({ id: "root", name: "root", instructions: "Work.", model, tools });
  await agent.generate("go");
  const prompts = [...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt }) => prompt as { role: string }[]);
  assert.equal(prompts.length, 2);
  return JSON.stringify(prompts[1]?.filter(({ role }) => role === "tool"));
}

scenario("Mastra", (runtime, args) => results(runtime, shellTool, args));
scenario("Mastra, with results that have a structure", (runtime, args) => results(runtime, structured, args));

test("calls at once are each decided", async () => {
  ran.length = 0;
  const calls = [{ command: "ls" }, { command: "rm -rf /" }, { command: "pwd" }];
  await results(new Runtime({ packs: ["shell"] }), shellTool, ...calls);
  assert.deepEqual(ran.sort(), ["ls", "pwd"]);
});

test("after a refusal that ends the run nothing runs", async () => {
  ran.length = 0;
  const refusal = new Refusal({ text: "enough", event: "tool.pre", reason: "enough", hooks: [], stopsRun: true });
  const runtime = endingRuntime(refusal);
  const { shell: guarded } = guardTools({ shell: shellTool }, runtime);
  await assert.rejects(async () => guarded.execute?.({ command: "ls" }, {} as never), /enough/);
  runtime.decideToolCall = async (call) => call;
  await assert.rejects(async () => guarded.execute?.({ command: "ls" }, {} as never), /enough/);
  assert.deepEqual(ran, []);
});

test("a tool that nothing can guard is refused unless it is named", () => {
  const tools = { outside: createTool({ id: "outside", description: "Runs elsewhere.", inputSchema }) };
  assert.throws(() => guardTools(tools, new Runtime()), /`outside`, which has no `execute`/);
  assert.equal(guardTools(tools, new Runtime(), { unguarded: ["outside"] }).outside, tools.outside);
});
