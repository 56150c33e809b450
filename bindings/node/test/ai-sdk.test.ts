import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, stepCountIs, streamText, tool } from "ai";
import type { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

import { guard } from "../lib/adapters/ai-sdk.js";
import { Refusal, Runtime, on, rewrite } from "../lib/index.js";
import { endingRuntime, ran, scenario, shell } from "./scenario.js";
import { scriptedModel } from "./scripted-model.js";

const inputSchema = z.object({ command: z.string() });
const shellTool = tool({ description: "Runs a command.", inputSchema, execute: shell });

/** What the model received as the results of its calls. */
function resultsIn(model: MockLanguageModelV3, calls: readonly { prompt: unknown }[]): string {
  assert.equal(calls.length, 2, model.modelId);
  return JSON.stringify((calls[1]?.prompt as { role: string }[]).filter(({ role }) => role === "tool"));
}

const options = { stopWhen: stepCountIs(3), prompt: "go" };

async function generate(runtime: Runtime, tools: { shell: typeof shellTool }, ...calls: { command: string }[]): Promise<string> {
  const model = scriptedModel(...calls);
  await generateText({ ...guard({ model, tools }, runtime), ...options });
  return resultsIn(model, model.doGenerateCalls);
}

scenario("Vercel AI SDK", (runtime, args) => generate(runtime, { shell: shellTool }, args));

scenario("Vercel AI SDK, as a stream", async (runtime, args) => {
  const model = scriptedModel(args);
  await streamText({ ...guard({ model, tools: { shell: shellTool } }, runtime), ...options }).consumeStream();
  return resultsIn(model, model.doStreamCalls);
});

test("calls at once are each decided", async () => {
  ran.length = 0;
  const calls = [{ command: "ls" }, { command: "rm -rf /" }, { command: "pwd" }];
  await generate(new Runtime({ packs: ["shell"] }), { shell: shellTool }, ...calls);
  assert.deepEqual(ran.sort(), ["ls", "pwd"]);
});

test("a refusal that ends the run ends it before the next call of the model", async () => {
  ran.length = 0;
  const refusal = new Refusal({ text: "enough", event: "tool.pre", reason: "enough", hooks: [], stopsRun: true });
  const model = scriptedModel({ command: "ls" });
  const guarded = guard({ model, tools: { shell: shellTool } }, endingRuntime(refusal));
  await assert.rejects(generateText({ ...guarded, ...options }), /enough/);
  assert.equal(model.doGenerateCalls.length, 1);
  assert.deepEqual(ran, []);
});

test("a result is reviewed as the model gets it", async () => {
  const seen: string[] = [];
  const runtime = new Runtime({ hooks: [on("tool.post", (call) => void seen.push(call.payload.content))] });
  const execute = async ({ command }: { command: string }) => ({ text: shell({ command }), at: new Date(0), none: undefined });
  const dated = tool({ description: "Runs a command.", inputSchema, execute });
  const model = scriptedModel({ command: "ls" });
  await generateText({ ...guard({ model, tools: { shell: dated } }, runtime), ...options });
  assert.deepEqual(seen, ['{"text":"ran ls, hidden","at":"1970-01-01T00:00:00.000Z"}']);
  assert.match(resultsIn(model, model.doGenerateCalls), /1970-01-01/);
});

test("a tool that nothing can guard is refused unless it is named", () => {
  const tools = { outside: tool({ description: "Runs elsewhere.", inputSchema }) };
  const model = scriptedModel();
  assert.throws(() => guard({ model, tools }, new Runtime()), /`outside`, which has no `execute`/);
  assert.equal(guard({ model, tools }, new Runtime(), { unguarded: ["outside"] }).tools.outside, tools.outside);
});

test("preliminary results and the tool's own form for the model show nothing that hooks took away", async () => {
  const hides = on("tool.post", (call) => rewrite({ content: call.payload.content.replaceAll("hidden", "...") }));
  const parts = tool({
    description: "Runs a command.",
    inputSchema,
    async *execute({ command }) {
      yield { text: "hidden, at first" };
      yield { text: shell({ command }) };
    },
    toModelOutput: ({ output }) => ({ type: "text", value: `it said: ${(output as { text: string }).text}` }),
  });
  const model = scriptedModel({ command: "ls" });
  const guarded = guard({ model, tools: { shell: parts } }, new Runtime({ hooks: [hides] }));
  const stream = streamText({ ...guarded, ...options });
  let seen = "";
  for await (const part of stream.fullStream) {
    seen += JSON.stringify(part);
  }
  assert.match(resultsIn(model, model.doStreamCalls), /it said: ran ls, \.\.\./);
  assert.doesNotMatch(seen, /hidden/);
});
