"""Hooks around the tools of a Pydantic AI agent.

```python
import pintle
from pintle.adapters.pydantic_ai import PintleHooks
from pydantic_ai import Agent

runtime = pintle.Runtime(packs=["shell", "git"])
agent = Agent(model, tools=[shell], capabilities=[PintleHooks(runtime)])
```

The capability wraps the agent's toolset with all of its tools: functions, toolsets and MCP servers. It is the innermost one:
what hooks judge are the arguments with which the tool is called. Tools that the model's provider runs are not among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, UserError
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_core import to_json, to_jsonable_python

from pintle import ToolCall
from pintle.adapters._calls import Decider, run_call_async

__all__ = ["PintleHooks"]

_MESSAGES = (ApprovalRequired, CallDeferred, ModelRetry, SkipToolExecution, UserError)


@dataclass
class PintleHooks(AbstractCapability[Any]):
    """Asks hooks about each tool call, and shows them its result."""

    decider: Decider
    vocabulary: str | None = None
    """The agent whose names the tools have, such as `claude`. Default: Pintle's own."""

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _HookedToolset(toolset, self.decider, self.vocabulary)


@dataclass
class _HookedToolset(WrapperToolset[Any]):
    decider: Decider
    vocabulary: str | None

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        args = to_jsonable_python(tool_args)

        async def run(decided: ToolCall) -> Any:
            # What no hook changed keeps its types, such as dates and models.
            changed = decided.args
            final = tool_args if changed == args else tool.args_validator.validate_python(changed)
            return await self.wrapped.call_tool(name, final, ctx, tool)

        call = ToolCall(ctx.tool_call_id or "", name, args, vocabulary=self.vocabulary)
        return await run_call_async(self.decider, call, run, _text_of, _MESSAGES)


def _text_of(result: Any) -> str:
    return result if isinstance(result, str) else to_json(result, fallback=str).decode()
