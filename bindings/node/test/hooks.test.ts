/** Hooks that are functions, and what happens if they misbehave. */

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { describe, test } from "node:test";

import {
  type ApprovalRequest,
  type HookFunction,
  type HookOptions,
  Hook,
  LoadError,
  Refusal,
  Runtime,
  Tape,
  ToolCall,
  allow,
  approved,
  args,
  ask,
  deferred,
  deny,
  on,
  refused,
  rewrite,
  unavailable,
} from "../lib/index.js";

const call = (command = "ls"): ToolCall => new ToolCall("1", "shell", { command });
const runtimeOf = (hook: HookFunction, options?: HookOptions): Runtime => new Runtime({ hooks: [on("tool.pre", hook, options)] });

/** The refusal of a call, which is the same for both forms of a call if the hook can be asked by both. */
async function refusalOf(runtime: Runtime, isSync = true): Promise<Refusal> {
  const refusals: Refusal[] = [];
  for (const decide of [() => runtime.decideToolCall(call()), ...(isSync ? [async () => runtime.decideToolCallSync(call())] : [])]) {
    await assert.rejects(decide, (error) => error instanceof Refusal && refusals.push(error) > 0);
  }
  assert.equal(new Set(refusals.map(({ reason }) => reason)).size, 1);
  return refusals[0] as Refusal;
}

test("a hook answers with a verdict, and hears the call in the words of its names", async () => {
  const seen: unknown[] = [];
  const guard: HookFunction = (call) => {
    seen.push([call.event, call.tool, call.args, call.kind, call.session, call.agent, call.turn, call.timeLeftMs]);
    return call.args.command.startsWith("rm") ? deny("nothing is deleted") : undefined;
  };
  const life = runtimeOf(guard, { name: "no_rm", tools: ["Bash"] }).life({ session: "s1", agent: "root", turn: 3 });
  assert.deepEqual((await life.decideToolCall(call())).args, { command: "ls" });
  await assert.rejects(life.decideToolCall(call("rm -rf .")), (error) => {
    assert(error instanceof Refusal);
    assert.deepEqual([error.event, error.reason, error.hooks], ["tool.pre", "nothing is deleted", ["no_rm"]]);
    return !error.stopsRun && error.message.includes("nothing is deleted");
  });
  assert.deepEqual(seen[0], ["tool.pre", "Bash", { command: "ls" }, "shell", "s1", "root", 3, null]);
});

test("texts of a verdict reach the model and the user", async () => {
  const polite = on("prompt.submit", (call) => rewrite({ prompt: `${call.payload.prompt}, please` }).context("be brief").notice("edited"));
  const life = new Runtime({ hooks: [polite] }).life();
  assert.equal(await life.submitPrompt("tidy up"), "tidy up, please");
  assert.deepEqual([life.takeContext(), life.takeContext()], [["be brief"], []]);
});

test("an allow lifts no deny, and asking needs a person", async () => {
  const hooks = [on("tool.pre", () => allow("fine")), on("tool.pre", () => ask("is this meant?"), { name: "asking" })];
  assert.match((await refusalOf(new Runtime({ hooks }))).reason, /is this meant\?/);
  const requests: ApprovalRequest[] = [];
  const approver = (request: ApprovalRequest) => {
    requests.push(request);
    return approved("ada");
  };
  const runtime = new Runtime({ hooks, approver });
  await runtime.decideToolCall(call());
  runtime.decideToolCallSync(call());
  assert.equal(requests.length, 2);
  const { event, subject, payload, reasons } = requests[0] as ApprovalRequest;
  assert.deepEqual([event, subject, payload.args, reasons], ["tool.pre", "shell", { command: "ls" }, [["asking", "is this meant?"]]]);
  for (const answer of [refused("ada"), unavailable(), deferred()]) {
    await refusalOf(new Runtime({ hooks, approver: () => answer }));
    await refusalOf(new Runtime({ hooks, approver: async () => answer }), false);
  }
});

describe("what is not a verdict is a failure", () => {
  class Verdict {
    toText(): string {
      return '[["allow",""]]';
    }
  }
  const answers = [true, false, "allow", "", 0, {}, [], { decision: "allow" }, approved("me"), new Verdict(), () => undefined];
  for (const answer of answers) {
    test(`${typeof answer} ${String(answer)}`, async () => {
      await refusalOf(runtimeOf(() => answer as never));
      await refusalOf(runtimeOf(async () => answer as never), false);
      const lenient = runtimeOf(() => answer as never, { onFailure: "allow" });
      const outcome = await lenient.fire("tool.pre", { id: "1", name: "shell", args: { command: "ls" } });
      assert(outcome.isAllowed);
      assert.match(outcome.warnings[0] ?? "", /returned a value of type/);
    });
  }
});

test("what is not a response does not approve", async () => {
  const hooks = [on("tool.pre", () => ask("?"))];
  for (const answer of [true, "yes", undefined, allow("yes"), { approved: true }]) {
    await refusalOf(new Runtime({ hooks, approver: () => answer as never }));
    await refusalOf(new Runtime({ hooks, approver: async () => answer as never }), false);
  }
  const approver = (): never => {
    throw new Error("the terminal is gone");
  };
  await refusalOf(new Runtime({ hooks, approver }));
});

describe("what a hook throws is a failure and follows the policy", () => {
  const crash = (): never => {
    throw new RangeError("no such file");
  };
  const reject = async (): Promise<never> => crash();
  for (const hook of [crash, reject, (): never => { throw null; }, (): never => { throw Object.create(null); }]) {
    test(String(hook), async () => {
      const isSync = hook !== reject;
      await refusalOf(runtimeOf(hook), isSync);
      await refusalOf(runtimeOf(hook, { onFailure: "deny" }), isSync);
      assert.equal((await runtimeOf(hook, { onFailure: "allow" }).decideToolCall(call())).name, "shell");
    });
  }
  test("an event that cannot be vetoed goes on, with a warning", async () => {
    const outcome = await new Runtime({ hooks: [on("session.idle", crash)] }).fire("session.idle", {});
    assert(outcome.isAllowed);
    assert.match(outcome.warnings[0] ?? "", /RangeError: no such file/);
  });
});

test("a verdict that cannot be made is a failure", async () => {
  const payloads = [{ args: { a: Number.NaN } }, { args: { a: 1n } }, { args: { a: () => 1 } }, { args: { a: new Map() } }];
  for (const payload of payloads) {
    await refusalOf(runtimeOf(() => rewrite(payload)));
  }
  await refusalOf(runtimeOf(() => deny(undefined as never)));
  // What an event does not let hooks replace stays.
  assert.equal((await runtimeOf(() => rewrite({ id: "2" })).decideToolCall(call())).id, "1");
});

test("a promise is waited for, and the program goes on meanwhile", async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const runtime = runtimeOf(async () => {
    while (ticks < 5) {
      await wait(1);
    }
    return args({ command: "pwd" });
  });
  const decided = await Promise.all([runtime.decideToolCall(call()), runtime.decideToolCall(call())]);
  clearInterval(timer);
  assert.deepEqual(decided.map((call) => call.args.command), ["pwd", "pwd"]);
});

test("a promise of a function that is not declared as async says what to do", async () => {
  const promise: HookFunction = () => Promise.resolve(deny("no"));
  const payload = { id: "1", name: "shell", args: { command: "ls" } };
  const outcome = await runtimeOf(promise, { onFailure: "allow" }).fire("tool.pre", payload);
  assert.match(outcome.warnings[0] ?? "", /declare the function as `async`/);
  await refusalOf(runtimeOf(promise));
  assert.equal((await refusalOf(runtimeOf(promise, { mayWait: true }), false)).reason, "no");
});

test("a runtime with functions that wait has no calls that block", () => {
  const runtime = runtimeOf(async () => undefined);
  assert.throws(() => runtime.decideToolCallSync(call()), /use the method without `Sync`/);
  const later = new Runtime();
  later.decideToolCallSync(call());
  later.register(on("tool.pre", async () => undefined));
  assert.throws(() => later.decideToolCallSync(call()), /use the method without `Sync`/);
});

test("a hook that takes too long has failed", async () => {
  const late = runtimeOf(async () => wait(60_000, allow("late"), { ref: false }), { timeoutMs: 20, name: "slow" });
  const timer = setInterval(() => undefined, 1_000);
  assert.deepEqual((await refusalOf(late, false)).hooks, ["slow"]);
  clearInterval(timer);
  const busy = runtimeOf(
    (call) => {
      while (call.timeLeftMs !== 0) {
        // The time is not over yet.
      }
      return allow("late");
    },
    { timeoutMs: 1, name: "busy" },
  );
  assert.deepEqual((await refusalOf(busy)).hooks, ["busy"]);
});

test("changing the payload changes nothing", async () => {
  const careless: HookFunction = (call) => {
    call.args.command = "rm -rf /";
    delete call.payload.name;
  };
  const decided = await runtimeOf(careless).decideToolCall(call());
  assert.deepEqual(decided.args, { command: "ls" });
  decided.args.command = "rm";
  assert.deepEqual(decided.args, { command: "ls" });
});

test("events that a hook fires are caused by it, also after it has waited, and end after eight more levels", async () => {
  for (const isAsync of [false, true]) {
    let depth = 0;
    const runtime: Runtime = new Runtime();
    const fire = (): unknown => {
      depth += 1;
      return isAsync ? wait(1).then(() => runtime.fire("custom.again", {})) : runtime.fireSync("custom.again", {});
    };
    const hook: HookFunction = isAsync ? async () => void (await fire()) : () => void fire();
    runtime.register(on("custom.again", hook));
    await runtime.fire("custom.again", {});
    assert.equal(depth, 9, isAsync ? "async" : "sync");
  }
});

test("a hook that makes runtimes with itself fails", async () => {
  const endless: HookFunction = () => {
    new Runtime({ hooks: [on("tool.pre", endless)] }).decideToolCallSync(call());
  };
  await refusalOf(runtimeOf(endless));
});

test("a shadow hook enforces nothing, and hooks come and go", async () => {
  await runtimeOf(() => deny("no"), { shadow: true }).decideToolCall(call());
  await new Runtime({ hooks: [on("tool.pre", () => deny("no"))], shadow: true }).decideToolCall(call());
  const runtime = new Runtime();
  const registration = runtime.register(on("tool.pre", () => deny("closed")));
  assert.equal((await refusalOf(runtime)).reason, "closed");
  assert.deepEqual([registration.isActive, registration.remove(), registration.isActive, registration.remove()], [true, true, false, false]);
  await runtime.decideToolCall(call());
});

test("what cannot be a hook is an error", () => {
  assert.throws(() => on("tool.pre", "deny" as never), /a hook is a function, and this is of type string/);
  assert.throws(() => on("tool.pre", () => undefined, { onFail: "deny" } as never), /no option `onFail`/);
  assert.throws(() => runtimeOf(() => undefined, { timeoutMs: -1 }), /timeoutMs: -1 is not a whole number/);
  assert.throws(() => runtimeOf(() => undefined, { onFailure: "ask" as never }), /onFailure is "deny" or "allow", not "ask"/);
  assert.throws(() => new Runtime({ hooks: [on("tool.pree", () => undefined)] }), (error) => {
    return error instanceof LoadError && /did you mean `tool\.pre`/.test(error.message);
  });
  assert.throws(() => new Runtime().register(on("tool.pre", () => undefined, { tools: [] })), LoadError);
  assert.equal(new Hook("tool.pre", () => undefined).event, "tool.pre");
});

test("a log line is on the tape", async () => {
  const tape = Tape.inMemory("s1");
  const hooks = [on("tool.pre", (call) => call.log("seen here"))];
  await new Runtime({ hooks, tape }).decideToolCall(call());
  assert.match(Buffer.from(tape.toBytes()).toString(), /seen here/);
});

test("an aborted call cancels its hooks", async () => {
  const controller = new AbortController();
  let isCancelled = false;
  const ended = newResolvers();
  const runtime = runtimeOf(async (call) => {
    controller.abort(new Error("the user left"));
    while (!call.isCancelled) {
      await wait(1);
    }
    isCancelled = true;
    ended.resolve();
  });
  await assert.rejects(runtime.decideToolCall(call(), { signal: controller.signal }), /the user left/);
  await ended.promise;
  assert(isCancelled);
  await assert.rejects(runtime.decideToolCall(call(), { signal: controller.signal }), /the user left/);
});

function newResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test("more hooks than threads wait at once", async () => {
  let waiting = 0;
  const runtime = runtimeOf(async () => {
    waiting += 1;
    await wait(5);
  });
  const decided = await Promise.all(Array.from({ length: 100 }, () => runtime.decideToolCall(call())));
  assert.deepEqual([decided.length, waiting], [100, 100]);
});
