// The result of a request to OpenCode itself, which must not delay a call for long.
function soon(request) {
  return Promise.race([request, new Promise((_, reject) => setTimeout(reject, 2000, new Error("no answer")).unref?.())]);
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

  const makePayload = async (event, session, input, output) => {
    const root = session === undefined ? undefined : await rootOf(session);
    return { hook: event, input: await inPintlesWords(input), output, sessionID: session, rootID: root, directory };
  };

  const ask = async (event, session, input, output) => {
    const hook = HOOKS.get(event);
    if (hook === undefined) return {};
    const before = calls.get(session) ?? Promise.resolve();
    const answering = before.then(() => askPintle(event, hook, () => makePayload(event, session, input, output), directory));
    calls.set(session, answering);
    const answer = await answering;
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
