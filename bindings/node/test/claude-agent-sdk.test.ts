import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { type SpawnedProcess, query } from "@anthropic-ai/claude-agent-sdk";

import { hooksOf } from "../lib/adapters/claude-agent-sdk.js";
import { Runtime, deny, on } from "../lib/index.js";
import { ran, scenario, shell } from "./scenario.js";

type Fields = Record<string, any>;

/** A program in the place of Claude Code, which speaks its protocol: it calls the tool `Bash` once, as hooks let it, and ends. */
class ScriptedClaude extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  killed = false;
  exitCode: number | null = null;
  result = "";
  #hooks: Record<string, { hookCallbackIds: string[]; onFailure?: string }[]> = {};
  readonly #replies = new Map<string, (reply: Fields) => void>();

  constructor(
    private readonly args: Fields,
    private readonly isStructured: boolean,
  ) {
    super();
    createInterface({ input: this.stdin }).on("line", (line) => this.#take(JSON.parse(line) as Fields));
  }

  kill(): boolean {
    this.killed = true;
    this.#end();
    return true;
  }

  #end(): void {
    if (this.exitCode === null) {
      this.exitCode = 0;
      this.stdout.end();
      this.emit("exit", 0, null);
    }
  }

  #send(message: Fields): void {
    this.stdout.write(`${JSON.stringify(message)}\n`);
  }

  #take(message: Fields): void {
    if (message.type === "control_request") {
      this.#hooks = message.request.hooks ?? this.#hooks;
      const response = { hook_on_failure_supported: true, hooks_applied: true, commands: [], models: [] };
      this.#send({ type: "control_response", response: { subtype: "success", request_id: message.request_id, response } });
    } else if (message.type === "control_response") {
      this.#replies.get(message.response.request_id)?.(message.response);
    } else if (message.type === "user") {
      void this.#turn();
    }
  }

  /** What the hooks of an event say. As in Claude Code, an error blocks only if the matcher says so. */
  async #ask(event: string, fields: Fields): Promise<Fields> {
    const input = { session_id: "s1", cwd: "/tmp", transcript_path: "", hook_event_name: event, ...fields };
    for (const { hookCallbackIds, onFailure } of this.#hooks[event] ?? []) {
      for (const callback_id of hookCallbackIds) {
        const request_id = `hook_${event}`;
        const replied = new Promise<Fields>((resolve) => this.#replies.set(request_id, resolve));
        this.#send({ type: "control_request", request_id, request: { subtype: "hook_callback", callback_id, input, tool_use_id: "1" } });
        const reply = await replied;
        if (reply.subtype === "error") {
          return onFailure === "block" ? { permissionDecision: "deny", permissionDecisionReason: reply.error } : {};
        }
        return reply.response.hookSpecificOutput ?? {};
      }
    }
    return {};
  }

  async #turn(): Promise<void> {
    const call = { tool_name: "Bash", tool_input: this.args, tool_use_id: "1" };
    const said = await this.#ask("PreToolUse", call);
    if (said.permissionDecision === "deny") {
      this.result = said.permissionDecisionReason;
    } else {
      const tool_input = said.updatedInput ?? this.args;
      const text = shell(tool_input);
      const tool_response = this.isStructured ? { type: "text", stdout: text, stderr: "", interrupted: false } : text;
      const reviewed = await this.#ask("PostToolUse", { ...call, tool_input, tool_response });
      const result = reviewed.updatedToolOutput ?? tool_response;
      assert.equal(typeof result, typeof tool_response);
      this.result = this.isStructured ? JSON.stringify(result) : result;
    }
    const end = { duration_ms: 1, duration_api_ms: 1, is_error: false, num_turns: 1, total_cost_usd: 0, usage: {} };
    this.#send({ type: "result", subtype: "success", session_id: "s1", uuid: "1", result: "done", ...end });
    this.#end();
  }
}

async function play(runtime: Runtime, args: Fields, isStructured: boolean): Promise<string> {
  const claude = new ScriptedClaude(args, isStructured);
  const spawnClaudeCodeProcess = () => claude as unknown as SpawnedProcess;
  async function* prompt() {
    yield { type: "user" as const, message: { role: "user" as const, content: "go" }, parent_tool_use_id: null, session_id: "" };
  }
  const options = { hooks: hooksOf(runtime), spawnClaudeCodeProcess, pathToClaudeCodeExecutable: "claude" };
  for await (const message of query({ prompt: prompt(), options })) {
    assert(message);
  }
  return claude.result;
}

scenario("Claude Agent SDK", (runtime, args) => play(runtime, args, false));
scenario("Claude Agent SDK, with results that have a structure", (runtime, args) => play(runtime, args, true));

test("a withheld result keeps its structure", async () => {
  const withheld = on("tool.post", () => deny("it is private"));
  const result = JSON.parse(await play(new Runtime({ hooks: [withheld] }), { command: "ls" }, true));
  assert.match(result.stdout, /it is private/);
  assert.equal(result.interrupted, false);
});

test("an input that is not JSON blocks", async () => {
  ran.length = 0;
  assert.match(await play(new Runtime(), { command: "\ud800" }, false), /surrogate/);
  assert.deepEqual(ran, []);
});
