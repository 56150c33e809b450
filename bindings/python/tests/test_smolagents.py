"""The adapter for smolagents."""

from __future__ import annotations

from typing import Any

import pintle
import pytest
from pintle.adapters.smolagents import guard
from scenario import RAN, Scenario, mask, nothing_ran
from scenario import shell as run_shell
from smolagents import CodeAgent, ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole, Model

__all__ = ["nothing_ran"]


@tool
def shell(command: str) -> str:
    """Runs a command line.

    Args:
        command: The line.
    """
    return run_shell(command)


class ScriptedModel(Model):
    """Answers with one message after another, and with the last one again and again."""

    def __init__(self, *messages: Any) -> None:
        super().__init__(model_id="scripted")
        self.left = list(messages)

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def calls_of(*calls: tuple[str, dict[str, Any]]) -> ChatMessage:
    functions = [ChatMessageToolCallFunction(name=name, arguments=args) for name, args in calls]
    wanted = [ChatMessageToolCall(id=str(index), type="function", function=function) for index, function in enumerate(functions)]
    return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=wanted)


DONE = calls_of(("final_answer", {"answer": "done"}))


def run(agent: Any) -> str:
    agent.run("go")
    step = agent.memory.steps[1]
    return f"{step.observations or ''}{step.error.message if step.error else ''}"


class TestCalls(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        model = ScriptedModel(calls_of(("shell", args)), DONE)
        return run(guard(ToolCallingAgent(tools=[shell], model=model, verbosity_level=0, max_steps=2), runtime))


def code_of(code: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n</code>")


class TestCode(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        hooks_see_tools = f"print(shell(**{args!r}))"
        model = ScriptedModel(code_of(hooks_see_tools), code_of("final_answer('done')"))
        return run(guard(CodeAgent(tools=[shell], model=model, verbosity_level=0, max_steps=2), runtime))

    test_a_call_runs_with_the_arguments_that_hooks_left = None  # type: ignore[assignment]

    def test_the_arguments_and_the_code_may_be_changed(self) -> None:
        safer = pintle.Hook.on("tool.pre", lambda call: pintle.args({"command": "ls -l"}), tools=["shell"])
        assert "ran ls -l" in self.play(pintle.Runtime(hooks=[safer]), {"command": "ls"}) and RAN == ["ls -l"]
        code = pintle.Hook.on("tool.pre", lambda call: pintle.args({"code": "print('no')"}), tools=["python_interpreter"])
        assert "no" in self.play(pintle.Runtime(hooks=[code]), {"command": "ls"}) and RAN == ["ls -l"]

    def test_positional_arguments_are_named(self) -> None:
        model = ScriptedModel(code_of("shell('rm -rf /')"), code_of("final_answer('done')"))
        agent = guard(CodeAgent(tools=[shell], model=model, verbosity_level=0, max_steps=2), pintle.Runtime(packs=["shell"]))
        assert "[shell.delete-root]" in run(agent) and RAN == []


@tool
def lookup(name: str) -> str:
    """Looks up a key.

    Args:
        name: The name of the key.
    """
    raise ValueError("the key hidden is wrong")


HIDES = pintle.Hook.on("tool.post", lambda call: pintle.rewrite({"content": mask(call.payload["content"])}))


@pytest.mark.parametrize(
    "code",
    [
        "lookup('a')",
        "'hid' + 'den'",
        "print('hid' + 'den')\nlookup_nothing()",
        "raise ValueError('hid' + 'den')",
    ],
)
def test_what_code_shows_the_model_is_reviewed(code: str) -> None:
    def shown(*hooks: pintle.Hook) -> str:
        model = ScriptedModel(code_of(code), code_of("final_answer('done')"))
        agent = CodeAgent(tools=[lookup], model=model, verbosity_level=0, max_steps=2)
        assert guard(agent, pintle.Runtime(hooks=list(hooks))).run("go") == "done"
        return str([message.content for message in agent.write_memory_to_messages()])

    # The code itself does not contain the word.
    assert "hidden" in shown() and "hidden" not in shown(HIDES)


def test_calls_at_once_are_each_decided() -> None:
    calls = [("shell", {"command": command}) for command in ("ls", "rm -rf /", "pwd")]
    model = ScriptedModel(calls_of(*calls), DONE)
    run(guard(ToolCallingAgent(tools=[shell], model=model, verbosity_level=0, max_steps=2), pintle.Runtime(packs=["shell"])))
    assert sorted(RAN) == ["ls", "pwd"]


def test_a_managed_agent_is_guarded() -> None:
    inner = ToolCallingAgent(
        tools=[shell], model=ScriptedModel(calls_of(("shell", {"command": "rm -rf /"})), DONE),
        name="helper", description="helps", verbosity_level=0, max_steps=2,
    )
    model = ScriptedModel(calls_of(("helper", {"task": "tidy"})), DONE)
    outer = ToolCallingAgent(tools=[], model=model, managed_agents=[inner], verbosity_level=0, max_steps=2)
    run(guard(outer, pintle.Runtime(packs=["shell"])))
    assert RAN == [] and "[shell.delete-root]" in str(inner.memory.steps[1].observations)


def test_what_cannot_be_guarded_is_an_error() -> None:
    class Elsewhere(CodeAgent):
        def create_python_executor(self) -> Any:
            return object()

    with pytest.raises(TypeError, match="where hooks do not see it"):
        guard(Elsewhere(tools=[], model=ScriptedModel()), pintle.Runtime())


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": shell, "model": ScriptedModel(DONE)}
