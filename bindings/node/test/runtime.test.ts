/** A runtime: what it is built from, events, turns, the tape and values of JSON. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { EventError, type JudgeRequest, LoadError, Refusal, Runtime, Tape, TapeError, ToolCall, deny, on, rewrite } from "../lib/index.js";

const INDEX = new URL("../lib/index.js", import.meta.url).href;
const call = (command = "ls"): ToolCall => new ToolCall("1", "shell", { command });

function writeHook(head: string): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "pintle-")), "guard.md");
  writeFileSync(file, `---\n${head}\n---\n`);
  return file;
}

const guardOf = (event: string, body: string): string => `event: ${event}\nscript: |\n  def handle(event, payload):\n      ${body}`;

test("packs refuse and say why", async () => {
  const runtime = new Runtime({ packs: ["shell", "git"] });
  await assert.rejects(runtime.decideToolCall(call("rm -rf /")), /\[shell\.delete-root\]/);
  const push = new ToolCall("1", "Bash", { command: "git push --force origin main" }, { vocabulary: "claude" });
  await assert.rejects(runtime.decideToolCall(push), /\[git\.force-push\]/);
  assert.throws(() => runtime.decideToolCallSync(push), /\[git\.force-push\]/);
  const { id, name, args } = await runtime.decideToolCall(call());
  assert.deepEqual([id, name, args], ["1", "shell", { command: "ls" }]);
});

test("everything that is wrong is in one error", () => {
  const file = writeHook(guardOf("tool.pree", "return block()"));
  const hooks = [on("tool.pre", () => undefined, { tools: [] })];
  assert.throws(() => new Runtime({ paths: [file, "no/such/project"], packs: ["shel"], hooks }), (error) => {
    assert(error instanceof LoadError);
    for (const part of ["guard.md:2", "no/such/project", "did you mean `shell`?", "names no tool"]) {
      assert(error.message.includes(part), part);
    }
    const first = error.diagnostics.find((diagnostic) => diagnostic.path === file && diagnostic.isError);
    assert.equal(first?.line, 2);
    return first.code !== "" && error.diagnostics.some(({ help }) => help !== undefined);
  });
});

test("hooks of the program come before those of files, and are asked again about what those change", async () => {
  const paths = [writeHook(guardOf("tool.pre", "return modify({'args': {'command': 'pwd'}})"))];
  const heard: string[] = [];
  const runtime = new Runtime({ paths, hooks: [on("tool.pre", (call) => void heard.push(call.args.command))] });
  await runtime.decideToolCall(call());
  assert.deepEqual(heard, ["ls", "pwd"]);
});

test("hooks of files have layers, and options that do not exist are errors", async () => {
  const file = writeHook(guardOf("tool.pre", "return block('closed')"));
  for (const entry of [file, { path: file, layer: "managed" as const }, { path: file, layer: "user" as const }]) {
    await assert.rejects(new Runtime({ paths: [entry] }).decideToolCall(call()), /closed/);
  }
  assert.throws(() => new Runtime({ paths: [{ path: file, layer: "top" as never }] }), /a layer is "managed"/);
  assert.throws(() => new Runtime({ paths: [3 as never] }), TypeError);
  assert.throws(() => new Runtime({ hooks: [(() => undefined) as never] }), TypeError);
  assert.throws(() => new Runtime({ approver: "yes" as never }), /not a function/);
  assert.throws(() => new Runtime({ pack: ["shell"] } as never), /a runtime has no option `pack`/);
  assert.throws(() => new ToolCall("1", "shell", {}, { vocabulary: "emacs" }), /unknown vocabulary `emacs`/);
  assert.throws(() => new ToolCall("1", "shell", {}, { readonly: true } as never), /no option `readonly`/);
});

test("a script that needs a process runs in one of its own", async () => {
  const loop = [
    "for a in range(99):",
    "    for b in range(99):",
    "        if str(a * b) == 'x':",
    "            return allow()",
    "return block('counted')",
  ];
  const runtime = new Runtime({ paths: [writeHook(guardOf("tool.pre", loop.join("\n      ")))] });
  await assert.rejects(runtime.decideToolCall(call()), /counted/);
  assert.throws(() => runtime.decideToolCallSync(call()), /counted/);
});

test("a judge of the program judges", async () => {
  const dir = mkdtempSync(path.join(tmpdir(), "pintle-"));
  const file = path.join(dir, "agent.yaml");
  const hook = "{type: model, model: x/y, prompt: 'run {{ .ToolInput.cmd }}?', schema: pre_tool_use_decision}";
  const head = "agents:\n  root:\n    model: x/y\n    instruction: work\n    hooks:\n      pre_tool_use:\n        - hooks:\n";
  writeFileSync(file, `${head}            - ${hook}\n`);
  const judge = async (request: JudgeRequest) => {
    assert.equal(request.model, "x/y");
    assert(request.schema !== null && request.timeoutMs > 0);
    return JSON.stringify({ decision: "deny", reason: request.prompt });
  };
  const runtime = new Runtime({ paths: [file], judge });
  await assert.rejects(runtime.decideToolCall(call()), /run ls\?/);
  assert.throws(() => runtime.decideToolCallSync(call()), /without `Sync`/);
  const broken = async (): Promise<string> => {
    throw new Error("no credit");
  };
  for (const judge of [broken, async () => 3 as never, () => undefined as never]) {
    await assert.rejects(new Runtime({ paths: [file], judge }).decideToolCall(call()), Refusal);
  }
});

test("an event that is not one is an error", async () => {
  const runtime = new Runtime();
  await assert.rejects(runtime.fire("no.such", {}), EventError);
  await assert.rejects(runtime.fire("tool.pre", { name: 3 }), EventError);
  assert.throws(() => runtime.fireSync("prompt.submit", { prompt: 3 }), EventError);
});

test("an outcome says whether the program may go on", async () => {
  const hooks = [on("prompt.submit", (call) => (call.payload.prompt === "bad" ? deny("no") : rewrite({ prompt: "good" }).notice("n")), { name: "h" })];
  const runtime = new Runtime({ hooks });
  const denied = await runtime.fire("prompt.submit", { prompt: "bad" }, { origin: { session: "s1" } });
  assert.deepEqual([denied.isAllowed, denied.decision, denied.reason, denied.hooksCalled], [false, "deny", 'blocked by hook "h": no', 1]);
  const changed = runtime.fireSync("prompt.submit", { prompt: "x" });
  assert.deepEqual([changed.isAllowed, changed.isRewritten, changed.payload.prompt], [true, true, "good"]);
  assert.deepEqual([changed.notices, changed.context, changed.stopReason, changed.approvedBy], [["n"], [], null, null]);
  // A payload may be a text.
  const turn = new Runtime({ hooks: [on("turn.start", (call) => (call.payload === "bad" ? deny("no") : undefined))] });
  assert.deepEqual([turn.fireSync("turn.start", "bad").isAllowed, turn.fireSync("turn.start", "x").isAllowed], [false, true]);
});

test("a turn goes through hooks, in both forms", async () => {
  const events: string[] = [];
  const heard = ["prompt.submit", "turn.start", "completion.pre", "tool.pre", "tool.post", "agent.stop", "turn.end"];
  const hooks = heard.map((event) => on(event, () => void events.push(event)));
  const life = new Runtime({ hooks }).life({ session: "s1", agent: "root", turn: 1 });
  const request = { model: "m", messages: [{ role: "user", content: "x" }] };
  const prompt = await life.beginTurn(await life.submitPrompt("x"));
  assert.deepEqual((await life.review("completion.pre", request)).messages, request.messages);
  const decided = await life.decideToolCall(call());
  const output = await life.concludeToolCall(decided, decided.result("a.txt"));
  const answer = await life.reviewAnswer(output.content);
  assert.deepEqual([prompt, answer, await life.endTurn(answer.text)], ["x", { text: "a.txt", nextMessage: null }, "a.txt"]);
  const waited = events.splice(0);
  life.beginTurnSync(life.submitPromptSync("x"));
  life.reviewSync("completion.pre", request);
  const again = life.decideToolCallSync(call());
  life.concludeToolCallSync(again, again.error("gone"));
  life.endTurnSync(life.reviewAnswerSync("a.txt").text);
  assert.deepEqual(events, waited);
  assert.deepEqual([...new Set(events)].sort(), [...heard].sort());
  life.cancel();
  await assert.rejects(life.submitPrompt("x"), Refusal);
});

test("a tape replays and shows changes", async () => {
  const tape = Tape.inMemory("s1");
  await new Runtime({ packs: ["shell"], tape, randomSeed: 1 }).decideToolCall(call());
  assert.equal(tape.close()?.length, 64);
  const bytes = tape.toBytes();
  Tape.replay(bytes);
  Tape.verify(bytes);
  const changed = Buffer.from(Buffer.from(bytes).toString().replace('"ls"', '"rm"'));
  assert.throws(() => Tape.verify(changed), TapeError);
  const file = path.join(mkdtempSync(path.join(tmpdir(), "pintle-")), "tapes", "x.jsonl");
  assert.equal(Tape.create(file, "s1").error, null);
  assert.throws(() => Tape.create(file, "s1"), TapeError);
});

test("secrets are redacted on the tape and on demand", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const tape = Tape.inMemory("s1");
  const runtime = new Runtime({ tape, redactSecrets: true });
  await runtime.decideToolCall(call(`echo ${secret}`));
  assert(!Buffer.from(tape.toBytes()).includes(secret));
  assert(!runtime.redact(`it is ${secret}`).includes(secret));
});

test("values come back as they went", () => {
  const values = {
    texts: ["", "größe", "\u{1f600}", "\u0000\n\"", "__proto__"],
    numbers: [0, -1, 1.5, 1e21, 1e-7, 2 ** 53, -(2 ** 53), 2 ** 60, 2 ** 63, 2 ** 64, 123456789012345680000, Number.MAX_VALUE, 5e-324],
    others: [true, false, null, [], {}, [[{}]]],
    missing: undefined,
  };
  const { args } = new ToolCall("1", "x", values);
  assert.deepEqual(args, JSON.parse(JSON.stringify(values)));
  const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Record<string, unknown>;
  assert.equal(JSON.stringify(new ToolCall("1", "x", own).args), JSON.stringify(own));
});

test("a number that JavaScript would round reaches neither a hook nor a tool", async () => {
  const paths = [writeHook(guardOf("tool.pre", "return modify({'args': {'n': 9007199254740993}})"))];
  const runtime = new Runtime({ paths });
  for (const decide of [() => runtime.decideToolCall(call()), async () => runtime.decideToolCallSync(call())]) {
    await assert.rejects(decide, (error) => error instanceof Refusal && /9007199254740993 has more digits/.test(error.reason));
  }
  const outcome = await runtime.fire("tool.pre", { id: "1", name: "shell", args: {} });
  assert.throws(() => outcome.payload, /more digits/);
  // Asked again about the arguments that the file left, a function fails instead of hearing another number.
  const heard: unknown[] = [];
  const hears = on("tool.pre", (call) => void heard.push(call.args));
  await assert.rejects(new Runtime({ paths, hooks: [hears] }).decideToolCall(call()), Refusal);
  assert.deepEqual(heard, [{ command: "ls" }]);
  const shorter = [writeHook(guardOf("tool.pre", "return modify({'args': {'n': 9007199254740994, 'm': -1200000000000000000000}})"))];
  const { args } = await new Runtime({ paths: shorter }).decideToolCall(call());
  assert.deepEqual(args, { n: 9007199254740994, m: -1.2e21 });
});

test("what JSON does not have is an error with its place", () => {
  const self: Record<string, unknown> = {};
  self.self = self;
  class Point {
    x = 1;
  }
  const faults: [unknown, RegExp][] = [
    [{ a: [1, { b: Number.NaN }] }, /^args\.a\[1\]\.b: NaN and infinity/],
    [{ "a b": Infinity }, /^args\["a b"\]: NaN/],
    [{ a: 1n }, /^args\.a: JSON has no values of type bigint/],
    [{ a: [undefined] }, /^args\.a\[0\]: JSON has no values of type undefined/],
    [{ a: Array(1) }, /^args\.a\[0\]: JSON has no values of type undefined/],
    [{ a: Symbol("a") }, /type symbol/],
    [{ a: () => 1 }, /type function/],
    [{ a: new Date(0) }, /type Date/],
    [{ a: new Point() }, /type Point/],
    [{ a: new Map() }, /type Map/],
    [{ a: new String("a") }, /type String/],
    [{ toJSON: () => ({}) }, /^args: JSON has no values of type Object/],
    [{ a: "\ud800" }, /^args\.a: the string has half of a surrogate pair/],
    [{ "\ud800": 1 }, /a key has half of a surrogate pair/],
    [self, /^args: it is nested more than 100 levels deep/],
    [undefined, /^args: JSON has no values of type undefined/],
  ];
  for (const [value, message] of faults) {
    assert.throws(() => new ToolCall("1", "x", value as never), (error) => {
      assert(error instanceof TypeError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.throws(() => new ToolCall(3 as never, "x", {}), TypeError);
  assert.throws(() => call().result(3 as never), TypeError);
});

test("a program ends though its runtime has hooks, and does not end while one waits", () => {
  const code = `
    import { Runtime, ToolCall, on, deny } from ${JSON.stringify(INDEX)};
    const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
    const runtime = new Runtime({ hooks: [on("tool.pre", async () => { await wait(); return deny("at the end"); })] });
    runtime.decideToolCall(new ToolCall("1", "shell", {})).catch((refusal) => console.log(refusal.reason));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([stdout, stderr, status], ["at the end\n", "", 0]);
});

test("a runtime with functions is freed when it is no longer used", () => {
  const code = `
    import { Runtime, ToolCall, on } from ${JSON.stringify(INDEX)};
    let freed = 0;
    const registry = new FinalizationRegistry(() => (freed += 1));
    for (let made = 0; made < 10; made += 1) {
      const runtime = new Runtime({ hooks: [on("tool.pre", () => undefined)] });
      await runtime.decideToolCall(new ToolCall("1", "shell", {}));
      registry.register(runtime);
    }
    for (let turn = 0; turn < 500 && freed < 5; turn += 1) {
      gc();
      await new Promise(setImmediate);
    }
    console.log(freed >= 5);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", code], { encoding: "utf8", timeout: 60_000 });
  assert.deepEqual([stdout, stderr], ["true\n", ""]);
});

test("threads have runtimes of their own, and end in the middle of a call", async () => {
  const code = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(INDEX)}).then(async ({ Runtime, ToolCall, on, deny }) => {
      const runtime = new Runtime({ hooks: [on("tool.pre", async () => { await 0; return deny("from a thread"); })] });
      await runtime.decideToolCall(new ToolCall("1", "shell", {})).catch(({ reason }) => parentPort.postMessage(reason));
      const endless = new Runtime({ hooks: [on("tool.pre", () => new Promise(() => undefined), { mayWait: true })] });
      endless.decideToolCall(new ToolCall("1", "shell", {}));
      parentPort.postMessage("waits");
    });`;
  const threads = Array.from({ length: 3 }, () => {
    const worker = new Worker(code, { eval: true });
    const said: string[] = [];
    return new Promise<string[]>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("message", (text: string) => {
        said.push(text);
        if (text === "waits") {
          void worker.terminate().then(() => resolve(said));
        }
      });
    });
  });
  assert.deepEqual(await Promise.all(threads), Array(3).fill(["from a thread", "waits"]));
});
