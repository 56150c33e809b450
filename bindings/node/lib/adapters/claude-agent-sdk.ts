/**
 * Hooks around the tools of an agent of the Claude Agent SDK.
 *
 * ```ts
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 * import { Runtime } from "pintle";
 * import { hooksOf } from "pintle/adapters/claude-agent-sdk";
 *
 * const runtime = new Runtime({ packs: ["shell", "git"] });
 * for await (const message of query({ prompt: "tidy up", options: { hooks: hooksOf(runtime) } })) {
 *   console.log(message);
 * }
 * ```
 *
 * They are asked about each call of each tool, also those of subagents and MCP servers, before Claude Code's own permissions, and
 * are shown the result. An error of theirs blocks the call. `pintle install claude` puts hooks of files around every session instead.
 */

import type {
  HookCallbackMatcher,
  HookInput,
  HookJSONOutput,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreToolUseHookInput,
} from "@anthropic-ai/claude-agent-sdk";

import { Refusal } from "../errors.js";
import { AgentLife, ToolCall } from "../runtime.js";
import { type Decider, checkName, jsonText, valueLike } from "./calls.js";

/** Claude Code ends a hook that takes longer. Hooks of Pintle have limits of their own, and a person may take their time. */
const LONGEST_SECONDS = 24 * 60 * 60;

type ToolHookInput = PreToolUseHookInput | PostToolUseHookInput | PostToolUseFailureHookInput;
type Answer = (input: never, signal: AbortSignal) => Promise<HookJSONOutput>;

/** The `hooks` of the options of a query. Those of an `AgentLife` belong to its session instead of Claude Code's. */
export function hooksOf(decider: Decider): Record<ToolHookInput["hook_event_name"], HookCallbackMatcher[]> {
  /** The calls that run, by ID, as hooks left them. */
  const running = new Map<string, ToolCall>();
  const lifeOf = (input: HookInput): AgentLife =>
    decider instanceof AgentLife
      ? decider
      : decider.life({ session: input.session_id, agent: input.agent_type ?? "", cwd: input.cwd });
  const takeCall = (input: ToolHookInput): ToolCall => {
    const call = running.get(input.tool_use_id) ?? callOf(input);
    running.delete(input.tool_use_id);
    return call;
  };
  const matchers = (answer: Answer): HookCallbackMatcher[] => [
    {
      hooks: [(input, _id, { signal }) => answer(input as never, signal)],
      timeout: LONGEST_SECONDS,
      onFailure: "block",
    },
  ];
  return {
    PreToolUse: matchers(async (input: PreToolUseHookInput, signal) => {
      const hookEventName = input.hook_event_name;
      const call = callOf(input);
      let decided: ToolCall;
      try {
        decided = await lifeOf(input).decideToolCall(call, { signal });
        checkName(call, decided);
      } catch (error) {
        if (!(error instanceof Refusal)) {
          throw error;
        }
        const { reason, stopsRun } = error;
        return {
          ...(stopsRun ? { continue: false, stopReason: reason } : {}),
          hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: reason },
        };
      }
      running.set(input.tool_use_id, decided);
      const isChanged = decided.native.args !== call.native.args;
      return isChanged ? { hookSpecificOutput: { hookEventName, updatedInput: decided.args } } : {};
    }),
    PostToolUse: matchers(async (input: PostToolUseHookInput, signal) => {
      const call = takeCall(input);
      const text = jsonText(input.tool_response);
      const reviewed = await lifeOf(input).concludeToolCall(call, call.result(text), { signal });
      if (reviewed.content === text) {
        return {};
      }
      const updatedToolOutput = shapeLike(input.tool_response, reviewed.content);
      return { hookSpecificOutput: { hookEventName: input.hook_event_name, updatedToolOutput } };
    }),
    PostToolUseFailure: matchers(async (input: PostToolUseFailureHookInput, signal) => {
      const call = takeCall(input);
      // Claude Code does not let hooks change the text of an error.
      await lifeOf(input).concludeToolCall(call, call.error(input.error), { signal });
      return {};
    }),
  };
}

function callOf(input: ToolHookInput): ToolCall {
  const mode = input.permission_mode === undefined ? {} : { permissionMode: input.permission_mode };
  const options = { vocabulary: "claude", cwd: input.cwd, ...mode };
  return new ToolCall(input.tool_use_id, input.tool_name, input.tool_input as Record<string, unknown>, options);
}

/**
 * A text in the structure of the original: Claude Code ignores what has another one.
 *
 * If hooks changed only texts within the structure it is read again. Otherwise the text takes the place of the first one, and every
 * other text is removed.
 */
function shapeLike(original: unknown, text: string): unknown {
  const changed = valueLike(original, text);
  if (typeof original === "string" || typeof changed !== "string") {
    return changed;
  }
  let left: string | undefined = text;
  const replace = (value: unknown): unknown => {
    if (typeof value === "string") {
      const replaced = left ?? "";
      left = undefined;
      return replaced;
    }
    if (Array.isArray(value)) {
      return value.map(replace);
    }
    if (typeof value === "object" && value !== null) {
      const marks = ["type", "filePath", "mimeType"];
      return Object.fromEntries(
        Object.entries(value).map(([key, field]) => [key, marks.includes(key) ? field : replace(field)]),
      );
    }
    return value;
  };
  const shaped = replace(original);
  return left === undefined ? shaped : text;
}
