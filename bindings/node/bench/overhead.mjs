// What a call costs in JavaScript beyond what it costs in Rust, in one run.
//
//     npm run build -- ../../target/debug/pintle --release --features bench && node bench/overhead.mjs
//
// Rust's own time is that of the same calls in a loop in Rust, without JavaScript's objects.

import { Runtime, ToolCall, on } from "pintle";
import { native } from "../dist/lib/native.js";

const CALLS = 200;
const ROUNDS = 400;
const BAR_US = 3;
const ARGS = { command: "cargo test --workspace", timeout_ms: 120_000, description: "run the tests", background: false };

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

/** The microseconds of a call: the median of many short rounds, which take turns, so that what else the machine does is in each. */
async function measure(runtime, kinds) {
  const times = kinds.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [kind, measureRound] of kinds.entries()) {
      times[kind].push(((await measureRound(runtime)) / CALLS) * 1e6);
    }
  }
  const more = times.slice(1).map((own) => median(own.map((time, round) => time - times[0][round])));
  return { times: times.map((own) => median([...own])), more };
}

const json = JSON.stringify(ARGS);
const inRust = (runtime) => native.timeDecisions(runtime.native, "shell", json, CALLS);

function blocking(runtime) {
  const begin = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) {
    runtime.decideToolCallSync(new ToolCall("call_1", "shell", ARGS)).args;
  }
  return Number(process.hrtime.bigint() - begin) / 1e9;
}

async function waiting(runtime) {
  const begin = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) {
    (await runtime.decideToolCall(new ToolCall("call_1", "shell", ARGS))).args;
  }
  return Number(process.hrtime.bigint() - begin) / 1e9;
}

let most = 0;
for (const [name, options] of [["no hooks", {}], ["packs shell and git", { packs: ["shell", "git"] }]]) {
  const { times, more } = await measure(new Runtime(options), [inRust, blocking, waiting]);
  most = Math.max(most, ...more);
  const [rust, sync, async] = times.map((time) => time.toFixed(2));
  console.log(`${name}: Rust ${rust} us; ${sync} us, ${more[0].toFixed(2)} us more; as a promise ${async} us, ${more[1].toFixed(2)} us more`);
}
const { times } = await measure(new Runtime({ hooks: [on("tool.pre", () => undefined)] }), [blocking, waiting]);
console.log(`a hook that is a function: ${times[0].toFixed(2)} us; as a promise ${times[1].toFixed(2)} us`);
console.log(JSON.stringify({ most_us: Number(most.toFixed(2)), bar_us: BAR_US }));
process.exit(most <= BAR_US ? 0 : 1);
