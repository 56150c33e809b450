"""The way of a tool call through hooks, which is the same in every framework."""

from __future__ import annotations

import json
from typing import Any, Awaitable, Callable, TypeVar

from pintle import AgentLife, Refusal, Runtime, ToolCall, ToolOutput

Result = TypeVar("Result")
Decider = Runtime | AgentLife
"""What decides: a runtime, or the turn of an agent with its session and directory."""


def take_refusal(refusal: Refusal) -> str:
    """The result of a call that must not run, for the model. A refusal that ends the run is raised."""
    if refusal.stops_run:
        raise refusal
    return refusal.reason


def check_name(asked: ToolCall, decided: ToolCall) -> None:
    """Raises if hooks made it the call of another tool, which the framework has not chosen."""
    if decided.name != asked.name:
        reason = f"hooks changed this into a call of `{decided.name}`, which the agent cannot run instead"
        raise Refusal(f"tool.pre denied: {reason}", "tool.pre", reason)


def run_call(
    decider: Decider,
    call: ToolCall,
    run: Callable[[ToolCall], Result],
    text_of: Callable[[Result], str],
    passing: tuple[type[BaseException], ...] = (),
) -> Result | str:
    """The result of a tool call, or the text that the model receives instead.

    `run` calls the tool with the arguments that hooks left. Exceptions in `passing` are messages to the framework, and not
    errors of the tool.
    """
    try:
        decided = decider.decide_tool_call(call)
        check_name(call, decided)
    except Refusal as refusal:
        return take_refusal(refusal)
    try:
        result = run(decided)
    except passing:
        raise
    except Exception as error:
        reviewed = review_error(decider, decided, error)
        if reviewed is None:
            raise
        return reviewed
    text = text_of(result)
    return pick_result(result, text, decider.conclude_tool_call(decided, decided.result(text)))


async def run_call_async(
    decider: Decider,
    call: ToolCall,
    run: Callable[[ToolCall], Awaitable[Result]],
    text_of: Callable[[Result], str],
    passing: tuple[type[BaseException], ...] = (),
) -> Result | str:
    """`run_call`, without blocking the loop."""
    try:
        decided = await decider.decide_tool_call_async(call)
        check_name(call, decided)
    except Refusal as refusal:
        return take_refusal(refusal)
    try:
        result = await run(decided)
    except passing:
        raise
    except Exception as error:
        reviewed = await decider.conclude_tool_call_async(decided, decided.error(str(error)))
        if reviewed.content == str(error):
            raise
        return reviewed.content
    text = text_of(result)
    return pick_result(result, text, await decider.conclude_tool_call_async(decided, decided.result(text)))


def review_error(decider: Decider, call: ToolCall, error: Exception) -> str | None:
    """Shows hooks an error of a tool. Returns the text that they left, or `None` if it is the error's own."""
    reviewed = decider.conclude_tool_call(call, call.error(str(error)))
    return None if reviewed.content == str(error) else reviewed.content


def pick_result(result: Result, text: str, reviewed: ToolOutput) -> Result | str:
    """The tool's own result if hooks left its text as it is, otherwise the text that they left."""
    return result if reviewed.content == text and not reviewed.is_error else reviewed.content


def plain_text(result: Any) -> str:
    """The text of a result as Python shows it."""
    return result if isinstance(result, str) else str(result)


def json_text(value: Any) -> str:
    """The text of a value of JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def value_like(original: Any, text: str) -> Any:
    """What hooks left of the `json_text` of a value: a value of the same type, or a text if it is no such value any more."""
    if isinstance(original, str):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if type(value) is type(original) else text
