import { homedir } from "node:os";
import { fileURLToPath } from "node:url";

// The tools of Pi with a path, as which Pi takes several texts.
const FILE_TOOLS = ["read", "write", "edit", "ls", "find", "grep"];

// The path that Pi means by a text. Pi means the same by the path, so that it is the one that hooks judge.
function meantPath(text) {
  const withSpaces = (path) => path.replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, " ");
  const path = withSpaces(text).replace(/^@/, "");
  if (path === "~" || path.startsWith("~/")) return homedir() + path.slice(1);
  if (path.startsWith("file://")) return withSpaces(fileURLToPath(path));
  return path.startsWith("@") ? `./${path}` : path;
}

export default function (pi) {
  // What the model gets with the next prompt, and with the result of a call.
  let kept = [];
  const contexts = new Map();
  // Whether a hook made the agent continue, and its last text.
  let continued = false;
  let answerText = "";
  // Events follow each other, since each can depend on what was recorded of the one before.
  let last = Promise.resolve();

  const tell = (ctx, message) => {
    try {
      if (ctx.hasUI) ctx.ui.notify(message, "warning");
      else console.error(message);
    } catch {
      // Pi would take an error as no answer.
    }
  };

  const ask = async (name, event, ctx, decisions) => {
    const hook = HOOKS.get(name);
    if (hook === undefined) return {};
    const makePayload = () => ({
      hook: name,
      event,
      sessionID: ctx.sessionManager.getSessionId(),
      transcript: ctx.sessionManager.getSessionFile(),
      directory: ctx.cwd,
      model: ctx.model?.id,
    });
    last = last.then(() => askPintle(name, hook, makePayload, ctx.cwd, decisions));
    const answer = await last;
    if (answer.notice) tell(ctx, answer.notice);
    return answer;
  };

  const end = (ctx) => {
    try {
      ctx.abort();
    } catch {
      // Every further call is denied too.
    }
  };

  const reasonOf = (answer) => answer.reason || "denied by a hook";

  // Pi has nobody to ask when it runs without a screen.
  const isApproved = async (event, answer, ctx) => {
    const call = `${event.toolName} ${JSON.stringify(answer.args ?? event.input)}`;
    return ctx.hasUI === true && (await ctx.ui.confirm("Pintle", `${reasonOf(answer)}\n\n${call}`)) === true;
  };

  const textOf = (message) =>
    (Array.isArray(message?.content) ? message.content : []).map((part) => (part.type === "text" ? part.text : "")).join("");

  pi.on("session_start", async (event, ctx) => {
    const answer = await ask("session_start", { reason: event.reason }, ctx);
    kept = answer.context ? [answer.context] : [];
  });

  pi.on("input", async (event, ctx) => {
    continued = false;
    const answer = await ask("input", { text: event.text, source: event.source }, ctx);
    if (answer.decision === "deny") {
      tell(ctx, reasonOf(answer));
      return { action: "handled" };
    }
    if (answer.context) kept.push(answer.context);
    if (answer.prompt !== undefined) return { action: "transform", text: answer.prompt, images: event.images };
  });

  pi.on("before_agent_start", async () => {
    if (kept.length === 0) return;
    const content = kept.join("\n\n");
    kept = [];
    return { message: { customType: "pintle", content, display: false } };
  });

  pi.on("tool_call", async (event, ctx) => {
    const { toolName, toolCallId, input, parentToolCallId } = event;
    const hasPath = (args) => FILE_TOOLS.includes(toolName) && typeof args?.path === "string";
    if (hasPath(input)) input.path = meantPath(input.path);
    const sent = { toolName, toolCallId, input, parentToolCallId };
    const answer = await ask("tool_call", sent, ctx, ["allow", "deny", "ask"]);
    const isRefused = answer.decision === "deny" || (answer.decision === "ask" && !(await isApproved(event, answer, ctx)));
    if (isRefused) return { block: true, reason: reasonOf(answer), terminate: answer.stop !== undefined };
    if (hasPath(answer.args) && meantPath(answer.args.path) !== answer.args.path) {
      return { block: true, reason: `a hook changed the path to \`${answer.args.path}\`, as which Pi takes another one` };
    }
    if (answer.context) contexts.set(toolCallId, answer.context);
    if (answer.args) replaceFields(event.input, answer.args);
  });

  pi.on("tool_result", async (event, ctx) => {
    const { toolName, toolCallId, input, parentToolCallId, content, isError } = event;
    const sent = { toolName, toolCallId, input, parentToolCallId, content, isError };
    const answer = await ask("tool_result", sent, ctx);
    const context = [contexts.get(toolCallId), answer.context].filter((text) => text !== undefined);
    contexts.delete(toolCallId);
    if (answer.stop !== undefined) end(ctx);
    const text = answer.decision === "deny" ? reasonOf(answer) : answer.output;
    const added = context.map((text) => ({ type: "text", text }));
    const { structuredContent } = event;
    if (text === undefined) return added.length === 0 ? undefined : { content: [...content, ...added], structuredContent };
    // The details can contain the result too.
    return { content: [{ type: "text", text }, ...added], details: withoutTexts(event.details), structuredContent: undefined };
  });

  pi.on("agent_end", async (event) => {
    answerText = textOf(event.messages?.findLast((message) => message.role === "assistant"));
  });

  pi.on("agent_before_settle", async (event, ctx) => {
    const answer = await ask("agent_before_settle", { answer: answerText, continued }, ctx);
    if (answer.decision !== "deny" || answer.stop !== undefined) return;
    continued = true;
    const entry = { type: "custom_message", customType: "pintle", content: reasonOf(answer), display: true };
    return { entries: [...event.entries, entry], continue: true };
  });

  pi.on("session_before_compact", async (event, ctx) => {
    const { reason, customInstructions } = event;
    const answer = await ask("session_before_compact", { reason, customInstructions }, ctx);
    if (answer.decision !== "deny") return;
    tell(ctx, reasonOf(answer));
    return { cancel: true };
  });

  pi.on("session_compact", async (event, ctx) => {
    const answer = await ask("session_compact", { reason: event.reason, summary: event.compactionEntry?.summary }, ctx);
    if (answer.context) kept.push(answer.context);
  });

  pi.on("session_shutdown", async (event, ctx) => {
    await ask("session_shutdown", { reason: event.reason }, ctx);
  });
}
