"""The types of the native module. `pintle` exports them."""

import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, final

from pintle._values import ReviewedAnswer

__all__ = [
    "AgentLife",
    "ApprovalRequest",
    "ApprovalResponse",
    "Hook",
    "HookCall",
    "HookRegistration",
    "JudgeRequest",
    "Origin",
    "Outcome",
    "PendingCall",
    "Runtime",
    "Tape",
    "ToolCall",
    "ToolOutput",
    "Verdict",
    "allow",
    "approved",
    "args",
    "ask",
    "context",
    "deferred",
    "deny",
    "notice",
    "refused",
    "remind",
    "rewrite",
    "run_worker",
    "unavailable",
    "wait_for_hooks",
]

_Layer = Literal["managed", "user", "project"]
_Path = str | os.PathLike[str]
_HookFunction = Callable[[HookCall], Verdict | None]

@final
class Runtime:
    """A compiled set of hooks. Any thread can use it, and the interpreter runs other threads while hooks are called."""

    def __new__(
        cls,
        *,
        paths: Sequence[_Path | tuple[_Path, _Layer]] = ...,
        packs: Sequence[str] = ...,
        hooks: Sequence[Hook] = ...,
        workspace: _Path | None = None,
        config_dir: _Path | None = None,
        tape: Tape | None = None,
        approver: Callable[[ApprovalRequest], ApprovalResponse] | None = None,
        judge: Callable[[JudgeRequest], str] | None = None,
        shadow: bool = False,
        redact_secrets: bool = False,
        allowed_hosts: Sequence[str] | None = None,
        random_seed: int | None = None,
    ) -> Runtime:
        """Loads everything that is named. If any of it cannot run it raises `LoadError`, since it may be a guard.

        `paths` are projects, `.harness` directories, directories of hooks, or hook files, which are trusted because the
        program names them; each may be a tuple with its layer, `"project"` by default. `packs` are rules about what calls
        would do, such as `shell`. `hooks` are functions of the program, before those of files. `approver` answers when a hook
        asks; without one, asking denies. `judge` calls language models for hooks whose verdict comes from one. `shadow` calls
        every hook and enforces nothing. `redact_secrets` keeps secrets off the tape, and turns `redact` on. `allowed_hosts` are
        those to which scripts may connect.
        """

    def fire(self, event: str, payload: Mapping[str, Any] | str, origin: Origin | None = None) -> Outcome:
        """Fires an event and returns what all hooks decided. A hook that fails is part of the outcome."""

    def fire_async(
        self, event: str, payload: Mapping[str, Any] | str, origin: Origin | None = None
    ) -> Coroutine[Any, Any, Outcome]: ...
    def decide_tool_call(self, call: ToolCall) -> ToolCall:
        """Asks all hooks about a tool call and returns it as they left it: run this call and no other.

        Raises `Refusal` if it must not run. Its reason is the call's result for the model.
        """

    def decide_tool_call_async(self, call: ToolCall) -> Coroutine[Any, Any, ToolCall]: ...
    def conclude_tool_call(self, call: ToolCall, output: ToolOutput) -> ToolOutput:
        """Shows all hooks the result of a tool call, and returns what is left of it for the model."""

    def conclude_tool_call_async(self, call: ToolCall, output: ToolOutput) -> Coroutine[Any, Any, ToolOutput]: ...
    def life(self, origin: Origin | None = None) -> AgentLife:
        """Begins the life of an agent, for one turn: its prompt, model calls, tool calls and answer."""

    def register(self, hook: Hook) -> HookRegistration:
        """Registers a hook on the running runtime. It runs after all other hooks and can only restrict further."""

    def redact(self, text: str) -> str:
        """Redacts secrets in a text, if redaction is on, by a hook or `redact_secrets`."""

@final
class AgentLife:
    """One turn of an agent: one method for each step, in the order in which an agent takes them.

    A step that hooks deny raises `Refusal`. Each has an async twin; cancelling it cancels the step, which must then not be
    taken.
    """

    def fire(self, event: str, payload: Mapping[str, Any] | str) -> Outcome: ...
    def fire_async(self, event: str, payload: Mapping[str, Any] | str) -> Coroutine[Any, Any, Outcome]: ...
    def review(self, event: str, payload: Mapping[str, Any] | str) -> Any:
        """Shows hooks a step that has no method of its own, such as `completion.pre`; returns its payload as they left it."""

    def review_async(self, event: str, payload: Mapping[str, Any] | str) -> Coroutine[Any, Any, Any]: ...
    def submit_prompt(self, prompt: str) -> str: ...
    def submit_prompt_async(self, prompt: str) -> Coroutine[Any, Any, str]: ...
    def begin_turn(self, message: str) -> str: ...
    def begin_turn_async(self, message: str) -> Coroutine[Any, Any, str]: ...
    def decide_tool_call(self, call: ToolCall) -> ToolCall: ...
    def decide_tool_call_async(self, call: ToolCall) -> Coroutine[Any, Any, ToolCall]: ...
    def conclude_tool_call(self, call: ToolCall, output: ToolOutput) -> ToolOutput: ...
    def conclude_tool_call_async(self, call: ToolCall, output: ToolOutput) -> Coroutine[Any, Any, ToolOutput]: ...
    def review_answer(self, text: str) -> ReviewedAnswer:
        """Asks hooks whether the agent may stop with this answer. If not, it continues with `next_message`."""

    def review_answer_async(self, text: str) -> Coroutine[Any, Any, ReviewedAnswer]: ...
    def end_turn(self, text: str) -> str: ...
    def end_turn_async(self, text: str) -> Coroutine[Any, Any, str]: ...
    def take_context(self) -> list[str]:
        """Takes what hooks told the model since the last call, for the next model call."""

    def cancel(self) -> None:
        """Cancels the turn: hooks that wait are cancelled, and every further step is refused."""

@final
class Origin:
    """The session, turn and agent that an event belongs to. Relative paths of tool calls refer to `cwd`."""

    def __new__(
        cls, session: str = "", *, agent: str = "", turn: int = 0, depth: int = 0, cwd: _Path | None = None
    ) -> Origin: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class ToolCall:
    """A tool call that an agent wants to make. Names and arguments are Pintle's, unless `vocabulary` names an agent."""

    def __new__(
        cls,
        id: str,
        name: str,
        args: Mapping[str, Any],
        *,
        vocabulary: str | None = None,
        cwd: _Path | None = None,
        arguments_text: str | None = None,
        permission_mode: str | None = None,
        read_only: bool | None = None,
    ) -> ToolCall: ...
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def args(self) -> Any:
        """The arguments, as a new object each time."""

    def result(self, content: str) -> ToolOutput:
        """The result of the call, for `conclude_tool_call`."""

    def error(self, message: str) -> ToolOutput:
        """The result of a call that failed."""

@final
class ToolOutput:
    """What a tool returned, as the model receives it."""

    @property
    def content(self) -> str: ...
    @property
    def is_error(self) -> bool:
        """Whether the tool failed, or a hook withheld its result."""

@final
class Outcome:
    """The result of firing an event. It is true only if the host may go on, which it does with `payload`."""

    def __bool__(self) -> bool: ...
    @property
    def decision(self) -> Literal["allow", "ask", "deny"]: ...
    @property
    def is_allowed(self) -> bool: ...
    @property
    def payload(self) -> Any: ...
    @property
    def is_rewritten(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def reason_for_model(self) -> str: ...
    @property
    def stop_reason(self) -> str | None: ...
    @property
    def approved_by(self) -> str | None: ...
    @property
    def context(self) -> list[str]: ...
    @property
    def notices(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]:
        """What the user should know of: hooks that failed or did not run, whatever was decided."""

    @property
    def hooks_called(self) -> int: ...

@final
class Hook:
    """A function that is called on an event. What it raises is a failure, and so is anything that is not a verdict."""

    @staticmethod
    def on(
        event: str,
        function: _HookFunction,
        *,
        name: str | None = None,
        tools: Sequence[str] | None = None,
        on_failure: Literal["deny", "allow"] | None = None,
        timeout_ms: int | None = None,
        may_wait: bool = True,
        shadow: bool = False,
    ) -> Hook:
        """Creates a hook.

        `tools` are names, or patterns with `*`. `on_failure` says what a failure means; by default it denies what is guarded.
        A function that took longer than `timeout_ms` has failed. Async calls run the function on another thread, unless
        `may_wait` is false: then it must be quick.
        """

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def event(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def function(self) -> _HookFunction: ...

@final
class HookCall:
    """One call of a hook. The payload is the hook's own copy: changing it changes nothing, `rewrite` does."""

    @property
    def event(self) -> str: ...
    @property
    def payload(self) -> Any: ...
    @property
    def tool(self) -> str | None: ...
    @property
    def args(self) -> Any: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def session(self) -> str: ...
    @property
    def agent(self) -> str: ...
    @property
    def turn(self) -> int: ...
    @property
    def cwd(self) -> str: ...
    @property
    def is_cancelled(self) -> bool:
        """Whether the verdict is no longer needed."""

    @property
    def time_left(self) -> float | None:
        """The seconds that are left of the hook's time limit; `None` if it has none."""

    def log(self, message: str) -> None:
        """Writes a line to the session's log, which the tape has."""

@final
class HookRegistration:
    """A hook that was registered while the runtime runs. Dropping it leaves the hook active."""

    @property
    def is_active(self) -> bool: ...
    def remove(self) -> bool: ...

@final
class Verdict:
    """What a hook says about an event. Texts can be added to any of them."""

    def with_rewrite(self, payload: Mapping[str, Any] | str) -> Verdict:
        """Adds a rewrite to an allow or an ask, which is then about the rewritten payload."""

    def context(self, text: str) -> Verdict: ...
    def remind(self, text: str) -> Verdict: ...
    def notice(self, text: str) -> Verdict: ...

def deny(reason: str) -> Verdict:
    """Denies the event. The model is shown the reason."""

def ask(reason: str) -> Verdict:
    """Requires the user's approval; without an approver the event is denied."""

def allow(reason: str = "") -> Verdict:
    """Allows the event. It may replace the user's approval, but never lifts another hook's deny."""

def rewrite(payload: Mapping[str, Any] | str) -> Verdict:
    """Replaces fields of the payload, such as `{"prompt": "…"}`, or a payload that is a text."""

def args(args: Mapping[str, Any]) -> Verdict:
    """Replaces the arguments of a tool call."""

def context(text: str) -> Verdict:
    """Says something to the model."""

def remind(text: str) -> Verdict:
    """Reminds the model of something in this turn."""

def notice(text: str) -> Verdict:
    """Says something to the user."""

@final
class ApprovalRequest:
    """A request to approve an event. It is about exactly the payload that it shows."""

    @property
    def event(self) -> str: ...
    @property
    def subject(self) -> str | None: ...
    @property
    def payload(self) -> Any: ...
    @property
    def reasons(self) -> list[tuple[str, str]]:
        """The reasons, each behind the name of the hook that asks."""

@final
class ApprovalResponse:
    """The response to an `ApprovalRequest`. An approver that returns anything else has not approved."""

def approved(approver: str) -> ApprovalResponse: ...
def refused(approver: str) -> ApprovalResponse: ...
def deferred() -> ApprovalResponse:
    """The program asks its user itself: the decision of `fire` stays `ask`. A tool call is refused."""

def unavailable() -> ApprovalResponse:
    """The user cannot be asked: the event is denied."""

@final
class JudgeRequest:
    """A request to a language model, for a hook whose verdict comes from a model."""

    @property
    def model(self) -> str: ...
    @property
    def instruction(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def schema(self) -> tuple[str, Any] | None: ...
    @property
    def timeout_ms(self) -> int: ...

@final
class Tape:
    """The record of a session, written before the program acts. If it cannot be written, what is guarded is denied."""

    @staticmethod
    def create(path: _Path, session: str) -> Tape:
        """Creates a tape in a new file."""

    @staticmethod
    def in_memory(session: str) -> Tape: ...
    def to_bytes(self) -> bytes:
        """The records so far as JSON lines, if the tape is in memory."""

    def close(self) -> str | None:
        """Ends the tape and returns its SHA-256 in hex."""

    @property
    def error(self) -> str | None:
        """Why the tape can no longer be written; `None` if it can."""

    @staticmethod
    def replay(content: bytes) -> None:
        """Replays a tape without its hooks. Raises `TapeError` with the first record that differs."""

    @staticmethod
    def verify(content: bytes) -> None:
        """Checks that nothing was changed, and that the program did what was decided. Raises `TapeError`."""

@final
class PendingCall:
    def poll(self, wake: Callable[[], None]) -> tuple[Any] | None: ...
    def cancel(self) -> None: ...

def run_worker() -> int: ...
def wait_for_hooks() -> None: ...
