/** The runtime: one set of hooks, what it is built from, and the steps of an agent's turn. */

import { EventError, LoadError, PintleError, Refusal, TapeError, refuseCall, withErrors } from "./errors.js";
import {
  type Approver,
  type Hook,
  type Json,
  type Judge,
  causeOf,
  checkNames,
  nativeApprover,
  nativeJudge,
  wholeNumber,
} from "./hooks.js";
import { toJson } from "./json.js";
import {
  type NativeLife,
  type NativeOrigin,
  type NativeOutcome,
  type NativePendingCall,
  type NativeQuestion,
  type NativeRegistration,
  type NativeRuntime,
  type NativeStepResult,
  type NativeTape,
  type NativeToolCall,
  type NativeToolCallOptions,
  type NativeToolOutput,
  native,
  program,
} from "./native.js";

/** Whose hooks they are. */
export type Layer = "managed" | "user" | "project";

/** The session, turn and agent that an event belongs to. Relative paths of tool calls refer to `cwd`. */
export type Origin = Readonly<NativeOrigin>;

/** What else is known of a tool call. Names and arguments are Pintle's, unless `vocabulary` names an agent. */
export type ToolCallOptions = Readonly<NativeToolCallOptions>;

/** A tool call that an agent wants to make. */
export class ToolCall {
  /** @internal */
  readonly native: NativeToolCall;

  constructor(id: string, name: string, args: Record<string, unknown>, options?: ToolCallOptions);
  /** @internal */
  constructor(decided: NativeToolCall);
  constructor(id: string | NativeToolCall, name = "", args?: Record<string, unknown>, options?: ToolCallOptions) {
    if (typeof id !== "object") {
      checkNames(options ?? {}, ["vocabulary", "cwd", "argumentsText", "permissionMode", "readOnly"], "tool call");
      const text = toJson(args, "args");
      this.native = withErrors(TypeError, () => new native.ToolCall(id, name, text, options));
    } else {
      this.native = id;
    }
  }

  get id(): string {
    return this.native.id;
  }

  get name(): string {
    return this.native.name;
  }

  /** The arguments, as a new object each time. */
  get args(): Json {
    return JSON.parse(this.native.args);
  }

  /** The result of the call, for `concludeToolCall`. */
  result(content: string): ToolOutput {
    return new ToolOutput(withErrors(TypeError, () => this.native.result(content)));
  }

  /** The result of a call that failed. */
  error(message: string): ToolOutput {
    return new ToolOutput(withErrors(TypeError, () => this.native.error(message)));
  }
}

/** What a tool returned, as the model receives it. */
export class ToolOutput {
  /** @internal */
  readonly native: NativeToolOutput;

  /** @internal */
  constructor(output: NativeToolOutput) {
    this.native = output;
  }

  get content(): string {
    return this.native.content;
  }

  /** Whether the tool failed, or a hook withheld its result. */
  get isError(): boolean {
    return this.native.isError;
  }
}

/** The result of firing an event. The program goes on only if `isAllowed`, with `payload`. */
export class Outcome {
  readonly #outcome: NativeOutcome;

  /** @internal */
  constructor(outcome: NativeOutcome) {
    this.#outcome = outcome;
  }

  get decision(): "allow" | "ask" | "deny" {
    return this.#outcome.decision;
  }

  get isAllowed(): boolean {
    return this.#outcome.isAllowed;
  }

  get payload(): Json {
    return JSON.parse(withErrors(PintleError, () => this.#outcome.payload));
  }

  get isRewritten(): boolean {
    return this.#outcome.isRewritten;
  }

  get reason(): string {
    return this.#outcome.reason;
  }

  get reasonForModel(): string {
    return this.#outcome.reasonForModel;
  }

  get stopReason(): string | null {
    return this.#outcome.stopReason ?? null;
  }

  get approvedBy(): string | null {
    return this.#outcome.approvedBy ?? null;
  }

  /** What hooks told the model. */
  get context(): string[] {
    return this.#outcome.context;
  }

  /** What hooks told the user. */
  get notices(): string[] {
    return this.#outcome.notices;
  }

  /** What the user should know of: hooks that failed or did not run, whatever was decided. */
  get warnings(): string[] {
    return this.#outcome.warnings;
  }

  get hooksCalled(): number {
    return this.#outcome.hooksCalled;
  }
}

/** What hooks say about an answer that an agent wants to stop with. */
export interface ReviewedAnswer {
  /** The answer as hooks left it. */
  readonly text: string;
  /** The message with which the agent continues, because a hook does not accept the answer; `null` if it may stop. */
  readonly nextMessage: string | null;
}

export interface StepOptions {
  /** Aborting it cancels the step, which must then not be taken. */
  signal?: AbortSignal | undefined;
}

function check(result: NativeStepResult): NativeStepResult {
  if (result.refusal != null) {
    throw new Refusal(result.refusal);
  }
  if (result.callFault != null) {
    throw refuseCall(`hooks left arguments that cannot be passed on: ${result.callFault}`);
  }
  if (result.fault != null) {
    throw new PintleError(result.fault);
  }
  return result;
}

function checked(ErrorClass: new (message: string) => Error, call: () => NativeStepResult): NativeStepResult {
  return check(withErrors(ErrorClass, call));
}

async function finish(
  begin: () => NativePendingCall,
  { signal }: StepOptions,
  ErrorClass: new (message: string) => Error = TypeError,
): Promise<NativeStepResult> {
  signal?.throwIfAborted();
  const call = withErrors(ErrorClass, begin);
  const result = call.start();
  if (result !== null) {
    return check(result);
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      call.cancel();
      reject(signal?.reason);
    };
    const poll = (): void => {
      try {
        const result = call.poll(poll);
        if (result !== null) {
          signal?.removeEventListener("abort", abort);
          resolve(check(result));
        }
      } catch (error) {
        signal?.removeEventListener("abort", abort);
        reject(error);
      }
    };
    signal?.addEventListener("abort", abort, { once: true });
    poll();
  });
}

const answerOf = (result: NativeStepResult): ReviewedAnswer => ({
  text: textOf(result),
  nextMessage: result.nextMessage ?? null,
});
const callOf = (result: NativeStepResult): ToolCall => new ToolCall(need(result.call));
const outcomeOf = (result: NativeStepResult): Outcome => new Outcome(need(result.outcome));
const outputOf = (result: NativeStepResult): ToolOutput => new ToolOutput(need(result.output));
const payloadOf = (result: NativeStepResult): Json => JSON.parse(need(result.json));
const textOf = (result: NativeStepResult): string => need(result.text);

function need<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) {
    throw new PintleError("the step has no result");
  }
  return value;
}

/**
 * One turn of an agent: one method for each step, in the order in which an agent takes them.
 *
 * A step that hooks deny throws `Refusal`. Each has a twin that ends in `Sync`, for runtimes without functions that wait.
 */
export class AgentLife {
  readonly #life: NativeLife;
  readonly #runtime: object;

  /** @internal */
  constructor(life: NativeLife, runtime: object) {
    this.#life = life;
    this.#runtime = runtime;
  }

  get #cause(): NativeQuestion | null {
    return causeOf(this.#runtime);
  }

  /** Fires an event and returns what all hooks decided. A hook that fails is part of the outcome. */
  async fire(event: string, payload: Json, options: StepOptions = {}): Promise<Outcome> {
    const text = toJson(payload, "payload");
    return outcomeOf(await finish(() => this.#life.fireAsync(event, text, this.#cause), options, EventError));
  }

  fireSync(event: string, payload: Json): Outcome {
    const text = toJson(payload, "payload");
    return outcomeOf(checked(EventError, () => this.#life.fire(event, text, this.#cause)));
  }

  /** Shows hooks a step that has no method of its own, such as `completion.pre`; returns its payload as they left it. */
  async review(event: string, payload: Json, options: StepOptions = {}): Promise<Json> {
    const text = toJson(payload, "payload");
    return payloadOf(await finish(() => this.#life.reviewAsync(event, text, this.#cause), options, EventError));
  }

  reviewSync(event: string, payload: Json): Json {
    const text = toJson(payload, "payload");
    return payloadOf(checked(EventError, () => this.#life.review(event, text, this.#cause)));
  }

  async submitPrompt(prompt: string, options: StepOptions = {}): Promise<string> {
    return textOf(await finish(() => this.#life.submitPromptAsync(prompt, this.#cause), options));
  }

  submitPromptSync(prompt: string): string {
    return textOf(checked(TypeError, () => this.#life.submitPrompt(prompt, this.#cause)));
  }

  async beginTurn(message: string, options: StepOptions = {}): Promise<string> {
    return textOf(await finish(() => this.#life.beginTurnAsync(message, this.#cause), options));
  }

  beginTurnSync(message: string): string {
    return textOf(checked(TypeError, () => this.#life.beginTurn(message, this.#cause)));
  }

  /**
   * Asks all hooks about a tool call and returns it as they left it: run this call and no other.
   *
   * Throws `Refusal` if it must not run. Its reason is the call's result for the model.
   */
  async decideToolCall(call: ToolCall, options: StepOptions = {}): Promise<ToolCall> {
    return callOf(await finish(() => this.#life.decideToolCallAsync(call.native, this.#cause), options));
  }

  decideToolCallSync(call: ToolCall): ToolCall {
    return callOf(checked(TypeError, () => this.#life.decideToolCall(call.native, this.#cause)));
  }

  /** Shows all hooks the result of a tool call, and returns what is left of it for the model. */
  async concludeToolCall(call: ToolCall, output: ToolOutput, options: StepOptions = {}): Promise<ToolOutput> {
    return outputOf(await finish(() => this.#life.concludeToolCallAsync(call.native, output.native, this.#cause), options));
  }

  concludeToolCallSync(call: ToolCall, output: ToolOutput): ToolOutput {
    return outputOf(checked(TypeError, () => this.#life.concludeToolCall(call.native, output.native, this.#cause)));
  }

  /** Asks hooks whether the agent may stop with this answer. If not, it continues with `nextMessage`. */
  async reviewAnswer(text: string, options: StepOptions = {}): Promise<ReviewedAnswer> {
    return answerOf(await finish(() => this.#life.reviewAnswerAsync(text, this.#cause), options));
  }

  reviewAnswerSync(text: string): ReviewedAnswer {
    return answerOf(checked(TypeError, () => this.#life.reviewAnswer(text, this.#cause)));
  }

  async endTurn(text: string, options: StepOptions = {}): Promise<string> {
    return textOf(await finish(() => this.#life.endTurnAsync(text, this.#cause), options));
  }

  endTurnSync(text: string): string {
    return textOf(checked(TypeError, () => this.#life.endTurn(text, this.#cause)));
  }

  /** Takes what hooks told the model since the last call, for the next model call. */
  takeContext(): string[] {
    return this.#life.takeContext();
  }

  /** Cancels the turn: hooks that wait are cancelled, and every further step is refused. */
  cancel(): void {
    this.#life.cancel();
  }
}

export interface RuntimeOptions {
  /**
   * Projects, `.harness` directories, directories of hooks, or hook files, which are trusted because the program names them.
   * Each may have its layer, `"project"` by default.
   */
  paths?: readonly (string | { path: string; layer: Layer })[];
  /** Rules about what calls would do, such as `shell`. */
  packs?: readonly string[];
  /** Functions of the program, before the hooks of files. */
  hooks?: readonly Hook[];
  workspace?: string;
  configDir?: string;
  tape?: Tape;
  /** Answers when a hook asks; without one, asking denies. */
  approver?: Approver;
  /** Calls language models for hooks whose verdict comes from one. */
  judge?: Judge;
  /** Calls every hook and enforces nothing. */
  shadow?: boolean;
  /** Keeps secrets off the tape, and turns `redact` on. */
  redactSecrets?: boolean;
  /** The hosts to which scripts may connect. */
  allowedHosts?: readonly string[];
  randomSeed?: number;
}

const OPTIONS = [
  "paths",
  "packs",
  "hooks",
  "workspace",
  "configDir",
  "tape",
  "approver",
  "judge",
  "shadow",
  "redactSecrets",
  "allowedHosts",
  "randomSeed",
];

/** A compiled set of hooks. */
export class Runtime {
  /** @internal */
  readonly native: NativeRuntime;
  /** What hooks know this runtime by. They do not hold it: nothing could free what the native part and JavaScript hold together. */
  readonly #key = {};
  /** For calls outside of a turn. */
  readonly #outside: AgentLife;

  /** Loads everything that is named. If any of it cannot run it throws `LoadError`, since it may be a guard. */
  constructor(options: RuntimeOptions = {}) {
    checkNames(options, OPTIONS, "runtime");
    const { paths = [], packs = [], hooks = [], allowedHosts, approver, judge, randomSeed } = options;
    const fields = {
      paths: paths.map((path) => (typeof path === "string" ? { path, layer: "project" } : { ...path })),
      packs: [...packs],
      hooks: hooks.map((hook) => hook.toNative(this.#key)),
      workspace: options.workspace,
      configDir: options.configDir,
      tape: options.tape?.native,
      approver: approver && nativeApprover(approver),
      judge: judge && nativeJudge(judge),
      shadow: options.shadow ?? false,
      redactSecrets: options.redactSecrets ?? false,
      allowedHosts: allowedHosts && [...allowedHosts],
      randomSeed: randomSeed === undefined ? undefined : wholeNumber(randomSeed, "randomSeed"),
      worker: [program, "script-worker"],
    };
    const { runtime, fault } = withErrors(TypeError, () => native.Runtime.build(fields));
    if (fault != null) {
      throw new LoadError(fault);
    }
    this.native = need(runtime);
    this.#outside = new AgentLife(this.native.life(null), this.#key);
  }

  /** Begins the life of an agent, for one turn: its prompt, model calls, tool calls and answer. */
  life(origin: Origin = {}): AgentLife {
    checkNames(origin, ["session", "agent", "turn", "depth", "cwd"], "origin");
    return new AgentLife(this.native.life({ ...origin }), this.#key);
  }

  #lifeOf(origin: Origin | undefined): AgentLife {
    return origin === undefined ? this.#outside : this.life(origin);
  }

  /** Fires an event and returns what all hooks decided. A hook that fails is part of the outcome. */
  fire(event: string, payload: Json, options: StepOptions & { origin?: Origin } = {}): Promise<Outcome> {
    return this.#lifeOf(options.origin).fire(event, payload, options);
  }

  fireSync(event: string, payload: Json, { origin }: { origin?: Origin } = {}): Outcome {
    return this.#lifeOf(origin).fireSync(event, payload);
  }

  /**
   * Asks all hooks about a tool call and returns it as they left it: run this call and no other.
   *
   * Throws `Refusal` if it must not run. Its reason is the call's result for the model.
   */
  decideToolCall(call: ToolCall, options: StepOptions = {}): Promise<ToolCall> {
    return this.#outside.decideToolCall(call, options);
  }

  decideToolCallSync(call: ToolCall): ToolCall {
    return this.#outside.decideToolCallSync(call);
  }

  /** Shows all hooks the result of a tool call, and returns what is left of it for the model. */
  concludeToolCall(call: ToolCall, output: ToolOutput, options: StepOptions = {}): Promise<ToolOutput> {
    return this.#outside.concludeToolCall(call, output, options);
  }

  concludeToolCallSync(call: ToolCall, output: ToolOutput): ToolOutput {
    return this.#outside.concludeToolCallSync(call, output);
  }

  /** Registers a hook on the running runtime. It runs after all other hooks and can only restrict further. */
  register(hook: Hook): HookRegistration {
    const { registration, fault } = withErrors(TypeError, () => this.native.register(hook.toNative(this.#key)));
    if (fault != null) {
      throw new LoadError(fault);
    }
    return need(registration);
  }

  /** Redacts secrets in a text, if redaction is on, by a hook or `redactSecrets`. */
  redact(text: string): string {
    return this.native.redact(text);
  }
}

/** A hook that was registered while the runtime runs. Dropping it leaves the hook active. */
export type HookRegistration = NativeRegistration;

/** The record of a session, written before the program acts. If it cannot be written, what is guarded is denied. */
export class Tape {
  /** @internal */
  readonly native: NativeTape;

  private constructor(tape: NativeTape) {
    this.native = tape;
  }

  /** Creates a tape in a new file. */
  static create(path: string, session: string): Tape {
    return new Tape(withErrors(TapeError, () => native.Tape.create(path, session)));
  }

  static inMemory(session: string): Tape {
    return new Tape(native.Tape.inMemory(session));
  }

  /** Replays a tape without its hooks. Throws `TapeError` with the first record that differs. */
  static replay(content: Uint8Array): void {
    withErrors(TapeError, () => native.Tape.replay(content));
  }

  /** Checks that nothing was changed, and that the program did what was decided. Throws `TapeError`. */
  static verify(content: Uint8Array): void {
    withErrors(TapeError, () => native.Tape.verify(content));
  }

  /** The records so far as JSON lines, if the tape is in memory. */
  toBytes(): Uint8Array {
    return this.native.toBytes();
  }

  /** Ends the tape and returns its SHA-256 in hex. */
  close(): string | null {
    return this.native.close() ?? null;
  }

  /** Why the tape can no longer be written; `null` if it can. */
  get error(): string | null {
    return this.native.error ?? null;
  }
}
