/** The code of the documentation runs as it is written. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const ADAPTERS = path.join(PACKAGE, "lib", "adapters");
/** Within the package, so that the code imports it by its name. */
const EXAMPLES = path.join(PACKAGE, "dist", "examples");
const GUIDE = path.join(PACKAGE, "..", "..", "docs", "guide", "typescript.md");

const read = (file: string): string => readFileSync(file, "utf8");

function blocksOf(text: string, prefix = ""): string[] {
  const blocks = text.matchAll(/^(?: \* )?```ts\n(.*?)^(?: \* )?```/gms);
  return [...blocks].map(([, block = ""]) => block.replaceAll(new RegExp(`^${prefix.replaceAll("*", "\\*")} ?`, "gm"), ""));
}

/** The names that the example of an adapter uses. What would call a real model is compiled only. */
const NAMES: Record<string, { code: string; runs: boolean }> = {
  "ai-sdk": {
    runs: true,
    code: `
      import { tool } from "ai";
      import { MockLanguageModelV3 } from "ai/test";
      import { z } from "zod";
      const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
      const finishReason = { unified: "stop" as const, raw: undefined };
      const content = [{ type: "text" as const, text: "done" }];
      const model = new MockLanguageModelV3({ doGenerate: async () => ({ content, finishReason, usage, warnings: [] }) });
      const shell = tool({ inputSchema: z.object({ command: z.string() }), execute: ({ command }) => command });`,
  },
  "claude-agent-sdk": { runs: false, code: "" },
  langchain: {
    runs: true,
    code: `
      import { FakeListChatModel } from "@langchain/core/utils/testing";
      import { tool } from "langchain";
      import { z } from "zod";
      const model = new FakeListChatModel({ responses: ["done"] });
      const shell = tool(({ command }) => command, { name: "shell", description: "x", schema: z.object({ command: z.string() }) });`,
  },
  mastra: {
    runs: true,
    code: `
      import { createTool } from "@mastra/core/tools";
      import { MockLanguageModelV3 } from "ai/test";
      import { z } from "zod";
      const model = new MockLanguageModelV3();
      const execute = async ({ command }: { command: string }) => command;
      const shell = createTool({ id: "shell", description: "x", inputSchema: z.object({ command: z.string() }), execute });`,
  },
  opencode: { runs: true, code: "" },
};

const adapters = readdirSync(ADAPTERS).map((file) => path.basename(file, ".ts")).filter((name) => name !== "calls");

test("the code compiles and runs", () => {
  const examples = new Map([
    ["guide", blocksOf(read(GUIDE)).join("\n")],
    ["readme", blocksOf(read(path.join(PACKAGE, "README.md"))).join("\n")],
  ]);
  for (const name of adapters) {
    const [block = "", ...others] = blocksOf(read(path.join(ADAPTERS, `${name}.ts`)), " *");
    assert(others.length === 0 && block.trim().split("\n").length <= 15, name);
    examples.set(name, `${NAMES[name]?.code}\n${block}`);
  }
  mkdirSync(EXAMPLES, { recursive: true });
  for (const [name, code] of examples) {
    writeFileSync(path.join(EXAMPLES, `${name}.ts`), code);
  }
  const compilerOptions = { rootDir: ".", outDir: "out", declaration: false };
  const files = [...examples.keys()].map((name) => `${name}.ts`);
  const config = { extends: "../../tsconfig.json", compilerOptions, files, include: [] };
  writeFileSync(path.join(EXAMPLES, "tsconfig.json"), JSON.stringify(config));
  run(path.join(PACKAGE, "node_modules", "typescript", "bin", "tsc"), "-p", EXAMPLES);
  for (const name of examples.keys()) {
    if (NAMES[name]?.runs !== false) {
      run(path.join(EXAMPLES, "out", `${name}.js`));
    }
  }
});

function run(...args: string[]): void {
  const cwd = mkdtempSync(path.join(tmpdir(), "pintle-"));
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, `${args.join(" ")}\n${stdout}${stderr}`);
}

test("every adapter is in the guide and has the scenario", () => {
  assert.deepEqual(adapters.sort(), Object.keys(NAMES).sort());
  for (const name of adapters) {
    assert(read(GUIDE).includes(`pintle/adapters/${name}`), name);
    assert(read(path.join(PACKAGE, "test", `${name}.test.ts`)).includes("scenario("), name);
  }
});
