"""The adapter for LangChain."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pintle
import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command
from pintle.adapters.langchain import PintleMiddleware
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]


class ScriptedModel(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self


def agent_of(runtime: pintle.Runtime, *calls: dict[str, str], tool: Any = shell) -> Any:
    wanted = [{"name": "shell", "args": args, "id": f"call_{index}"} for index, args in enumerate(calls)]
    model = ScriptedModel(messages=iter([AIMessage("", tool_calls=wanted), AIMessage("done")]))
    return create_agent(model, tools=[tool], middleware=[PintleMiddleware(runtime)])


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


@pytest.mark.parametrize("form", ["fields", "pairs", "plain"])
def test_hooks_see_what_a_command_adds_to_the_messages(form: str) -> None:
    @tool("shell")
    def commanding(command: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Any:
        """Runs a command line."""
        message: Any = ToolMessage("hidden", tool_call_id=tool_call_id)
        plain = {"role": "tool", "content": "hidden", "tool_call_id": tool_call_id}
        added = [plain if form == "plain" else message]
        return Command(update=[("messages", added)] if form == "pairs" else {"messages": added})

    withholds = pintle.Hook.on("tool.post", lambda call: pintle.deny("private") if "hidden" in call.payload["content"] else None)
    agent = agent_of(pintle.Runtime(hooks=[withholds]), {"command": "ls"}, tool=commanding)
    [text] = results_of(agent.invoke(PROMPT))
    assert "private" in text and "hidden" not in text


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
