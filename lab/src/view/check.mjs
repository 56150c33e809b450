// Looks at the page of `pintle view` in a browser, which is told what to do over a pipe.
// node check.mjs BROWSER LINK AXE PICTURES. Prints a line for each fault.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [browser, link, axeFile, pictures] = process.argv.slice(2);
const [address, token] = link.split("#token=");
const axe = readFileSync(axeFile, "utf8");
const WIDTHS = [360, 1280];
const SCHEMES = ["light", "dark"];
const VIEWS = ["", "decisions", "sessions", "charts", "coverage", "SESSION", "CHANGED", "HOSTILE"];
const PATIENCE_MS = 20_000;
const TABS = 14;

const faults = new Set();
const program = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const waiting = new Map();
const listeners = [];
let lastId = 0;
let rest = "";
program.stdio[4].on("data", (data) => {
  const messages = (rest + data).split("\0");
  rest = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    const take = waiting.get(message.id);
    if (take) { waiting.delete(message.id); take(message); } else listeners.forEach((listen) => listen(message));
  }
});

let sessionId;
function send(method, params = {}) {
  lastId += 1;
  const id = lastId;
  program.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, (message) =>
    (message.error ? reject(new Error(`${method}: ${message.error.message}`)) : resolve(message.result))));
}

async function evaluate(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

// Waits until an expression is true.
async function until(expression, what) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await evaluate(expression))) {
    if (Date.now() > end) throw new Error(`${what} does not happen`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const loaded = `document.querySelector("main h1") !== null && document.getElementById("status").textContent === ""`;

async function open(hash) {
  await send("Page.navigate", { url: "about:blank" });
  await until(`location.href === "about:blank"`, "an empty page");
  await send("Page.navigate", { url: `${address}#token=${token}` });
  await until(`location.protocol === "http:" && ${loaded}`, "the start page");
  if (hash !== "") {
    await evaluate(`document.querySelector("main h1").remove(), location.hash = ${JSON.stringify(`#/${hash}`)}`);
    await until(loaded, `\`${hash}\``);
  }
}

async function press(key, code) {
  const text = key === "Enter" ? "\r" : undefined;
  await send("Input.dispatchKeyEvent", { type: "keyDown", key, windowsVirtualKeyCode: code, text });
  await send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
}

listeners.push(({ method, params }) => {
  if (method === "Runtime.exceptionThrown") faults.add(`an exception: ${params.exceptionDetails.exception?.description}`);
  if (method === "Log.entryAdded" && params.entry.level === "error") faults.add(`the console: ${params.entry.text} ${params.entry.url ?? ""}`);
  if (method === "Page.javascriptDialogOpening") faults.add("a text of a tape was run as a script");
  if (method === "Network.requestWillBeSent" && !/^(data|about):/.test(params.request.url) && !params.request.url.startsWith(address)) {
    faults.add(`it asks elsewhere: ${params.request.url}`);
  }
  if (method === "Network.requestWillBeSent" && params.request.url.includes(token)) faults.add("the token is in an address");
});

async function look(view, hash, width, scheme) {
  const place = `${view || "start"} at ${width} pixels, ${scheme}`;
  await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await open(hash);
  if (view === "CHANGED" || view === "HOSTILE") {
    await evaluate(`document.querySelectorAll("details").forEach((details) => { details.open = true; })`);
    await until(`[...document.querySelectorAll("details")].every((details) => details.querySelector("dl, .error"))`, "the details");
  }
  const shown = await evaluate("document.documentElement.scrollWidth");
  if (shown > width) faults.add(`${place}: ${shown} pixels wide`);
  const signs = await evaluate(`/[\\u0000-\\u0008\\u000b-\\u001f\\u202e]/.test(document.querySelector("main").textContent)`);
  if (signs) faults.add(`${place}: a control character of a tape is not shown as a sign`);
  const strange = await evaluate(`document.querySelectorAll("main script, main img, main iframe, main [onerror]").length`);
  if (strange > 0) faults.add(`${place}: a text of a tape became an element`);
  // A tool that checks the page may do what the page may not.
  await evaluate(axe.replace(/^/, "var module = undefined; ") + "; 0");
  const found = await evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => id + ": " + help + ": " + nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")))`);
  found.forEach((fault) => faults.add(`${place}: ${fault}`));
  const height = Math.min(await evaluate("document.documentElement.scrollHeight"), width < 600 ? 2_400 : 1_800);
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 } });
  writeFileSync(join(pictures, `${(view || "start").toLowerCase()}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
}

// Everything can be reached and used with the keyboard, and one sees where one is.
async function useKeyboard() {
  await open("");
  await evaluate(`document.querySelector(".skip").focus()`);
  const focus = `(() => { const one = document.activeElement; return { tag: one.tagName, text: one.textContent.trim(), outline: getComputedStyle(one).outlineStyle }; })()`;
  const reached = [await evaluate(focus)];
  for (let tab = 0; tab < TABS; tab += 1) {
    await press("Tab", 9);
    const one = await evaluate(focus);
    reached.push(one);
    if (one.tag !== "BODY" && one.outline === "none") faults.add(`the focus cannot be seen at \`${one.text.slice(0, 40)}\``);
  }
  for (const wanted of ["Decisions", "Hooks, changes and payload", "Copy"]) {
    if (!reached.some((one) => one.text === wanted)) faults.add(`\`${wanted}\` is not reached with Tab`);
  }
  await evaluate(`document.querySelector(".skip").focus()`);
  await press("Enter", 13);
  await until(`document.activeElement.id === "main" && location.hash === "#/"`, "skipping to the content");
  await evaluate(`document.querySelector("main details summary").focus()`);
  await press("Enter", 13);
  await until(`document.querySelector("main details dl") !== null`, "unfolding with Enter");
  await evaluate(`document.querySelector("nav a[data-view=sessions]").focus()`);
  await press("Enter", 13);
  await until(`document.querySelector("main h1")?.textContent === "Sessions"`, "another view with Enter");
  await until(`document.activeElement.id === "main"`, "the focus in the new view");
}

// A decision that is made now is shown without a reload: the line that is written to standard output asks for one.
async function follow() {
  await open("decisions");
  const before = await evaluate(`document.querySelectorAll(".entry").length`);
  process.stdout.write("make a call\n");
  await until(`document.querySelectorAll(".entry").length > ${before}`, "following");
}

try {
  const { targetInfos } = await send("Target.getTargets");
  const target = targetInfos.find(({ type }) => type === "page");
  ({ sessionId } = await send("Target.attachToTarget", { targetId: target.targetId, flatten: true }));
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  await open("decisions?word=denied");
  const session = await evaluate(`document.querySelector(".entry a[href^='#/session']").getAttribute("href").slice(2)`);
  for (const width of WIDTHS) {
    for (const scheme of SCHEMES) {
      for (const view of VIEWS) {
        const hash = { SESSION: session, CHANGED: "decisions?word=rewritten", HOSTILE: "decisions?q=script" }[view] ?? view;
        await look(view, hash, width, scheme);
      }
    }
  }
  await useKeyboard();
  await follow();
} catch (error) {
  faults.add(error.message);
}
program.kill();
for (const fault of faults) process.stdout.write(`fault: ${fault}\n`);
process.exit(0);
