"use strict";
// A registry with the npm packages of one directory, for one command: node registry.js DIR COMMAND...
// npm finds it by the variable that this program sets.

const { spawn, execFileSync } = require("node:child_process");
const { readFileSync, readdirSync } = require("node:fs");
const { createServer } = require("node:http");
const { join } = require("node:path");

const [dir, command, ...words] = process.argv.slice(2);
const documents = new Map();
const files = readdirSync(dir).filter((file) => file.endsWith(".tgz"));

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url).slice(1);
  if (files.includes(path)) return response.end(readFileSync(join(dir, path)));
  const document = documents.get(path);
  response.statusCode = document ? 200 : 404;
  response.end(JSON.stringify(document ?? {}));
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const file of files) {
    const manifest = JSON.parse(execFileSync("tar", ["-xzOf", join(dir, file), "package/package.json"]));
    manifest.dist = { tarball: `${url}/${file}` };
    const { name, version } = manifest;
    documents.set(name, { name, "dist-tags": { latest: version }, versions: { [version]: manifest } });
  }
  const env = { ...process.env, npm_config_registry: url, npm_config_cache: "/tmp/npm-cache", npm_config_update_notifier: "false" };
  spawn(command, words, { stdio: "inherit", env }).on("exit", (status) => process.exit(status ?? 1));
});
