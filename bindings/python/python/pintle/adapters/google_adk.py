"""Hooks around the tools of the agents of Google's Agent Development Kit.

```python
import pintle
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from pintle.adapters.google_adk import PintlePlugin

runtime = pintle.Runtime(packs=["shell", "git"])
agent = LlmAgent(name="root", model=model, tools=[shell])
runner = InMemoryRunner(app=App(name="work", root_agent=agent, plugins=[PintlePlugin(runtime)]))
```

Hooks are asked about each call of each tool of each agent that the runner runs, also those that run at once, and are shown its
result. It is the last of the plugins: what is behind it, also an agent's own `before_tool_callback`, could change a call that hooks
have judged. If a hook ends the run, the runner raises a `RuntimeError` whose cause is the `Refusal`. Code that a model runs itself
is not a tool, and hooks do not see it.
"""

from __future__ import annotations

from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from pintle import AgentLife, Origin, Refusal, Runtime, ToolCall
from pintle.adapters._calls import Decider, check_name, json_text, take_refusal, value_like

__all__ = ["PintlePlugin"]


class PintlePlugin(BasePlugin):
    """Asks hooks about each tool call, and shows them its result."""

    def __init__(self, decider: Decider, *, name: str = "pintle", vocabulary: str | None = None) -> None:
        """`vocabulary` names the agent whose names the tools have, such as `gemini`. Default: Pintle's own."""
        super().__init__(name)
        self._decider = decider
        self._vocabulary = vocabulary
        self._running: dict[int, ToolCall] = {}
        """The calls that run, as hooks left them, by the identity of their context: a model may give two calls the same ID."""

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        self._running.pop(id(tool_context), None)
        try:
            call = self._call(tool, tool_args, tool_context)
            decided = await self._life(tool_context).decide_tool_call_async(call)
            check_name(call, decided)
        except Refusal as refusal:
            return {"error": take_refusal(refusal)}
        self._running[id(tool_context)] = decided
        # The kit passes on the object that it has.
        tool_args.clear()
        tool_args.update(decided.args)
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        # What was refused, or answered by another plugin, has not run.
        call = self._running.pop(id(tool_context), None)
        if call is None:
            return None
        text = _text_of(result)
        reviewed = await self._life(tool_context).conclude_tool_call_async(call, call.result(text))
        if reviewed.content == text and not reviewed.is_error:
            return None
        if reviewed.is_error:
            return {"error": reviewed.content}
        value = value_like(result, reviewed.content)
        return value if isinstance(value, dict) else {"result": value}

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> dict[str, Any] | None:
        call = self._running.pop(id(tool_context), None)
        if call is None:
            return None
        reviewed = await self._life(tool_context).conclude_tool_call_async(call, call.error(str(error)))
        return None if reviewed.content == str(error) else {"error": reviewed.content}

    def _call(self, tool: BaseTool, args: dict[str, Any], context: ToolContext) -> ToolCall:
        return ToolCall(context.function_call_id or "", tool.name, args, vocabulary=self._vocabulary)

    def _life(self, context: ToolContext) -> AgentLife:
        if isinstance(self._decider, Runtime):
            return self._decider.life(Origin(context.session.id, agent=context.agent_name))
        return self._decider


def _text_of(result: Any) -> str:
    """The text of a result, which may be any object of Python."""
    try:
        return json_text(result)
    except (TypeError, ValueError):
        return str(result)
