// Loads a plugin as OpenCode does, calls its hooks, and prints what came of each as one JSON line.
// Arguments: the plugin, and a JSON list of steps {hook, input, output}.
import { pathToFileURL } from "node:url";

const [plugin, steps] = process.argv.slice(2);
const exports = Object.values(await import(pathToFileURL(plugin)));
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
