"""The adapter for Pydantic AI."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

import pintle
from pintle.adapters.pydantic_ai import PintleHooks
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]


def agent_of(runtime: pintle.Runtime, *calls: tuple[str, dict[str, Any]], tools: Any = (shell,)) -> Agent[None, str]:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart(name, args) for name, args in calls])

    return Agent(FunctionModel(model), tools=tools, capabilities=[PintleHooks(runtime)])


def results_of(result: Any) -> list[str]:
    parts = [part for message in result.all_messages() for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]


class TestSync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = results_of(agent_of(runtime, ("shell", args)).run_sync("go"))
        return result


class TestAsync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        async def run() -> Any:
            return await agent_of(runtime, ("shell", args)).run("go")

        [result] = results_of(asyncio.run(run()))
        return result


def test_calls_at_once_are_each_decided() -> None:
    calls = [("shell", {"command": command}) for command in ("ls", "rm -rf /", "pwd")]
    results = results_of(agent_of(pintle.Runtime(packs=["shell"]), *calls).run_sync("go"))
    assert ["ran" in result for result in results] == [True, False, True] and sorted(RAN) == ["ls", "pwd"]


def test_arguments_keep_their_types_and_changed_ones_are_validated() -> None:
    def book(day: datetime.date) -> str:
        RAN.append(repr(day))
        return "booked"

    calls = ("book", {"day": "2026-02-03"})
    agent_of(pintle.Runtime(), calls, tools=[book]).run_sync("go")
    later = pintle.Hook.on("tool.pre", lambda call: pintle.args({"day": "2027-02-03"}))
    agent_of(pintle.Runtime(hooks=[later]), calls, tools=[book]).run_sync("go")
    assert RAN == ["datetime.date(2026, 2, 3)", "datetime.date(2027, 2, 3)"]


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": tool, "model": FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart("done")]))}
