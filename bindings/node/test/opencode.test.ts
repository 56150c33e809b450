import assert from "node:assert/strict";
import { test } from "node:test";

import { pintlePlugin } from "../lib/adapters/opencode.js";
import { Runtime, args, on } from "../lib/index.js";
import { ran, scenario, shell } from "./scenario.js";

/** Calls the hooks of a plugin around a tool as OpenCode does: what the first throws is the result. */
async function play(runtime: Runtime, given: Record<string, unknown>): Promise<{ result: string; metadata: unknown }> {
  const hooks = await pintlePlugin(runtime)({ directory: "/tmp" });
  const input = { tool: "bash", sessionID: "s1", callID: "call_1" };
  const output = { args: given };
  try {
    await hooks["tool.execute.before"]?.(input, output);
  } catch (error) {
    return { result: (error as Error).message, metadata: {} };
  }
  const text = shell(given as { command: string });
  const after = { title: text, output: text, metadata: { output: text, exit: 0 } };
  await hooks["tool.execute.after"]?.({ ...input, args: given }, after);
  return { result: after.output, metadata: after.metadata };
}

scenario("OpenCode", async (runtime, args) => JSON.stringify(await play(runtime, { ...args, description: "x" })));

test("a key with a meaning for JavaScript gives the tool nothing that no hook has seen", async () => {
  const given = JSON.parse('{"description": "x", "__proto__": {"command": "rm -rf /"}}') as Record<string, unknown>;
  const changes = on("tool.pre", (call) => args({ ...call.args, description: "y" }));
  ran.length = 0;
  await play(new Runtime({ hooks: [changes] }), given);
  assert.deepEqual(ran, [undefined]);
});
