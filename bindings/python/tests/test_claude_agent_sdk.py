"""The adapter for the Claude Agent SDK, with a program in the place of Claude Code that speaks its protocol."""

from __future__ import annotations

import asyncio
import json
from typing import Any, AsyncIterator

import pintle
from claude_agent_sdk import ClaudeAgentOptions, Transport, query
from pintle.adapters.claude_agent_sdk import hooks_of
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]


class ScriptedClaude(Transport):
    """Calls the tool `Bash` once, as hooks let it, and ends. `result` is what the model received."""

    def __init__(self, args: dict[str, str], structured: bool = False) -> None:
        self.args, self.structured, self.result = args, structured, ""
        self.sent: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.hooks: dict[str, list[dict[str, Any]]] = {}
        self.tasks: list[asyncio.Task[None]] = []

    async def connect(self) -> None: ...

    async def write(self, data: str) -> None:
        message = json.loads(data)
        if message["type"] == "control_request":
            self.hooks = message["request"].get("hooks") or {}
            response = {"hook_on_failure_supported": True, "commands": []}
            reply = {"subtype": "success", "request_id": message["request_id"], "response": response}
            await self.sent.put({"type": "control_response", "response": reply})
        elif message["type"] == "control_response":
            self.replies[message["response"]["request_id"]].set_result(message["response"])
        elif message["type"] == "user":
            self.tasks.append(asyncio.create_task(self.take_turn()))

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while (message := await self.sent.get()) is not None:
            yield message

    async def close(self) -> None: ...

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...

    async def call_hooks(self, event: str, fields: dict[str, Any]) -> dict[str, Any]:
        """What the hooks of an event say. As in Claude Code, an error blocks only if the matcher says so."""
        payload = {"session_id": "s1", "cwd": "/tmp", "transcript_path": "", "hook_event_name": event, **fields}
        [matcher] = self.hooks.get(event, [{"hookCallbackIds": []}])
        for callback in matcher["hookCallbackIds"]:
            id = f"hook_{event}"
            self.replies[id] = asyncio.get_running_loop().create_future()
            request = {"subtype": "hook_callback", "callback_id": callback, "input": payload, "tool_use_id": "call_1"}
            await self.sent.put({"type": "control_request", "request_id": id, "request": request})
            reply = await self.replies[id]
            if reply["subtype"] == "error":
                deny = {"permissionDecision": "deny", "permissionDecisionReason": reply["error"]}
                return deny if matcher.get("onFailure") == "block" else {}
            return reply["response"].get("hookSpecificOutput", {})  # type: ignore[no-any-return]
        return {}

    async def take_turn(self) -> None:
        call = {"tool_name": "Bash", "tool_input": self.args, "tool_use_id": "call_1"}
        said = await self.call_hooks("PreToolUse", call)
        if said.get("permissionDecision") == "deny":
            self.result = said["permissionDecisionReason"]
        else:
            args = said.get("updatedInput", self.args)
            text = shell(**args)
            response: Any = {"type": "text", "stdout": text, "stderr": "", "interrupted": False} if self.structured else text
            said = await self.call_hooks("PostToolUse", {**call, "tool_input": args, "tool_response": response})
            result = said.get("updatedToolOutput", response)
            assert type(result) is type(response)
            self.result = json.dumps(result) if self.structured else result
        end = {"subtype": "success", "duration_ms": 1, "duration_api_ms": 1, "is_error": False, "num_turns": 1}
        await self.sent.put({"type": "result", "session_id": "s1", "result": "done", **end})
        await self.sent.put(None)


class TestTexts(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        return asyncio.run(start(runtime, args, False))


class TestStructures(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        return asyncio.run(start(runtime, args, True))


async def start(runtime: pintle.Runtime, args: dict[str, str], structured: bool) -> str:
    claude = ScriptedClaude(args, structured)

    async def prompt() -> AsyncIterator[dict[str, Any]]:
        yield {"type": "user", "message": {"role": "user", "content": "go"}}

    async def run() -> None:
        async for _ in query(prompt=prompt(), options=ClaudeAgentOptions(hooks=hooks_of(runtime)), transport=claude):
            pass

    await asyncio.wait_for(run(), 30)
    return claude.result


def test_a_withheld_result_keeps_its_structure() -> None:
    withheld = pintle.Hook.on("tool.post", lambda call: pintle.deny("it is private"))
    result = json.loads(asyncio.run(start(pintle.Runtime(hooks=[withheld]), {"command": "ls"}, True)))
    assert result["stdout"] == "it is private" or "it is private" in str(result)
    assert result["interrupted"] is False and RAN == ["ls"]


def test_an_input_that_is_not_json_blocks() -> None:
    result = asyncio.run(start(pintle.Runtime(), {"command": "\ud800"}, False))
    assert "surrogate" in result and RAN == []


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {}
