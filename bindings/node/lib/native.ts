/** The native module. Values cross as JSON text; nothing here is public. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

export interface NativeQuestion {
  readonly text: string;
  readonly isCancelled: boolean;
  readonly timeLeftMs: number | null;
  log(line: string): void;
  finish(answer?: string): void;
  fail(reason: string): void;
}

export type NativeFunction = (question: NativeQuestion) => void;

export interface NativeToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  result(content: string): NativeToolOutput;
  error(message: string): NativeToolOutput;
}

export interface NativeToolOutput {
  readonly content: string;
  readonly isError: boolean;
}

export interface NativeOutcome {
  readonly decision: "allow" | "ask" | "deny";
  readonly isAllowed: boolean;
  readonly payload: string;
  readonly isRewritten: boolean;
  readonly reason: string;
  readonly reasonForModel: string;
  readonly stopReason: string | null;
  readonly approvedBy: string | null;
  readonly context: string[];
  readonly notices: string[];
  readonly warnings: string[];
  readonly hooksCalled: number;
}

export interface NativeRefusal {
  text: string;
  event: string;
  reason: string;
  hooks: string[];
  stopsRun: boolean;
}

export interface NativeStepResult {
  refusal?: NativeRefusal;
  text?: string;
  nextMessage?: string;
  json?: string;
  call?: NativeToolCall;
  output?: NativeToolOutput;
  outcome?: NativeOutcome;
  fault?: string;
  callFault?: string;
}

export interface NativePendingCall {
  start(): NativeStepResult | null;
  poll(wake: () => void): NativeStepResult | null;
  cancel(): void;
}

type Cause = NativeQuestion | null;

export interface NativeLife {
  fire(event: string, payload: string, cause: Cause): NativeStepResult;
  fireAsync(event: string, payload: string, cause: Cause): NativePendingCall;
  review(event: string, payload: string, cause: Cause): NativeStepResult;
  reviewAsync(event: string, payload: string, cause: Cause): NativePendingCall;
  submitPrompt(text: string, cause: Cause): NativeStepResult;
  submitPromptAsync(text: string, cause: Cause): NativePendingCall;
  beginTurn(text: string, cause: Cause): NativeStepResult;
  beginTurnAsync(text: string, cause: Cause): NativePendingCall;
  reviewAnswer(text: string, cause: Cause): NativeStepResult;
  reviewAnswerAsync(text: string, cause: Cause): NativePendingCall;
  endTurn(text: string, cause: Cause): NativeStepResult;
  endTurnAsync(text: string, cause: Cause): NativePendingCall;
  decideToolCall(call: NativeToolCall, cause: Cause): NativeStepResult;
  decideToolCallAsync(call: NativeToolCall, cause: Cause): NativePendingCall;
  concludeToolCall(call: NativeToolCall, output: NativeToolOutput, cause: Cause): NativeStepResult;
  concludeToolCallAsync(call: NativeToolCall, output: NativeToolOutput, cause: Cause): NativePendingCall;
  takeContext(): string[];
  cancel(): void;
}

export interface NativeHook {
  event: string;
  function: NativeFunction;
  mayWait: boolean;
  name?: string | undefined;
  tools?: string[] | undefined;
  onFailure?: string | undefined;
  timeoutMs?: number | undefined;
  shadow?: boolean | undefined;
}

export interface NativeDiagnostic {
  text: string;
  isError: boolean;
  code: string;
  message: string;
  help?: string;
  path?: string;
  line?: number;
  column?: number;
}

export interface NativeLoadFault {
  text: string;
  diagnostics: NativeDiagnostic[];
}

export interface NativeRegistration {
  readonly isActive: boolean;
  remove(): boolean;
}

export interface NativeOrigin {
  session?: string;
  agent?: string;
  turn?: number;
  depth?: number;
  cwd?: string;
}

export interface NativeRuntime {
  life(origin: NativeOrigin | null): NativeLife;
  register(hook: NativeHook): { registration?: NativeRegistration; fault?: NativeLoadFault };
  redact(text: string): string;
}

export interface NativeTape {
  toBytes(): Buffer;
  close(): string | null;
  readonly error: string | null;
}

export interface NativeFunctionFields {
  function: NativeFunction;
  mayWait: boolean;
}

export interface NativeRuntimeFields {
  paths: { path: string; layer: string }[];
  packs: string[];
  hooks: NativeHook[];
  workspace?: string | undefined;
  configDir?: string | undefined;
  tape?: NativeTape | undefined;
  approver?: NativeFunctionFields | undefined;
  judge?: NativeFunctionFields | undefined;
  shadow: boolean;
  redactSecrets: boolean;
  allowedHosts?: string[] | undefined;
  randomSeed?: number | undefined;
  worker: string[];
}

export interface NativeToolCallOptions {
  vocabulary?: string;
  cwd?: string;
  argumentsText?: string;
  permissionMode?: string;
  readOnly?: boolean;
}

interface NativeModule {
  ToolCall: new (id: string, name: string, args: string, options?: NativeToolCallOptions) => NativeToolCall;
  Runtime: { build(fields: NativeRuntimeFields): { runtime?: NativeRuntime; fault?: NativeLoadFault } };
  Tape: {
    create(path: string, session: string): NativeTape;
    inMemory(session: string): NativeTape;
    replay(content: Uint8Array): void;
    verify(content: Uint8Array): void;
  };
}

const require = createRequire(import.meta.url);

/** What `build.mjs` has made; a package that is installed has it in packages for its platform instead. */
const built = fileURLToPath(new URL("../platform/", import.meta.url));
const platform = `${process.platform}-${process.arch}`;

/** Loads the module for this platform, and for the C library of its interpreter. */
function load(): NativeModule {
  if (existsSync(built)) {
    return require(path.join(built, "pintle.node")) as NativeModule;
  }
  const names = (process.platform === "linux" ? ["-gnu", "-musl"] : [""]).map((suffix) => `@pintle/node-${platform}${suffix}`);
  const faults: string[] = [];
  for (const name of names) {
    try {
      return require(name) as NativeModule;
    } catch (error) {
      faults.push(error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
    }
  }
  throw new Error(
    `pintle has no native module for ${platform} here: install it without \`--omit=optional\` (${faults.join("; ")})`,
  );
}

export const native = load();

/** The program, which runs the scripts of hooks in processes of their own. */
export const program = findProgram(process.platform === "win32" ? "pintle.exe" : "pintle");

function findProgram(name: string): string {
  if (existsSync(built)) {
    return path.join(built, "bin", name);
  }
  try {
    return require.resolve(`@pintle/${platform}/bin/${name}`);
  } catch {
    // Hooks with scripts that need it do not load, which says so.
    return name;
  }
}
