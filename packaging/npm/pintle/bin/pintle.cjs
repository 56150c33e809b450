#!/usr/bin/env node
"use strict";
// Starts the program of the package for this platform, which npm installs as an optional dependency.

const { spawnSync } = require("node:child_process");

const platform = `@pintle/${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "pintle.exe" : "pintle";

let path;
try {
  path = require.resolve(`${platform}/bin/${program}`);
} catch {
  console.error(
    `error: the package ${platform} is not installed; install pintle without \`--omit=optional\`, ` +
      "or see docs/guide/install.md for other ways",
  );
  process.exit(3);
}
// Ctrl-C reaches the program, too, which then ends as it wants to.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
const ended = spawnSync(path, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`error: cannot start ${path}: ${ended.error.message}`);
  process.exit(1);
}
process.exit(ended.status ?? 1);
