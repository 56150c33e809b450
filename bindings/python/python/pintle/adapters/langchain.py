"""Hooks around the tools of a LangChain agent, which runs on LangGraph.

```python
import pintle
from langchain.agents import create_agent
from pintle.adapters.langchain import PintleMiddleware

runtime = pintle.Runtime(packs=["shell", "git"])
agent = create_agent(model, tools=[shell], middleware=[PintleMiddleware(runtime)])
```

The middleware sees every call of every tool of the agent, also those that run at once and those that other middleware adds.
It is the last of the list: middleware behind it could change a call that hooks have judged.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable

from langchain.agents.middleware.types import AgentMiddleware, ToolCallRequest
from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from pintle import ToolCall
from pintle.adapters._calls import Decider, plain_text, run_call, run_call_async

__all__ = ["PintleMiddleware"]

Result = ToolMessage | Command[Any]


class PintleMiddleware(AgentMiddleware[Any, Any, Any]):
    """Asks hooks about each tool call, and shows them its result."""

    def __init__(self, decider: Decider, *, vocabulary: str | None = None) -> None:
        """`vocabulary` names the agent whose names the tools have, such as `claude`. Default: Pintle's own."""
        super().__init__()
        self._decider = decider
        self._vocabulary = vocabulary

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        def run(decided: ToolCall) -> Result:
            return handler(_with_args(request, decided))

        result: Result | str = run_call(self._decider, self._call(request), run, _text_of, (GraphBubbleUp,))
        return _to_message(request, result)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        async def run(decided: ToolCall) -> Result:
            return await handler(_with_args(request, decided))

        result: Result | str = await run_call_async(self._decider, self._call(request), run, _text_of, (GraphBubbleUp,))
        return _to_message(request, result)

    def _call(self, request: ToolCallRequest) -> ToolCall:
        call = request.tool_call
        return ToolCall(call["id"] or "", call["name"], call["args"], vocabulary=self._vocabulary)


def _with_args(request: ToolCallRequest, decided: ToolCall) -> ToolCallRequest:
    return request.override(tool_call={**request.tool_call, "args": decided.args})


def _text_of(result: Result) -> str:
    """The texts that a result adds to the messages, in whatever form LangGraph takes them."""
    if isinstance(result, ToolMessage):
        return str(result.text)
    update = result.update
    if not isinstance(update, (list, tuple, dict)):
        update = vars(update) if update is not None else {}
    entries = update.items() if isinstance(update, dict) else update
    values = [value for key, value in entries if key == "messages"]
    messages = [message for value in values for message in (value if isinstance(value, list) else [value])]
    return "\n".join(str(message.text) if isinstance(message, BaseMessage) else plain_text(message) for message in messages)


def _to_message(request: ToolCallRequest, result: Result | str) -> Result:
    if not isinstance(result, str):
        return result
    call = request.tool_call
    return ToolMessage(content=result, name=call["name"], tool_call_id=call["id"] or "", status="error")
