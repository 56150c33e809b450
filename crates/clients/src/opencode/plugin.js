// Pintle's hooks for OpenCode. `pintle install opencode` writes this file, and `pintle uninstall opencode` removes it.
import { spawn } from "node:child_process";

// Each event with its command, and whether it waits for Pintle's permission.
const HOOKS = new Map(Object.entries({
//HOOKS
}));

// A longer answer is not read.
const MOST_BYTES = 64 * 1024 * 1024;

// Runs a command with a payload on its standard input, and returns its standard output.
function run(hook, payload, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", hook.command], { cwd: directory, detached: true });
    const chunks = [];
    let size = 0;
    const fail = (why) => {
      clearTimeout(timer);
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has already ended.
      }
      reject(new Error(why));
    };
    const timer = setTimeout(() => fail(`no answer within ${hook.timeoutMs} ms`), hook.timeoutMs);
    child.on("error", (error) => fail(error.message));
    child.stdout.on("data", (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_BYTES) fail("the answer is too long");
    });
    child.stderr.resume();
    // A command may answer without reading its input.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(payload));
    child.on("close", (status) => {
      clearTimeout(timer);
      if (status === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else fail(`status ${status}`);
    });
  });
}

// The answer in a command's output. An event that waits for permission needs a decision.
function parse(text, isGuard) {
  const answer = text.trim() === "" && !isGuard ? {} : JSON.parse(text);
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isText = (value) => value === undefined || typeof value === "string";
  const isDecided = ["allow", "deny"].includes(answer?.decision) || (!isGuard && answer?.decision === undefined);
  const isArgs = (value) => value === undefined || isObject(value);
  const isValid = isObject(answer) && isDecided && isArgs(answer.args) &&
    [answer.reason, answer.output, answer.context, answer.notice].every(isText);
  if (!isValid) throw new Error("the answer is not valid");
  return answer;
}

// The result of a request to OpenCode itself, which must not delay a call for long.
function soon(request) {
  return Promise.race([request, new Promise((_, reject) => setTimeout(reject, 2000, new Error("no answer")).unref?.())]);
}

// Replaces the fields of an object, which OpenCode also has elsewhere.
function replaceFields(target, fields) {
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of Object.entries(fields)) {
    // Assigning `__proto__` would give the target fields that no hook has seen.
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

// The same structure without texts: OpenCode's screens rely on it.
function withoutTexts(value) {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutTexts(inner)]));
}

export const Pintle = async ({ client, directory }) => {
  // The parent of each subagent's session; of another session `undefined`.
  const parents = new Map();
  // The last text of the model of each session, and the context from hooks: that of the session, and that of the turn.
  const answers = new Map();
  const kept = new Map();
  const contexts = new Map();
  // The last call of each session, since calls of one session follow each other.
  const calls = new Map();

  const tell = async (message) => {
    try {
      await soon(client.app.log({ body: { service: "pintle", level: "warn", message } }));
      await soon(client.tui.showToast({ body: { title: "Pintle", message, variant: "warning" } }));
    } catch {
      // Without a screen, nobody is there to be told.
    }
  };

  const rootOf = async (session) => {
    const seen = new Set();
    for (let id = session; id !== undefined && !seen.has(id); id = parents.get(id)) {
      seen.add(id);
      if (parents.has(id)) continue;
      try {
        parents.set(id, (await soon(client.session.get({ path: { id } }))).data?.parentID);
      } catch {
        parents.set(id, undefined);
      }
    }
    return [...seen].pop();
  };

  // The names under which OpenCode joins its MCP servers with their tools. A tool that is not known asks for them again.
  let servers = [];
  const inPintlesWords = async (input) => {
    const tool = input?.tool;
    if (typeof tool !== "string" || !tool.includes("_")) return input;
    const serverOf = () => servers.filter((name) => tool.startsWith(`${name}_`)).sort((a, b) => b.length - a.length)[0];
    if (serverOf() === undefined) {
      try {
        const names = Object.keys((await soon(client.mcp.status())).data ?? {});
        servers = names.map((name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"));
      } catch {
        // An OpenCode without this question has its own tools only.
      }
    }
    const server = serverOf();
    return server === undefined ? input : { ...input, tool: `mcp__${server}__${tool.slice(server.length + 1)}` };
  };

  const answerTo = async (event, hook, session, input, output) => {
    const root = session === undefined ? undefined : await rootOf(session);
    const payload = { hook: event, input: await inPintlesWords(input), output, sessionID: session, rootID: root, directory };
    return parse(await run(hook, payload, directory), hook.guard);
  };

  // Asks Pintle about an event. If there is no valid answer, an event that waits for permission is denied.
  const ask = async (event, session, input, output) => {
    const hook = HOOKS.get(event);
    if (hook === undefined) return {};
    const before = calls.get(session) ?? Promise.resolve();
    const answering = before.then(() => answerTo(event, hook, session, input, output));
    calls.set(session, answering.catch(() => {}));
    let answer;
    try {
      answer = await answering;
    } catch (error) {
      const why = `Pintle did not answer at ${event} (${error.message}); \`pintle doctor opencode\` shows why`;
      answer = hook.guard ? { decision: "deny", reason: `denied: ${why}` } : { notice: why };
    }
    if (answer.notice) await tell(answer.notice);
    if (answer.context) {
      const place = event === "session.created" ? kept : contexts;
      place.set(session, [...(place.get(session) ?? []), answer.context]);
    }
    return answer;
  };

  const refuse = (answer) => {
    if (answer.decision === "deny") throw new Error(answer.reason || "denied by a hook");
  };

  return {
    event: async ({ event }) => {
      const { type, properties } = event;
      const session = properties?.sessionID ?? properties?.info?.id;
      if (type === "session.created") {
        parents.set(session, properties.info?.parentID);
        kept.set(session, []);
      }
      await ask(type, session, properties, { text: answers.get(session) });
    },
    "chat.message": async (input, output) => {
      contexts.delete(input.sessionID);
      // OpenCode does not say that it continues a session of an earlier run.
      if (!kept.has(input.sessionID)) {
        kept.set(input.sessionID, []);
        await ask("session.created", input.sessionID, { info: { id: input.sessionID }, resumed: true }, {});
      }
      refuse(await ask("chat.message", input.sessionID, input, output));
    },
    "chat.params": async (input, output) => {
      refuse(await ask("chat.params", input.sessionID, input, output));
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask("tool.execute.before", input.sessionID, input, output);
      refuse(answer);
      if (answer.args) replaceFields(output.args, answer.args);
    },
    "permission.ask": async (input, output) => {
      const answer = await ask("permission.ask", input.sessionID, input, output);
      if (answer.decision === "deny") output.status = "deny";
    },
    "tool.execute.after": async (input, output) => {
      const answer = await ask("tool.execute.after", input.sessionID, input, output);
      const text = answer.decision === "deny" ? answer.reason : answer.output;
      if (text === undefined) return;
      // The title and the metadata can contain the result too.
      if (Array.isArray(output.content)) output.content = [{ type: "text", text }];
      replaceFields(output, { ...output, title: "", metadata: withoutTexts(output.metadata ?? {}), output: text });
    },
    "shell.env": async (input, output) => {
      await ask("shell.env", input.sessionID, input, output);
    },
    "experimental.text.complete": async (input, output) => {
      answers.set(input.sessionID, output.text);
    },
    "experimental.chat.system.transform": async (input, output) => {
      await ask("experimental.chat.system.transform", input.sessionID, input, output);
      output.system.push(...(kept.get(input.sessionID) ?? []), ...(contexts.get(input.sessionID) ?? []));
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await ask("experimental.session.compacting", input.sessionID, input, output);
      if (answer.context) output.context.push(answer.context);
    },
  };
};
