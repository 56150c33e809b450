"""The adapter for LangChain."""

from __future__ import annotations

import asyncio
from typing import Any

import pintle
import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from pintle.adapters.langchain import PintleMiddleware
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]


class ScriptedModel(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def agent_of(runtime: pintle.Runtime, *calls: dict[str, str]) -> Any:
    wanted = [{"name": "shell", "args": args, "id": f"call_{index}"} for index, args in enumerate(calls)]
    model = ScriptedModel(messages=iter([AIMessage("", tool_calls=wanted), AIMessage("done")]))
    return create_agent(model, tools=[shell], middleware=[PintleMiddleware(runtime)])


PROMPT = {"messages": [{"role": "user", "content": "go"}]}


def results_of(state: dict[str, Any]) -> list[str]:
    return [str(message.content) for message in state["messages"] if isinstance(message, ToolMessage)]


class TestSync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = results_of(agent_of(runtime, args).invoke(PROMPT))
        return result


class TestAsync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = results_of(asyncio.run(agent_of(runtime, args).ainvoke(PROMPT)))
        return result


def test_calls_at_once_are_each_decided() -> None:
    runtime = pintle.Runtime(packs=["shell"])
    calls = [{"command": "ls"}, {"command": "rm -rf /"}, {"command": "pwd"}]
    results = results_of(agent_of(runtime, *calls).invoke(PROMPT))
    assert ["ran" in result for result in results] == [True, False, True] and sorted(RAN) == ["ls", "pwd"]


def test_a_refusal_that_ends_the_run_ends_it() -> None:
    refusal = pintle.Refusal("tool.pre denied: enough", "tool.pre", "enough", ["h"], stops_run=True)

    class Stopping:
        def decide_tool_call(self, call: pintle.ToolCall) -> pintle.ToolCall:
            raise refusal

    with pytest.raises(pintle.Refusal, match="enough"):
        agent_of(Stopping(), {"command": "ls"}).invoke(PROMPT)  # type: ignore[arg-type]
    assert RAN == []


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": tool, "model": ScriptedModel(messages=iter([AIMessage("done")]))}
