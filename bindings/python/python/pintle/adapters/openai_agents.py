"""Hooks around the tools of an agent of the OpenAI Agents SDK.

```python
import pintle
from agents import Agent, Runner
from pintle.adapters.openai_agents import guard

runtime = pintle.Runtime(packs=["shell", "git"])
agent = guard(Agent(name="root", model=model, tools=[shell]), runtime)
result = Runner.run_sync(agent, "tidy up")
```

A guarded agent asks hooks about each call of its functions and MCP servers, and so do the agents to which it hands off. Tools
that OpenAI runs, such as web search, are out of reach: an agent with one does not start unless `unguarded` names it.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field, fields, replace
from typing import Any

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, Tool, UserError
from agents.tool_context import ToolContext

from pintle import ToolCall
from pintle.adapters._calls import Decider, plain_text, run_call_async

__all__ = ["GuardedAgent", "guard"]


def guard(agent: Agent[Any], decider: Decider, *, unguarded: tuple[str, ...] = (), vocabulary: str | None = None) -> Agent[Any]:
    """The agent with hooks around its tools, and those to which it hands off.

    `unguarded` names the tools about which hooks need not be asked. `vocabulary` names the agent whose names the tools have,
    such as `claude`; default: Pintle's own.
    """
    return _Guarding(decider, unguarded, vocabulary).guard(agent)


@dataclass
class _Guarding:
    decider: Decider
    unguarded: tuple[str, ...]
    vocabulary: str | None
    known: dict[int, tuple[Agent[Any], GuardedAgent]] = field(default_factory=dict)
    """The agents that are guarded, by the ID of the original, which is kept so that the ID stays its own."""

    def guard(self, agent: Agent[Any]) -> GuardedAgent:
        if isinstance(agent, GuardedAgent):
            return agent
        if type(agent) is not Agent:
            raise UserError(f"hooks cannot be put around an agent of type {type(agent).__name__}, only around `Agent`")
        if id(agent) not in self.known:
            copied = {item.name: getattr(agent, item.name) for item in fields(agent) if item.init}
            guarded = GuardedAgent(**copied, guarding=self)
            self.known[id(agent)] = (agent, guarded)
            guarded.handoffs = [self._guard_handoff(handoff) for handoff in agent.handoffs]
        return self.known[id(agent)][1]

    def _guard_handoff(self, handoff: Agent[Any] | Handoff[Any, Any]) -> Agent[Any] | Handoff[Any, Any]:
        if isinstance(handoff, Agent):
            return self.guard(handoff)
        invoke = handoff.on_invoke_handoff

        async def invoke_guarded(context: RunContextWrapper[Any], arguments: str) -> Agent[Any]:
            return self.guard(await invoke(context, arguments))

        return replace(handoff, on_invoke_handoff=invoke_guarded)

    def guard_tool(self, tool: Tool) -> Tool:
        if isinstance(tool, FunctionTool):
            inner = getattr(tool, "_agent_instance", None)
            if inner is not None and not isinstance(inner, GuardedAgent) and tool.name not in self.unguarded:
                raise UserError(f"the agent in the tool `{tool.name}` has no hooks; call `guard` before `as_tool`")
            if isinstance(tool.on_invoke_tool, _GuardedInvoker):
                return tool
            guarded = copy.copy(tool)
            guarded.on_invoke_tool = _GuardedInvoker(self, guarded.name, guarded.on_invoke_tool)
            return guarded
        if tool.name in self.unguarded:
            return tool
        raise UserError(f"hooks cannot be asked about the tool `{tool.name}`; name it in `unguarded` to use it without them")


@dataclass
class GuardedAgent(Agent[Any]):
    """An agent whose tools ask hooks. `guard` makes it; a `clone` is guarded, too."""

    guarding: Any = None

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        # The list may have grown since the agent was made.
        self.tools[:] = [self.guarding.guard_tool(tool) for tool in self.tools]
        return [self.guarding.guard_tool(tool) for tool in await super().get_all_tools(run_context)]


@dataclass
class _GuardedInvoker:
    """Calls a tool with the arguments that hooks left, or not at all."""

    guarding: _Guarding
    name: str
    invoke: Any

    async def __call__(self, context: ToolContext[Any], arguments: str) -> Any:
        try:
            call = self._call(context, arguments)
        except (TypeError, ValueError) as error:
            return f"The call of {self.name} does not run: its arguments are not a JSON object ({error})."

        async def run(decided: ToolCall) -> Any:
            # What the SDK prepared from the model's text must not run: only these arguments were judged.
            context._function_tool_arguments = None
            return await self.invoke(context, json.dumps(decided.args))

        return await run_call_async(self.guarding.decider, call, run, plain_text)

    def _call(self, context: ToolContext[Any], arguments: str) -> ToolCall:
        args = json.loads(arguments or "{}")
        if not isinstance(args, dict):
            raise TypeError(f"they are of type {type(args).__name__}")
        vocabulary = self.guarding.vocabulary
        return ToolCall(context.tool_call_id, self.name, args, arguments_text=arguments, vocabulary=vocabulary)
