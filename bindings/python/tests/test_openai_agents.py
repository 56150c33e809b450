"""The adapter for the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pintle
import pytest
from agents import Agent, RunConfig, Runner, UserError, WebSearchTool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from pintle.adapters.openai_agents import GuardedAgent, guard
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]

CONFIG = RunConfig(tracing_disabled=True)


def model_of(*calls: dict[str, str]) -> ScriptedModel:
    wanted = [function_call("shell", args, call_id=f"call_{index}") for index, args in enumerate(calls)]
    return ScriptedModel([wanted, [assistant_message("done")]])


def agent_of(*calls: dict[str, str]) -> Agent[Any]:
    return Agent(name="root", model=model_of(*calls), tools=[function_tool(shell)])


def results_of(result: Any) -> list[str]:
    return [str(item.output) for item in result.new_items if item.type == "tool_call_output_item"]


class TestSync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = results_of(Runner.run_sync(guard(agent_of(args), runtime), "go", run_config=CONFIG))
        return result


class TestAsync(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        async def run() -> Any:
            return await Runner.run(guard(agent_of(args), runtime).clone(name="clone"), "go", run_config=CONFIG)

        [result] = results_of(asyncio.run(run()))
        return result


def test_calls_at_once_are_each_decided() -> None:
    agent = agent_of({"command": "ls"}, {"command": "rm -rf /"}, {"command": "pwd"})
    results = results_of(Runner.run_sync(guard(agent, pintle.Runtime(packs=["shell"])), "go", run_config=CONFIG))
    assert ["ran" in result for result in results] == [True, False, True] and sorted(RAN) == ["ls", "pwd"]


@pytest.mark.parametrize("arguments", ["[]", "no json", '{"command": NaN}', "3"])
def test_arguments_that_hooks_cannot_judge_do_not_run(arguments: str) -> None:
    model = ScriptedModel([[function_call("shell", arguments, call_id="1")], [assistant_message("done")]])
    agent = guard(Agent(name="root", model=model, tools=[function_tool(shell)]), pintle.Runtime())
    [result] = results_of(Runner.run_sync(agent, "go", run_config=CONFIG))
    assert "does not run" in result and RAN == []


def test_tools_that_are_added_later_and_agents_that_take_over_are_guarded() -> None:
    runtime = pintle.Runtime(packs=["shell"])
    late = Agent(name="late", model=model_of({"command": "rm -rf /"}))
    guarded = guard(late, runtime)
    guarded.tools.append(function_tool(shell))
    Runner.run_sync(guarded, "go", run_config=CONFIG)

    other = agent_of({"command": "rm -rf /"})
    transfer = function_call("transfer_to_root", {}, call_id="0")
    first = Agent(name="first", model=ScriptedModel([[transfer]]), handoffs=[other])
    result = Runner.run_sync(guard(first, runtime), "go", run_config=CONFIG)
    assert isinstance(result.last_agent, GuardedAgent) and result.last_agent.name == "root"
    assert RAN == [] and "[shell.delete-root]" in results_of(result)[-1]


def test_what_cannot_be_guarded_is_an_error() -> None:
    runtime = pintle.Runtime()
    hosted = Agent(name="root", model=model_of({"command": "ls"}), tools=[WebSearchTool()])
    with pytest.raises(UserError, match="hooks cannot be asked about the tool `web_search`"):
        Runner.run_sync(guard(hosted, runtime), "go", run_config=CONFIG)
    inner = agent_of().as_tool("helper", "helps")
    with pytest.raises(UserError, match="call `guard` before `as_tool`"):
        Runner.run_sync(guard(Agent(name="root", model=model_of(), tools=[inner]), runtime), "go", run_config=CONFIG)


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": function_tool(tool), "model": ScriptedModel([[assistant_message("done")]])}
