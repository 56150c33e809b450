"""The way of a call that the adapters share: tools that fail, and hooks that rename."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

import pintle
import pytest
from pintle import Hook, Refusal, Runtime, ToolCall
from pintle.adapters._calls import run_call, run_call_async


def play(runtime: Runtime, run: Any, passing: tuple[type[BaseException], ...] = ()) -> list[Any]:
    """What comes back, sync and async: a result or an exception."""

    async def run_async(call: ToolCall) -> Any:
        return run(call)

    async def asynchronous() -> Any:
        return await run_call_async(runtime, ToolCall("1", "shell", {}), run_async, str, passing)

    results: list[Any] = []
    ways: list[Callable[[], Any]] = [
        lambda: run_call(runtime, ToolCall("1", "shell", {}), run, str, passing),
        lambda: asyncio.run(asynchronous()),
    ]
    for way in ways:
        try:
            results.append(way())
        except Exception as error:
            results.append(error)
    assert str(results[0]) == str(results[1])
    return results


class Pause(Exception):
    """A message to the framework."""


def test_an_error_of_the_tool_stays_one_unless_hooks_change_its_text() -> None:
    def fails(call: ToolCall) -> Any:
        raise OSError("cannot open the key file")

    assert all(isinstance(result, OSError) for result in play(Runtime(), fails))
    masks = Hook.on("tool.post", lambda call: pintle.rewrite({"content": "it failed"}))
    assert play(Runtime(hooks=[masks]), fails) == ["it failed", "it failed"]


def test_a_message_to_the_framework_is_not_a_result() -> None:
    seen: list[str] = []

    def pauses(call: ToolCall) -> Any:
        raise Pause("later")

    runtime = Runtime(hooks=[Hook.on("tool.post", lambda call: seen.append(call.event))])
    assert all(isinstance(result, Pause) for result in play(runtime, pauses, (Pause,))) and seen == []


def test_a_result_keeps_its_type_unless_hooks_change_its_text() -> None:
    assert play(Runtime(), lambda call: {"a": 1}) == [{"a": 1}] * 2


def test_the_call_of_another_tool_does_not_run() -> None:
    ran: list[str] = []
    renames = Hook.on("tool.pre", lambda call: pintle.rewrite({"name": "write"}))
    results = play(Runtime(hooks=[renames]), lambda call: ran.append(call.name))
    assert ran == [] and all("changed this into a call of `write`" in result for result in results)


def test_a_refusal_that_ends_the_run_is_raised() -> None:
    from pintle.adapters._calls import take_refusal

    with pytest.raises(Refusal):
        take_refusal(Refusal("denied", "tool.pre", "enough", stops_run=True))
    assert take_refusal(Refusal("denied", "tool.pre", "not this")) == "not this"
