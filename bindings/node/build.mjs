// Builds the native module, and puts it with the program where `lib/native.ts` looks for them. The first argument is the program;
// the others go to cargo.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const [program, ...rest] = process.argv.slice(2);
if (program === undefined || program.startsWith("-")) {
  console.error("usage: npm run build -- PROGRAM [CARGO ARGUMENT]...\nPROGRAM is `pintle`, as `cargo build` makes it");
  process.exit(3);
}
const options = ["--locked", "--message-format=json-render-diagnostics", "--manifest-path", path.join(here, "Cargo.toml")];
const output = { stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28, encoding: "utf8" };
const cargo = spawnSync("cargo", ["build", ...options, ...rest], output);
if (cargo.status !== 0) {
  process.exit(cargo.status ?? 1);
}
const messages = cargo.stdout.split("\n").filter((line) => line.startsWith("{"));
const built = messages.map((line) => JSON.parse(line)).find(({ target }) => target?.name === "pintle_node");
const platform = path.join(here, "dist", "platform");
for (const [from, to] of [
  [built.filenames[0], path.join(platform, "pintle.node")],
  [program, path.join(platform, "bin", path.basename(program))],
]) {
  mkdirSync(path.dirname(to), { recursive: true });
  // A process that has loaded the old one keeps it.
  rmSync(to, { force: true });
  copyFileSync(from, to);
}
