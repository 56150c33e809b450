"""The adapter for AGENT-HOOKS, in a host of its SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pintle
import pytest
from agent_hooks import (
    AgentContextBuilder,
    ApprovalOutcome,
    ApprovalResolution,
    InterceptionBlocked,
    InterceptionEmitter,
    Verdict,
)
from pintle.adapters.agent_hooks import PintleInterceptor
from scenario import RAN, Scenario, mask, nothing_ran, shell

__all__ = ["nothing_ran"]


class Host:
    """A host with one session."""

    def __init__(self, interceptor: PintleInterceptor, **options: Any) -> None:
        self.emitter = InterceptionEmitter(**options).register(interceptor)
        self.contexts = AgentContextBuilder(agent_id="root", framework="test", session_id="s1")

    def emit(self, point: str, **fields: Any) -> dict[str, Any]:
        context: dict[str, Any] = getattr(self.contexts, point)(**fields)
        asyncio.run(self.emitter.emit(context))
        return context

    def run_shell(self, args: dict[str, str], call_id: str = "call_1") -> Any:
        """The result of a call as the model receives it."""
        call = {"call_id": call_id, "name": "shell"}
        try:
            args = self.emit("pre_tool_call", **call, args=args)["tool_call"]["args"]
        except InterceptionBlocked as blocked:
            return blocked.result.verdict.message
        return self.emit("post_tool_call", **call, args=args, value=shell(**args))["tool_result"]["value"]


class TestCalls(Scenario):
    def play(self, runtime: pintle.Runtime, args: dict[str, str]) -> str:
        return str(Host(PintleInterceptor(runtime)).run_shell(args))


class Approver:
    """Approves what may be approved."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def resolve(self, request: Any, /) -> ApprovalResolution:
        self.requests.append(request)
        return ApprovalResolution(
            outcome=ApprovalOutcome.APPROVE, context_identity=request.context_identity, verdict=Verdict.allow()
        )


def test_only_a_question_can_be_lifted_by_the_hosts_approval() -> None:
    asks = pintle.Hook.on("tool.pre", lambda call: pintle.ask("is this meant?"))
    approver = Approver()
    host = Host(PintleInterceptor(hooks=[asks], packs=["shell"]), resolver=approver)
    assert "ran ls" in host.run_shell({"command": "ls"})
    assert "[shell.delete-root]" in host.run_shell({"command": "rm -rf /"}, "call_2")
    assert RAN == ["ls"] and len(approver.requests) == 1, "what is denied is not asked about"
    assert "is this meant?" in str(Host(PintleInterceptor(hooks=[asks])).run_shell({"command": "ls"}))
    assert RAN == ["ls"]


def test_each_point_of_a_turn_is_judged_and_changed() -> None:
    def hides(event: str, name: str) -> pintle.Hook:
        return pintle.Hook.on(event, lambda call: pintle.rewrite({name: mask(call.payload[name])}))

    def rewrite_messages(call: pintle.HookCall) -> pintle.Verdict:
        messages = [{**message, "content": mask(message["content"])} for message in call.payload["messages"]]
        return pintle.rewrite({"messages": messages}).context("be brief")

    def rewrite_reply(call: pintle.HookCall) -> pintle.Verdict:
        [choice] = call.payload["choices"]
        message = {**choice["message"], "content": mask(choice["message"]["content"])}
        return pintle.rewrite({"choices": [{**choice, "message": message}]})

    seen: list[str] = []
    hooks = [
        hides("prompt.submit", "prompt"),
        pintle.Hook.on("completion.pre", rewrite_messages),
        pintle.Hook.on("completion.post", rewrite_reply),
        pintle.Hook.on("turn.end", lambda call: seen.append("turn.end")),
        pintle.Hook.on("session.start", lambda call: seen.append("session.start")),
        pintle.Hook.on("session.end", lambda call: seen.append(call.payload["reason"])),
    ]
    host = Host(PintleInterceptor(hooks=hooks))
    host.emit("agent_startup", tools_registered=["shell"])
    assert host.emit("input", content="hidden a")["input"]["content"] == "... a"
    sent = host.emit("pre_model_call", model_id="m", messages=[{"role": "user", "content": "hidden b"}], tools=[])
    assert sent["messages"] == [{"role": "user", "content": "... b"}, {"role": "system", "content": "be brief"}]
    wanted = [{"id": "1", "name": "shell", "args": {"command": "ls"}}]
    reply = host.emit("post_model_call", model_id="m", content="hidden c", tool_calls=wanted, finish_reason="stop")
    assert reply["response"] == {"content": "... c", "tool_calls": wanted, "finish_reason": "stop"}
    assert host.emit("output", content="d")["output"]["content"] == "d"
    host.emit("agent_shutdown", reason="completed")
    assert seen == ["session.start", "turn.end", "completed"]


@pytest.mark.parametrize(
    ("event", "point", "fields"),
    [
        ("session.start", "agent_startup", {"tools_registered": []}),
        ("prompt.submit", "input", {"content": "a"}),
        ("completion.pre", "pre_model_call", {"model_id": "m", "messages": []}),
        ("completion.post", "post_model_call", {"model_id": "m", "content": "a", "tool_calls": [], "finish_reason": "stop"}),
        ("agent.stop", "output", {"content": "a"}),
    ],
)
def test_a_deny_blocks_its_point(event: str, point: str, fields: dict[str, Any]) -> None:
    denies = pintle.Hook.on(event, lambda call: pintle.deny("not here"))
    with pytest.raises(InterceptionBlocked) as blocked:
        Host(PintleInterceptor(hooks=[denies])).emit(point, **fields)
    assert "not here" in str(blocked.value.result.verdict.message)


def test_what_a_host_cannot_be_told_is_denied() -> None:
    other = pintle.Hook.on("completion.pre", lambda call: pintle.rewrite({"model": "cheaper"}))
    with pytest.raises(InterceptionBlocked):
        Host(PintleInterceptor(hooks=[other])).emit("pre_model_call", model_id="m", messages=[])
    with pytest.raises(TypeError, match="one is given"):
        PintleInterceptor(pintle.Runtime(), packs=["shell"])


def test_structured_results_keep_their_type() -> None:
    hides = pintle.Hook.on("tool.post", lambda call: pintle.rewrite({"content": mask(call.payload["content"])}))
    host = Host(PintleInterceptor(hooks=[hides]))
    call = {"call_id": "1", "name": "read", "args": {}}
    host.emit("pre_tool_call", **call)
    result = host.emit("post_tool_call", **call, value={"text": "hidden", "n": 1})
    assert result["tool_result"]["value"] == {"text": "...", "n": 1}


def example(tool: Any) -> dict[str, Any]:
    """The names that the example in the adapter's documentation uses."""
    return {"shell": tool}
