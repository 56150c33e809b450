"""The adapter for Google's Agent Development Kit."""

from __future__ import annotations

import asyncio
import json
from typing import Any, AsyncGenerator

import pintle
import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pintle.adapters.google_adk import PintlePlugin
from scenario import RAN, Scenario, nothing_ran, shell

__all__ = ["nothing_ran"]


class ScriptedModel(BaseLlm):
    """Calls the tool `shell` with each of these arguments, and then ends. `requests` are what it received."""

    model: str = "scripted"
    calls: list[dict[str, str]] = []
    requests: list[LlmRequest] = []

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        self.requests.append(llm_request.model_copy(deep=True))
        parts = [types.Part(text="done")]
        if len(self.requests) == 1 and self.calls:
            parts = [types.Part(function_call=types.FunctionCall(id=f"call_{i}", name="shell", args=args)) for i, args in enumerate(self.calls)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def structured(command: str) -> dict[str, Any]:
    """Runs a command line."""
    return {"text": shell(command), "status": 0}


structured.__name__ = "shell"


async def results(runtime: Any, *calls: dict[str, str], tool: Any = shell) -> list[str]:
    model = ScriptedModel(calls=list(calls), requests=[])
    agent = LlmAgent(name="root", model=model, tools=[tool])
    runner = InMemoryRunner(app=App(name="test", root_agent=agent, plugins=[PintlePlugin(runtime)]))
    session = await runner.session_service.create_session(app_name="test", user_id="ada")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="ada", session_id=session.id, new_message=message):
        pass
    assert len(model.requests) == 2
    parts = [part for content in model.requests[1].contents for part in content.parts or []]
    return [json.dumps(part.function_response.response) for part in parts if part.function_response]


class TestTexts(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = asyncio.run(results(runtime, args))
        return result


class TestStructures(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        [result] = asyncio.run(results(runtime, args, tool=structured))
        return result


def test_calls_at_once_are_each_decided() -> None:
    calls = [{"command": "ls"}, {"command": "rm -rf /"}, {"command": "pwd"}]
    texts = asyncio.run(results(pintle.Runtime(packs=["shell"]), *calls))
    assert ["ran" in text for text in texts] == [True, False, True] and sorted(RAN) == ["ls", "pwd"]


def test_a_refusal_that_ends_the_run_ends_it() -> None:
    refusal = pintle.Refusal("tool.pre denied: enough", "tool.pre", "enough", ["h"], stops_run=True)

    class Stopping:
        async def decide_tool_call_async(self, call: pintle.ToolCall) -> pintle.ToolCall:
            raise refusal

    with pytest.raises(RuntimeError) as raised:
        asyncio.run(results(Stopping(), {"command": "ls"}))
    assert raised.value.__cause__ is refusal and RAN == []


def test_an_error_of_the_tool_is_reviewed() -> None:
    def failing(command: str) -> str:
        """Runs a command line."""
        raise ValueError("no file hidden.txt")

    failing.__name__ = "shell"
    hides = pintle.Hook.on("tool.post", lambda call: pintle.rewrite({"content": call.payload["content"].replace("hidden", "...")}))
    [text] = asyncio.run(results(pintle.Runtime(hooks=[hides]), {"command": "ls"}, tool=failing))
    assert "no file ....txt" in text
    with pytest.raises(ValueError, match="hidden"):
        asyncio.run(results(pintle.Runtime(), {"command": "ls"}, tool=failing))


def test_the_results_of_two_calls_with_one_id_are_both_reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    call = types.FunctionCall
    monkeypatch.setattr(types, "FunctionCall", lambda id, **fields: call(id="same", **fields))
    both = asyncio.Event()

    async def waiting(command: str) -> str:
        """Runs a command line."""
        text = shell(command)
        if len(RAN) == 2:
            both.set()
        await both.wait()
        return text

    waiting.__name__ = "shell"
    withholds = pintle.Hook.on("tool.post", lambda call: pintle.deny("private"))
    runtime = pintle.Runtime(hooks=[withholds])
    texts = asyncio.run(results(runtime, {"command": "ls"}, {"command": "pwd"}, tool=waiting))
    assert sorted(RAN) == ["ls", "pwd"] and all("private" in text and "hidden" not in text for text in texts)


def test_a_result_that_is_not_json_is_reviewed_as_a_text() -> None:
    class Listing:
        def __str__(self) -> str:
            return "ran ls, hidden"

    def listing(command: str) -> Any:
        """Runs a command line."""
        return Listing()

    listing.__name__ = "shell"
    withholds = pintle.Hook.on("tool.post", lambda call: pintle.deny("private") if "hidden" in call.payload["content"] else None)
    [text] = asyncio.run(results(pintle.Runtime(hooks=[withholds]), {"command": "ls"}, tool=listing))
    assert "private" in text and "hidden" not in text


def test_arguments_that_are_not_json_do_not_run() -> None:
    with pytest.raises(RuntimeError, match="surrogate"):
        asyncio.run(results(pintle.Runtime(), {"command": "\ud800"}))
    assert RAN == []


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": tool, "model": ScriptedModel()}
