import { readFileSync } from "node:fs";
import * as modules from "node:module";
import { pathToFileURL } from "node:url";

const path = process.argv[1];
const install = "install bun (https://bun.sh) or node 22.18 or newer";

const give_up = (why) => {
  console.error(`bun is not installed, and node ${process.versions.node} cannot run ${path}: ${why}; ${install}`);
  process.exit(127);
};

if (process.features.typescript) {
  await import(pathToFileURL(path).href);
} else {
  const text = readFileSync(path, "utf8");
  const strip = modules.stripTypeScriptTypes;
  // A call with type arguments is also a comparison in JavaScript, which would run as something else.
  if (!strip && /[\w$)\]]\s*<[\w\s.,|&[\]{}"']*>\s*\(/.test(text)) give_up("it holds types");
  if (/\bBun\b|\bimport\.meta\b/.test(text)) give_up("it uses what only bun has");
  const plain = Buffer.from(strip ? strip(text) : text).toString("base64");
  try {
    await import(`data:text/javascript;base64,${plain}`);
  } catch (fault) {
    const unreadable = fault instanceof SyntaxError && !/\bat JSON\.parse\b/.test(fault.stack);
    const unresolved = ["ERR_UNSUPPORTED_RESOLVE_REQUEST", "ERR_INVALID_URL", "ERR_MODULE_NOT_FOUND"].includes(fault?.code);
    if (unreadable || unresolved) give_up(fault.message.split("\n")[0]);
    throw fault;
  }
}
