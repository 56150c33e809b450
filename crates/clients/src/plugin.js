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

// The answer in a command's output. An event that waits for permission needs one of these decisions.
function parse(text, isGuard, decisions) {
  const answer = text.trim() === "" && !isGuard ? {} : JSON.parse(text);
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const isText = (value) => value === undefined || typeof value === "string";
  const isDecided = decisions.includes(answer?.decision) || (!isGuard && answer?.decision === undefined);
  const isArgs = (value) => value === undefined || isObject(value);
  const isValid = isObject(answer) && isDecided && isArgs(answer.args) &&
    [answer.reason, answer.output, answer.context, answer.notice, answer.prompt, answer.stop].every(isText);
  if (!isValid) throw new Error("the answer is not valid");
  return answer;
}

// What a command answers to a payload. If there is no valid answer, an event that waits for permission is denied.
async function askPintle(event, hook, makePayload, directory, decisions = ["allow", "deny"]) {
  try {
    return parse(await run(hook, await makePayload(), directory), hook.guard, decisions);
  } catch (error) {
    const why = `Pintle did not answer at ${event} (${error.message}); \`pintle doctor ${AGENT}\` shows why`;
    return hook.guard ? { decision: "deny", reason: `denied: ${why}` } : { notice: why };
  }
}

// Replaces the fields of an object, which the agent also has elsewhere.
function replaceFields(target, fields) {
  for (const name of Object.keys(target)) delete target[name];
  for (const [name, value] of Object.entries(fields)) {
    // Assigning `__proto__` would give the target fields that no hook has seen.
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

// The same structure without texts: the agent's screens rely on it.
function withoutTexts(value) {
  if (typeof value === "string") return "";
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutTexts(inner)]));
}
