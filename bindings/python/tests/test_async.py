"""Calls in asyncio: the loop does not wait, and what is cancelled has no effect."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Coroutine

import pintle
import pytest
from pintle import Hook, Refusal, Runtime, ToolCall


def call(command: str = "ls") -> ToolCall:
    return ToolCall("1", "shell", {"command": command})


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(coroutine, 30)

    return asyncio.run(limited())


class Gate:
    """A hook that waits until the test lets it go on."""

    def __init__(self) -> None:
        self.entered, self.leave, self.calls = threading.Event(), threading.Event(), []  # type: ignore[var-annotated]

    def __call__(self, call: pintle.HookCall) -> None:
        self.calls.append(call)
        self.entered.set()
        assert self.leave.wait(30)

    async def wait_until_entered(self) -> None:
        while not self.entered.is_set():
            await asyncio.sleep(0)


def test_every_step_has_a_twin() -> None:
    async def turn() -> list[Any]:
        runtime = Runtime(packs=["shell"], hooks=[Hook.on("prompt.submit", lambda call: pintle.context("brief"))])
        life = runtime.life(pintle.Origin("s1", turn=1))
        message = await life.begin_turn_async(await life.submit_prompt_async("hello"))
        request = {"model": "m", "messages": [{"role": "user", "content": message}]}
        reviewed = await life.review_async("completion.pre", request)
        decided = await life.decide_tool_call_async(call())
        output = await life.conclude_tool_call_async(decided, decided.result("a.txt"))
        answer = await life.review_answer_async(output.content)
        for denied in (life.decide_tool_call_async(call("rm -rf /")), runtime.decide_tool_call_async(call("rm -rf /"))):
            with pytest.raises(Refusal, match="shell.delete-root"):
                await denied
        other = await runtime.conclude_tool_call_async(decided, decided.result("b.txt"))
        fired = await runtime.fire_async("session.start", {"source": "startup"}, pintle.Origin("s1"))
        again = await life.fire_async("session.start", {"source": "startup"})
        end = await life.end_turn_async(answer.text)
        return [message, reviewed["model"], end, life.take_context(), other.content, bool(fired and again)]

    assert run(turn()) == ["hello", "m", "a.txt", ["brief"], "b.txt", True]


def test_the_loop_runs_while_a_hook_waits() -> None:
    gate = Gate()

    async def main() -> None:
        runtime = Runtime(hooks=[Hook.on("tool.pre", gate)])
        deciding = asyncio.ensure_future(runtime.decide_tool_call_async(call()))
        await gate.wait_until_entered()
        assert not deciding.done()
        gate.leave.set()
        assert (await deciding).name == "shell"

    run(main())
    assert len(gate.calls) == 1


def test_a_quick_hook_runs_on_the_thread_of_the_loop() -> None:
    threads: list[int] = []

    async def main() -> None:
        hook = Hook.on("tool.pre", lambda call: threads.append(threading.get_ident()), may_wait=False)
        await Runtime(hooks=[hook]).decide_tool_call_async(call())

    run(main())
    assert threads == [threading.get_ident()]


def test_a_cancelled_call_cancels_its_hooks() -> None:
    gate = Gate()

    async def main() -> None:
        tape = pintle.Tape.in_memory("s1")
        later: list[str] = []
        hooks = [Hook.on("tool.pre", gate), Hook.on("tool.pre", lambda call: later.append(call.event))]
        runtime = Runtime(hooks=hooks, tape=tape)
        deciding = asyncio.ensure_future(runtime.decide_tool_call_async(call()))
        await gate.wait_until_entered()
        assert not gate.calls[0].is_cancelled
        deciding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await deciding
        assert gate.calls[0].is_cancelled
        gate.leave.set()
        # The runtime is as usable as before.
        await runtime.decide_tool_call_async(call())

    run(main())


def test_a_coroutine_that_is_not_awaited_does_nothing() -> None:
    calls: list[str] = []
    runtime = Runtime(hooks=[Hook.on("tool.pre", lambda call: calls.append(call.event))])
    runtime.decide_tool_call_async(call()).close()
    assert calls == []


def test_many_calls_at_once() -> None:
    async def main() -> None:
        runtime = Runtime(packs=["shell"], hooks=[Hook.on("tool.pre", lambda call: None)])
        commands = ["ls", "rm -rf /"] * 50
        calls = [runtime.decide_tool_call_async(call(command)) for command in commands]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [isinstance(result, Refusal) for result in results] == [False, True] * 50

    run(main())


def test_more_hooks_than_threads_wait_at_once() -> None:
    async def main() -> None:
        gate = Gate()
        runtime = Runtime(hooks=[Hook.on("tool.pre", gate)])
        tasks = [asyncio.ensure_future(runtime.decide_tool_call_async(call())) for _ in range(200)]
        await gate.wait_until_entered()
        gate.leave.set()
        assert len(await asyncio.gather(*tasks)) == 200

    run(main())


def test_an_approver_that_raises_on_another_thread_has_not_approved() -> None:
    reported: list[Any] = []

    def approver(request: pintle.ApprovalRequest) -> pintle.ApprovalResponse:
        raise OSError("the terminal is gone")

    async def main() -> None:
        asks = Hook.on("tool.pre", lambda call: pintle.ask("?"))
        with pytest.raises(Refusal):
            await Runtime(hooks=[asks], approver=approver).decide_tool_call_async(call())

    import sys

    hook, sys.unraisablehook = sys.unraisablehook, reported.append
    try:
        run(main())
    finally:
        sys.unraisablehook = hook
    assert "the terminal is gone" in str(reported[0].exc_value)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_hook_that_ends_the_program_on_another_thread_denies() -> None:
    def leaves(call: pintle.HookCall) -> None:
        raise SystemExit(3)

    async def main() -> None:
        with pytest.raises(Refusal):
            await Runtime(hooks=[Hook.on("tool.pre", leaves)]).decide_tool_call_async(call())

    run(main())


def test_a_loop_that_was_closed_meanwhile() -> None:
    gate = Gate()
    runtime = Runtime(hooks=[Hook.on("tool.pre", gate)])
    loop = asyncio.new_event_loop()
    deciding = loop.create_task(runtime.decide_tool_call_async(call()))
    loop.run_until_complete(gate.wait_until_entered())
    deciding.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(deciding)
    loop.close()
    gate.leave.set()
    runtime.decide_tool_call(call())
