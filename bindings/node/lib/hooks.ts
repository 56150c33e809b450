/** Functions that Pintle asks: hooks, the approver and the judge. */

import { AsyncLocalStorage } from "node:async_hooks";

import { describeError } from "./errors.js";
import { toJson, typeName } from "./json.js";
import type { NativeFunction, NativeFunctionFields, NativeHook, NativeQuestion } from "./native.js";

/** A value of JSON. */
export type Json = any;

/** What a hook says about an event. Texts can be added to any of them. */
export class Verdict {
  readonly #parts: readonly string[];

  private constructor(parts: readonly string[]) {
    this.#parts = parts;
  }

  /** @internal */
  static of(part: string, value: unknown): Verdict {
    return new Verdict([]).#with(part, value);
  }

  #with(part: string, value: unknown): Verdict {
    const isText = !["rewrite", "args", "withRewrite"].includes(part);
    if (isText && typeof value !== "string") {
      throw new TypeError(`the text of a verdict is a string, and this is of type ${typeName(value)}`);
    }
    return new Verdict([...this.#parts, `["${part}",${toJson(value, isText ? "text" : "payload")}]`]);
  }

  /** Adds a rewrite to an allow or an ask, which is then about the rewritten payload. */
  withRewrite(payload: Json): Verdict {
    return this.#with("withRewrite", payload);
  }

  /** Adds something for the model. */
  context(text: string): Verdict {
    return this.#with("context", text);
  }

  /** Adds a reminder for the model in this turn. */
  remind(text: string): Verdict {
    return this.#with("remind", text);
  }

  /** Adds something for the user. */
  notice(text: string): Verdict {
    return this.#with("notice", text);
  }

  /** @internal */
  toText(): string {
    return `[${this.#parts.join(",")}]`;
  }
}

/** Denies the event. The model is shown the reason. */
export const deny = (reason: string): Verdict => Verdict.of("deny", reason);
/** Requires the user's approval; without an approver the event is denied. */
export const ask = (reason: string): Verdict => Verdict.of("ask", reason);
/** Allows the event. It may replace the user's approval, but never lifts another hook's deny. */
export const allow = (reason = ""): Verdict => Verdict.of("allow", reason);
/** Replaces fields of the payload, such as `{prompt: "…"}`, or a payload that is a text. */
export const rewrite = (payload: Json): Verdict => Verdict.of("rewrite", payload);
/** Replaces the arguments of a tool call. */
export const args = (args: Record<string, unknown>): Verdict => Verdict.of("args", args);
/** Says something to the model. */
export const context = (text: string): Verdict => Verdict.of("context", text);
/** Reminds the model of something in this turn. */
export const remind = (text: string): Verdict => Verdict.of("remind", text);
/** Says something to the user. */
export const notice = (text: string): Verdict => Verdict.of("notice", text);

/** One call of a hook. The payload is the hook's own copy: changing it changes nothing, `rewrite` does. */
export class HookCall {
  readonly event: string;
  readonly payload: Json;
  readonly session: string;
  readonly agent: string;
  readonly turn: number;
  readonly cwd: string;
  readonly #question: NativeQuestion;

  /** @internal */
  constructor(question: NativeQuestion) {
    const [payload, [event, session, agent, turn, cwd]] = JSON.parse(question.text);
    this.event = event;
    this.payload = payload;
    this.session = session;
    this.agent = agent;
    this.turn = turn;
    this.cwd = cwd;
    this.#question = question;
  }

  #field(name: string): Json {
    const { payload } = this;
    return typeof payload === "object" && payload !== null && Object.hasOwn(payload, name) ? payload[name] : undefined;
  }

  /** The name of the tool; `undefined` if the event is not about a tool call. */
  get tool(): string | undefined {
    return this.#field("name");
  }

  /** The arguments of the tool call. */
  get args(): Json {
    return this.#field("args");
  }

  /** What kind of tool it is. */
  get kind(): string | undefined {
    return this.#field("kind");
  }

  /** Whether the verdict is no longer needed. */
  get isCancelled(): boolean {
    return this.#question.isCancelled;
  }

  /** The milliseconds that are left of the hook's time limit; `null` if it has none. */
  get timeLeftMs(): number | null {
    return this.#question.timeLeftMs ?? null;
  }

  /** Writes a line to the session's log, which the tape has. */
  log(message: string): void {
    this.#question.log(String(message));
  }
}

/** A function that is called on an event. */
export type HookFunction = (call: HookCall) => Verdict | null | undefined | void | Promise<Verdict | null | undefined | void>;

export interface HookOptions {
  /** The name in reports and on the tape. */
  name?: string;
  /** Names of tools, or patterns with `*`. */
  tools?: readonly string[];
  /** What a failure means; by default it denies what is guarded. */
  onFailure?: "deny" | "allow";
  /** A function that has not answered in this time has failed. */
  timeoutMs?: number;
  /** Whether the function may return a promise. Default: whether it is declared as `async`. */
  mayWait?: boolean;
  /** Calls the hook and enforces nothing. */
  shadow?: boolean;
}

/** A function on an event. What it throws is a failure, and so is anything that is not a verdict. */
export class Hook {
  readonly event: string;
  readonly function: HookFunction;
  readonly options: Readonly<HookOptions>;

  constructor(event: string, answer: HookFunction, options: HookOptions = {}) {
    if (typeof answer !== "function") {
      throw new TypeError(`a hook is a function, and this is of type ${typeName(answer)}`);
    }
    checkNames(options, ["name", "tools", "onFailure", "timeoutMs", "mayWait", "shadow"], "hook");
    this.event = event;
    this.function = answer;
    this.options = Object.freeze({ ...options });
  }

  /** @internal */
  toNative(runtime: object): NativeHook {
    const { name, tools, onFailure, timeoutMs, mayWait = isAsync(this.function), shadow } = this.options;
    return {
      event: this.event,
      function: (question) => answer(question, () => callHook(runtime, question, this.function), verdictText),
      mayWait,
      name,
      tools: tools && [...tools],
      onFailure,
      timeoutMs: timeoutMs === undefined ? undefined : wholeNumber(timeoutMs, "timeoutMs"),
      shadow,
    };
  }
}

/** Makes a hook of a function: `on("tool.pre", (call) => deny("no"), { tools: ["deploy"] })`. */
export function on(event: string, answer: HookFunction, options: HookOptions = {}): Hook {
  return new Hook(event, answer, options);
}

/** A call of a hook in which the program is now. */
interface CallFrame {
  runtime: object;
  question: NativeQuestion;
  outer: CallFrame | undefined;
  depth: number;
}

const frames = new AsyncLocalStorage<CallFrame>();

/** How many calls of hooks may be within each other, whichever runtimes they are of. The stack has an end. */
const MAX_DEPTH = 24;

function callHook(runtime: object, question: NativeQuestion, answer: HookFunction): unknown {
  const outer = frames.getStore();
  const depth = (outer?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) {
    throw new Error(`hooks call each other more than ${MAX_DEPTH} levels deep`);
  }
  return frames.run({ runtime, question, outer, depth }, () => answer(new HookCall(question)));
}

/**
 * The innermost call of a hook of this runtime that the program is in: what it fires there is caused by the hook.
 *
 * @internal
 */
export function causeOf(runtime: object): NativeQuestion | null {
  let frame = frames.getStore();
  while (frame !== undefined && frame.runtime !== runtime) {
    frame = frame.outer;
  }
  return frame?.question ?? null;
}

/** Answers a question with what a function returns, now or when its promise is fulfilled. It throws nothing. */
function answer(question: NativeQuestion, call: () => unknown, encode: (value: unknown) => string | undefined): void {
  const finish = (value: unknown): void => {
    try {
      question.finish(encode(value));
    } catch (error) {
      question.fail(describeError(error));
    }
  };
  const fail = (error: unknown): void => question.fail(describeError(error));
  try {
    const value = call();
    if (isThenable(value)) {
      Promise.resolve(value).then(finish, fail);
    } else {
      finish(value);
    }
  } catch (error) {
    fail(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function isAsync(call: unknown): boolean {
  return Object.prototype.toString.call(call) === "[object AsyncFunction]";
}

function verdictText(value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  if (value instanceof Verdict) {
    return value.toText();
  }
  const kind = typeName(value);
  throw new TypeError(`it returned a value of type ${kind}; a hook returns nothing or a verdict, such as deny("why")`);
}

/** A request to approve an event. It is about exactly the payload that it shows. */
export interface ApprovalRequest {
  readonly event: string;
  readonly subject: string | null;
  readonly payload: Json;
  /** The reasons, each behind the name of the hook that asks. */
  readonly reasons: readonly (readonly [hook: string, reason: string])[];
}

/** The response to an `ApprovalRequest`. An approver that returns anything else has not approved. */
export class ApprovalResponse {
  readonly #text: string;

  private constructor(response: string, approver: string) {
    if (typeof approver !== "string") {
      throw new TypeError(`an approver is a string, and this is of type ${typeName(approver)}`);
    }
    this.#text = toJson([response, approver], "approver");
  }

  /** @internal */
  static of(response: string, approver = ""): ApprovalResponse {
    return new ApprovalResponse(response, approver);
  }

  /** @internal */
  toText(): string {
    return this.#text;
  }
}

export const approved = (approver: string): ApprovalResponse => ApprovalResponse.of("approved", approver);
export const refused = (approver: string): ApprovalResponse => ApprovalResponse.of("refused", approver);
/** The program asks its user itself: the decision of `fire` stays `ask`. A tool call is refused. */
export const deferred = (): ApprovalResponse => ApprovalResponse.of("deferred");
/** The user cannot be asked: the event is denied. */
export const unavailable = (): ApprovalResponse => ApprovalResponse.of("unavailable");

export type Approver = (request: ApprovalRequest) => ApprovalResponse | Promise<ApprovalResponse>;

/** @internal */
export function nativeApprover(approver: Approver): NativeFunctionFields {
  const encode = (value: unknown): string => {
    if (value instanceof ApprovalResponse) {
      return value.toText();
    }
    throw new TypeError(`an approver returns a response, such as refused("ada"), and not a value of type ${typeName(value)}`);
  };
  return { function: askFunction(approver, encode), mayWait: isAsync(approver) };
}

/** A request to a language model, for a hook whose verdict comes from a model. */
export interface JudgeRequest {
  readonly model: string;
  readonly instruction: string;
  readonly prompt: string;
  /** The name and JSON Schema of the reply; `null` for a text. */
  readonly schema: { name: string; schema: Json } | null;
  readonly timeoutMs: number;
}

export type Judge = (request: JudgeRequest) => string | Promise<string>;

/** @internal */
export function nativeJudge(judge: Judge): NativeFunctionFields {
  const encode = (value: unknown): string => {
    if (typeof value === "string") {
      return value;
    }
    throw new TypeError(`a judge returns a string, and not a value of type ${typeName(value)}`);
  };
  // A hook that asks a model may run beside others, on a thread that waits for this one.
  return { function: askFunction(judge, encode), mayWait: true };
}

function askFunction<Request>(call: (request: Request) => unknown, encode: (value: unknown) => string): NativeFunction {
  if (typeof call !== "function") {
    throw new TypeError(`this is not a function, but of type ${typeName(call)}`);
  }
  return (question) => answer(question, () => call(JSON.parse(question.text) as Request), encode);
}

/** @internal */
export function checkNames(options: object, known: readonly string[], of: string): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`a ${of} has no option \`${name}\`; its options are ${known.join(", ")}`);
    }
  }
}

/** @internal */
export function wholeNumber(value: number, name: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new TypeError(`${name}: ${value} is not a whole number from 0 to ${0xffff_ffff}`);
  }
  return value;
}
