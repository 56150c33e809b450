"""Hooks that are Python functions, and what happens if they misbehave."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pintle
import pytest
from pintle import Hook, HookCall, Refusal, Runtime, ToolCall


def call(command: str = "ls") -> ToolCall:
    return ToolCall("1", "shell", {"command": command})


def runtime_of(function: Any, **options: Any) -> Runtime:
    return Runtime(hooks=[Hook.on("tool.pre", function, **options)])


def refusal_of(runtime: Runtime, asked: ToolCall | None = None) -> Refusal:
    with pytest.raises(Refusal) as raised:
        runtime.decide_tool_call(asked or call())
    return raised.value


def test_a_hook_answers_with_a_verdict() -> None:
    seen: list[Any] = []

    def guard(call: HookCall) -> pintle.Verdict | None:
        seen.append((call.event, call.tool, call.args, call.kind, call.session, call.turn, call.time_left))
        return pintle.deny("nothing is deleted") if call.args["command"].startswith("rm") else None

    runtime = runtime_of(guard, name="no_rm", tools=["Bash"])
    life = runtime.life(pintle.Origin("s1", agent="root", turn=3))
    assert life.decide_tool_call(call()).args == {"command": "ls"}
    with pytest.raises(Refusal) as raised:
        life.decide_tool_call(call("rm -rf ."))
    refusal = raised.value
    assert (refusal.event, refusal.reason, refusal.hooks) == ("tool.pre", "nothing is deleted", ("no_rm",))
    assert not refusal.stops_run and "nothing is deleted" in str(refusal)
    # It hears the call in the words of its names.
    assert seen[0] == ("tool.pre", "Bash", {"command": "ls"}, "shell", "s1", 3, None)


def test_decorated_functions_are_hooks_and_stay_functions() -> None:
    @pintle.on("prompt.submit", name="polite")
    def polite(call: HookCall) -> pintle.Verdict:
        return pintle.rewrite({"prompt": call.payload["prompt"] + ", please"}).context("be brief").notice("edited")

    life = Runtime(hooks=[polite]).life()
    assert life.submit_prompt("tidy up") == "tidy up, please"
    assert life.take_context() == ["be brief"] and life.take_context() == []
    assert polite.name == "polite" and callable(polite)


def test_an_allow_does_not_lift_a_deny_and_asking_needs_a_person() -> None:
    def ask(call: HookCall) -> pintle.Verdict:
        return pintle.ask("is this meant?")

    hooks = [Hook.on("tool.pre", lambda call: pintle.allow("fine")), Hook.on("tool.pre", ask, name="asking")]
    assert "is this meant?" in refusal_of(Runtime(hooks=hooks)).reason
    requests: list[Any] = []

    def approver(request: pintle.ApprovalRequest) -> pintle.ApprovalResponse:
        requests.append((request.event, request.subject, request.payload["args"], request.reasons))
        return pintle.approved("ada")

    Runtime(hooks=hooks, approver=approver).decide_tool_call(call())
    assert requests == [("tool.pre", "shell", {"command": "ls"}, [("asking", "is this meant?")])]
    for answer in (pintle.refused("ada"), pintle.unavailable(), pintle.deferred()):
        refusal_of(Runtime(hooks=hooks, approver=lambda request, answer=answer: answer))  # type: ignore[misc]


@pytest.mark.parametrize("answer", [True, False, "allow", "", 0, {}, [], {"decision": "allow"}, pintle.approved("me"), object()])
def test_what_is_not_a_verdict_is_a_failure(answer: Any) -> None:
    refusal_of(runtime_of(lambda call: answer))
    outcome = runtime_of(lambda call: answer, on_failure="allow").fire(
        "tool.pre", {"id": "1", "name": "shell", "args": {"command": "ls"}}
    )
    assert outcome and type(answer).__name__ in outcome.warnings[0]


@pytest.mark.parametrize("answer", [True, "yes", None, pintle.allow("yes")])
def test_what_is_not_a_response_does_not_approve(answer: Any) -> None:
    runtime = Runtime(hooks=[Hook.on("tool.pre", lambda call: pintle.ask("?"))], approver=lambda request: answer)
    with pytest.raises(TypeError, match="an approver returns a response"):
        runtime.decide_tool_call(call())


def crash(call: HookCall) -> None:
    raise ValueError("no such file")


def test_an_exception_is_a_failure_and_follows_the_policy() -> None:
    refusal_of(runtime_of(crash))
    refusal_of(runtime_of(crash, on_failure="deny"))
    assert runtime_of(crash, on_failure="allow").decide_tool_call(call()).name == "shell"
    outcome = Runtime(hooks=[Hook.on("session.idle", crash)]).fire("session.idle", {})
    assert outcome.is_allowed and "ValueError: no such file" in outcome.warnings[0]


def test_a_verdict_that_cannot_be_made_is_a_failure() -> None:
    for payload in ({"args": {"a": float("nan")}}, {"args": {1: 2}}, {"args": {"a": object()}}):
        refusal_of(runtime_of(lambda call, payload=payload: pintle.rewrite(payload)))
    # What an event does not let hooks replace stays.
    assert runtime_of(lambda call: pintle.rewrite({"id": "2"})).decide_tool_call(call()).id == "1"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
@pytest.mark.parametrize("policy", ["deny", "allow"])
def test_one_who_ends_the_program_is_not_swallowed(error: BaseException, policy: str) -> None:
    def interrupted(call: HookCall) -> None:
        raise error

    with pytest.raises(type(error)):
        runtime_of(interrupted, on_failure=policy).decide_tool_call(call())


def test_an_approver_that_raises_has_not_approved() -> None:
    def approver(request: pintle.ApprovalRequest) -> pintle.ApprovalResponse:
        raise KeyboardInterrupt

    runtime = Runtime(hooks=[Hook.on("tool.pre", lambda call: pintle.ask("?"))], approver=approver)
    with pytest.raises(KeyboardInterrupt):
        runtime.decide_tool_call(call())


def test_a_hook_that_takes_too_long_has_failed() -> None:
    def slow(call: HookCall) -> pintle.Verdict:
        while call.time_left:
            pass
        return pintle.allow("late")

    assert refusal_of(runtime_of(slow, timeout_ms=1, name="slow")).hooks == ("slow",)


def test_changing_the_payload_changes_nothing() -> None:
    def careless(call: HookCall) -> None:
        call.args["command"] = "rm -rf /"
        call.payload.clear()

    decided = runtime_of(careless).decide_tool_call(call())
    assert decided.args == {"command": "ls"}
    decided.args["command"] = "rm"
    assert decided.args == {"command": "ls"}


def test_hooks_fire_events_and_are_nested_no_deeper_than_eight() -> None:
    calls: list[str] = []

    def again(call: HookCall) -> pintle.Verdict | None:
        calls.append(call.event)
        nested = runtime.fire("custom.again", {})
        return None if nested else pintle.deny(nested.reason)

    runtime = Runtime(hooks=[Hook.on("custom.again", again)])
    assert runtime.fire("custom.again", {}).warnings == [] or calls
    assert len(calls) == 9
    # The turn of an agent that began outside of the hook makes no difference.
    calls.clear()
    life = runtime.life()
    runtime.register(Hook.on("custom.other", lambda call: None if life.fire("custom.other", {}) else pintle.deny("no")))
    life.fire("custom.other", {})


def test_two_runtimes_that_fire_each_other_end() -> None:
    runtimes: list[Runtime] = []

    def other(index: int) -> Any:
        return lambda call: None if runtimes[index].fire("custom.again", {}) else pintle.deny("no")

    runtimes.extend(Runtime(hooks=[Hook.on("custom.again", other(1 - index))]) for index in (0, 1))
    assert runtimes[0].fire("custom.again", {}) is not None


def test_a_hook_that_makes_runtimes_with_itself_fails() -> None:
    def fresh(call: HookCall) -> None:
        runtime_of(fresh).decide_tool_call(ToolCall("1", "shell", call.args))

    refusal_of(runtime_of(fresh))
    thread = threading.Thread(target=refusal_of, args=(runtime_of(fresh),))
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_a_shadow_hook_enforces_nothing() -> None:
    runtime_of(lambda call: pintle.deny("no"), shadow=True).decide_tool_call(call())
    Runtime(hooks=[Hook.on("tool.pre", lambda call: pintle.deny("no"))], shadow=True).decide_tool_call(call())


def test_hooks_come_and_go() -> None:
    runtime = Runtime()
    runtime.decide_tool_call(call())
    registration = runtime.register(Hook.on("tool.pre", lambda call: pintle.deny("no"), tools=["sh*"]))
    refusal_of(runtime)
    assert registration.is_active and registration.remove() and not registration.is_active
    runtime.decide_tool_call(call())


def test_what_cannot_be_a_hook_is_an_error() -> None:
    async def coroutine(call: HookCall) -> None: ...

    for function, kind in ((coroutine, "without `async`"), ("deny", "of type str"), (None, "of type NoneType")):
        with pytest.raises(TypeError, match=kind):
            Hook.on("tool.pre", function)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_failure"):
        Hook.on("tool.pre", crash, on_failure="open")  # type: ignore[arg-type]
    for event, options, why in (
        ("tool.pree", {}, "did you mean `tool.pre`"),
        ("tool.pre", {"tools": []}, "names no tool"),
        ("prompt.submit", {"tools": ["shell"]}, "is not about a tool call"),
    ):
        with pytest.raises(pintle.LoadError, match=why):
            Runtime(hooks=[Hook.on(event, crash, **options)])
        with pytest.raises(pintle.LoadError, match=why):
            Runtime().register(Hook.on(event, crash, **options))


def test_threads_are_not_held_up_by_a_hook_that_waits() -> None:
    entered, leave = threading.Event(), threading.Event()

    def waits(call: HookCall) -> None:
        if call.args["command"] == "wait":
            entered.set()
            assert leave.wait(30)

    runtime = runtime_of(waits)
    waiting = threading.Thread(target=runtime.decide_tool_call, args=(call("wait"),))
    waiting.start()
    assert entered.wait(30)
    # Other threads decide meanwhile, and the lock of the interpreter is free.
    results: list[str] = []
    others = [threading.Thread(target=lambda: results.append(runtime.decide_tool_call(call()).name)) for _ in range(8)]
    for thread in others:
        thread.start()
    for thread in others:
        thread.join(30)
    assert results == ["shell"] * 8 and waiting.is_alive()
    leave.set()
    waiting.join(30)


def test_a_log_line_is_on_the_tape() -> None:
    tape = pintle.Tape.in_memory("s1")
    runtime = Runtime(tape=tape, hooks=[Hook.on("tool.pre", lambda call: call.log("seen by the guard"))])
    runtime.decide_tool_call(call())
    assert b"seen by the guard" in tape.to_bytes()


def test_a_deep_recursion_in_a_hook_is_a_failure() -> None:
    def forever(call: HookCall) -> None:
        forever(call)

    sys.setrecursionlimit(1000)
    refusal_of(runtime_of(forever))
