/**
 * What every adapter must hold: one scenario, which each framework plays with a scripted model.
 *
 * `play(runtime, args)` makes an agent with the tool `shell`, whose scripted model calls the tool once with these arguments, and
 * returns what the model then received as the call's result. `ran` has the commands that the tool was called with.
 */

import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { type HookCall, Runtime, type Verdict, approved, args, ask, deny, on, rewrite } from "../lib/index.js";

export const ran: string[] = [];

export function shell({ command }: { command: string }): string {
  ran.push(command);
  return `ran ${command}, hidden`;
}

function crash(): Verdict {
  throw new Error("the index is gone");
}

const mask = (call: HookCall): Verdict => rewrite({ content: call.payload.content.replaceAll("hidden", "...") });

export function scenario(name: string, play: (runtime: Runtime, args: { command: string }) => Promise<string>): void {
  describe(name, () => {
    beforeEach(() => {
      ran.length = 0;
    });

    test("a denied call does not reach the tool", async () => {
      const result = await play(new Runtime({ packs: ["shell"] }), { command: "rm -rf /" });
      assert.match(result, /\[shell\.delete-root\]/);
      assert.deepEqual(ran, []);
    });

    test("a call runs with the arguments that hooks left", async () => {
      const safer = on("tool.pre", () => args({ command: "ls -l" }));
      assert.match(await play(new Runtime({ hooks: [safer] }), { command: "ls" }), /ran ls -l/);
      assert.deepEqual(ran, ["ls -l"]);
    });

    test("a question without a person denies", async () => {
      const hooks = [on("tool.pre", () => ask("is this meant?"))];
      assert.match(await play(new Runtime({ hooks }), { command: "ls" }), /is this meant\?/);
      assert.deepEqual(ran, []);
      const approver = async () => approved("ada");
      assert.match(await play(new Runtime({ hooks, approver }), { command: "ls" }), /ran ls/);
    });

    test("a hook that crashes follows its policy", async () => {
      await play(new Runtime({ hooks: [on("tool.pre", crash)] }), { command: "ls" });
      assert.deepEqual(ran, []);
      const lenient = on("tool.pre", crash, { onFailure: "allow" });
      assert.match(await play(new Runtime({ hooks: [lenient] }), { command: "ls" }), /ran ls/);
    });

    test("hooks change and withhold the result", async () => {
      assert.match(await play(new Runtime(), { command: "ls" }), /hidden/);
      const hidden = await play(new Runtime({ hooks: [on("tool.post", mask)] }), { command: "ls" });
      assert.match(hidden, /ran ls/);
      assert.doesNotMatch(hidden, /hidden/);
      const withholds = on("tool.post", async () => deny("it is private"));
      const withheld = await play(new Runtime({ hooks: [withholds] }), { command: "ls" });
      assert.match(withheld, /it is private/);
      assert.doesNotMatch(withheld, /hidden|ran ls/);
    });
  });
}

/** A decider with a hook that ends the run at the first call. */
export function endingRuntime(refusal: Error): Runtime {
  const runtime = new Runtime();
  runtime.decideToolCall = () => Promise.reject(refusal);
  return runtime;
}
