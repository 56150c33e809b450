"""Hooks around the tools of an agent of the Claude Agent SDK.

```python
import pintle
from claude_agent_sdk import ClaudeAgentOptions, query
from pintle.adapters.claude_agent_sdk import hooks_of

runtime = pintle.Runtime(packs=["shell", "git"])
options = ClaudeAgentOptions(hooks=hooks_of(runtime))

async def main():
    async for message in query(prompt="tidy up", options=options):
        print(message)
```

They are asked about each call of each tool, also those of subagents and MCP servers, before Claude Code's own permissions, and
are shown the result. An error of theirs blocks the call. `pintle install claude` puts hooks of files around every session instead.
"""

from __future__ import annotations

from typing import Any, cast

from claude_agent_sdk import HookContext, HookMatcher
from claude_agent_sdk.types import HookEvent, HookInput, HookJSONOutput

from pintle import AgentLife, Origin, Refusal, Runtime, ToolCall
from pintle.adapters._calls import Decider, check_name, json_text, value_like

__all__ = ["hooks_of"]

_LONGEST_SECONDS = 24 * 60 * 60.0
"""Claude Code ends a hook that takes longer. Hooks of Pintle have limits of their own, and a person may take their time."""


def hooks_of(decider: Decider) -> dict[HookEvent, list[HookMatcher]]:
    """The hooks of a `ClaudeAgentOptions`. Those of an `AgentLife` belong to its session instead of Claude Code's."""
    hooks = _ClaudeHooks(decider)
    callbacks: dict[HookEvent, Any] = {
        "PreToolUse": hooks.decide,
        "PostToolUse": hooks.conclude,
        "PostToolUseFailure": hooks.conclude_failure,
    }
    return {
        event: [HookMatcher(hooks=[callback], timeout=_LONGEST_SECONDS, on_failure="block")]
        for event, callback in callbacks.items()
    }


class _ClaudeHooks:
    def __init__(self, decider: Decider) -> None:
        self._decider = decider
        self._running: dict[str, ToolCall] = {}
        """The calls that run, by ID, as hooks left them."""

    async def decide(self, hook_input: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        event = cast(dict[str, Any], hook_input)
        call = _call_of(event)
        try:
            decided = await self._life(event).decide_tool_call_async(call)
            check_name(call, decided)
        except Refusal as refusal:
            end = {"continue_": False, "stopReason": refusal.reason} if refusal.stops_run else {}
            denied = {"permissionDecision": "deny", "permissionDecisionReason": refusal.reason}
            return _output({**end, **_specific(event, denied)})
        self._running[decided.id] = decided
        changed = decided.args
        return _output(_specific(event, {"updatedInput": changed}) if changed != call.args else {})

    async def conclude(self, hook_input: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        event = cast(dict[str, Any], hook_input)
        call = self._running.pop(event["tool_use_id"], None) or _call_of(event)
        original = event["tool_response"]
        text = json_text(original)
        reviewed = await self._life(event).conclude_tool_call_async(call, call.result(text))
        if reviewed.content == text:
            return _output({})
        return _output(_specific(event, {"updatedToolOutput": _shape_like(original, reviewed.content)}))

    async def conclude_failure(self, hook_input: HookInput, _id: str | None, _context: HookContext) -> HookJSONOutput:
        event = cast(dict[str, Any], hook_input)
        call = self._running.pop(event["tool_use_id"], None) or _call_of(event)
        # Claude Code does not let hooks change the text of an error.
        await self._life(event).conclude_tool_call_async(call, call.error(event["error"]))
        return _output({})

    def _life(self, event: dict[str, Any]) -> AgentLife:
        if isinstance(self._decider, Runtime):
            return self._decider.life(Origin(event["session_id"], agent=event.get("agent_type", ""), cwd=event["cwd"]))
        return self._decider


def _call_of(event: dict[str, Any]) -> ToolCall:
    mode = event.get("permission_mode")
    return ToolCall(
        event["tool_use_id"],
        event["tool_name"],
        event["tool_input"],
        vocabulary="claude",
        cwd=event["cwd"],
        permission_mode=mode,
    )


def _specific(event: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event["hook_event_name"], **fields}}


def _output(fields: dict[str, Any]) -> HookJSONOutput:
    return cast(HookJSONOutput, fields)


def _shape_like(original: Any, text: str) -> Any:
    """A text in the structure of the original: Claude Code ignores what has another one.

    If hooks changed only texts within the structure it is read again. Otherwise the text takes the place of the first one, and
    every other text is removed.
    """
    changed = value_like(original, text)
    if type(changed) is type(original):
        return changed
    left = [text]

    def replace(value: Any) -> Any:
        if isinstance(value, str):
            return left.pop() if left else ""
        if isinstance(value, list):
            return [replace(item) for item in value]
        if isinstance(value, dict):
            marks = ("type", "filePath", "mimeType")
            return {key: field if key in marks else replace(field) for key, field in value.items()}
        return value

    shaped = replace(original)
    return text if left else shaped
