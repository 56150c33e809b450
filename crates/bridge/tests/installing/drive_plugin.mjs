// Loads a module as OpenCode or Pi does, calls its hooks, and prints what came of each as one JSON line.
// Arguments: the module, and a JSON list of steps: {hook, input, output} in OpenCode; {hook, event} in Pi, with `screen`
// and the user's `reply`, and `broken` for a session manager that throws.
import { homedir } from "node:os";
import { pathToFileURL } from "node:url";

const [plugin, steps] = process.argv.slice(2);
const module = await import(pathToFileURL(plugin));

// Pi calls each handler of an event with the event and a context.
async function driveExtension(extension) {
  const handlers = {};
  extension({ on: (name, handler) => (handlers[name] = handler) });
  for (const { hook, event, screen, reply, broken } of JSON.parse(steps)) {
    const came = { told: [], asked: [], aborted: false, home: homedir() };
    const say = (text) => came.told.push(text);
    const confirm = async (title, text) => came.asked.push(text) && reply;
    const file = () => {
      if (broken) throw new Error("no such function");
    };
    const ctx = {
      hasUI: screen === true,
      ui: { notify: say, confirm },
      cwd: process.cwd(),
      sessionManager: { getSessionId: () => "s1", getSessionFile: file },
      abort: () => (came.aborted = true),
    };
    console.error = say;
    try {
      came.returned = (await handlers[hook](event, ctx)) ?? null;
    } catch (error) {
      came.thrown = error.message;
    }
    console.log(JSON.stringify({ ...came, event }));
  }
}
if (module.default) {
  await driveExtension(module.default);
  process.exit();
}

const exports = Object.values(module);
const toasts = [];
const client = {
  app: { log: async () => {} },
  tui: { showToast: async ({ body }) => toasts.push(body.message) },
  session: { get: async ({ path }) => ({ data: { id: path.id, parentID: path.id === "child" ? "s1" : undefined } }) },
};
const hooks = Object.assign({}, ...(await Promise.all(exports.map((plugin) => plugin({ client, directory: process.cwd() })))));
for (const { hook, input, output } of JSON.parse(steps)) {
  // OpenCode keeps the arguments of a call, and does not look at `output` again.
  const args = output?.args;
  const came = {};
  try {
    await hooks[hook](input, output);
  } catch (error) {
    came.thrown = error.message;
  }
  console.log(JSON.stringify({ ...came, output, args, command: args?.command, toasts: toasts.splice(0) }));
}
