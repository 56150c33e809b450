// Plays the cases of a directory through the npm package: play.mjs DIR [sync]. Writes `node.jsonl`, or `node-sync.jsonl`, and tapes.

import { createWriteStream, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, form = ""] = process.argv.slice(2);
const library = path.resolve("bindings/node/dist/lib/index.js");
const { EventError, Refusal, Runtime, Tape, ToolCall, refused } = await import(pathToFileURL(library));
const door = form === "sync" ? "node-sync" : "node";
const suffix = form === "sync" ? "Sync" : "";

async function fire(life, { event, payload }) {
  const outcome = await life[`fire${suffix}`](event, payload);
  const { decision, reason, context, notices, warnings } = outcome;
  const renamed = { reason_for_model: outcome.reasonForModel, stop_reason: outcome.stopReason, hooks_called: outcome.hooksCalled };
  return { decision, payload: outcome.payload, reason, context, notices, warnings, ...renamed };
}

async function call(life, { id, name, args, content, is_error: isError }) {
  let decided;
  try {
    decided = await life[`decideToolCall${suffix}`](new ToolCall(`c${id}`, name, args));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { event, reason, hooks, stopsRun } = error;
    return { event, reason, hooks, stops_run: stopsRun };
  }
  const output = isError ? decided.error(content) : decided.result(content);
  const reviewed = await life[`concludeToolCall${suffix}`](decided, output);
  return { name: decided.name, args: decided.args, content: reviewed.content, is_error: reviewed.isError };
}

const lives = new Map();
const tapes = [];
const results = createWriteStream(path.join(folder, `${door}.jsonl`));
for (const line of readFileSync(path.join(folder, "cases.jsonl"), "utf8").trimEnd().split("\n")) {
  const entry = JSON.parse(line);
  if (!lives.has(entry.set)) {
    const project = path.join(folder, "sets", entry.set);
    const tape = Tape.create(path.join(folder, "tapes", door, `${entry.set}.jsonl`), entry.set);
    tapes.push(tape);
    const runtime = new Runtime({ paths: [project], workspace: project, tape, approver: () => refused("ada") });
    lives.set(entry.set, runtime.life({ session: entry.set, agent: "root", turn: 1, cwd: project }));
    await lives.get(entry.set).fire("session.start", { source: "startup", cwd: project });
  }
  let result;
  try {
    result = await (entry.op === "fire" ? fire : call)(lives.get(entry.set), entry);
  } catch (error) {
    if (!(error instanceof EventError)) throw error;
    result = { error: "event" };
  }
  results.write(`${JSON.stringify(result)}\n`);
}
tapes.forEach((tape) => tape.close());
results.end();
