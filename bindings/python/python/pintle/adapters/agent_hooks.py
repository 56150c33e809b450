"""Hooks as an interceptor of a host that speaks AGENT-HOOKS 0.1.

```python
from agent_hooks import AgentContextBuilder, InterceptionEmitter
from pintle.adapters.agent_hooks import PintleInterceptor

emitter = InterceptionEmitter().register(PintleInterceptor(packs=["shell", "git"]))
contexts = AgentContextBuilder(agent_id="root", framework="mine", session_id="s1")

async def run_shell(command: str) -> str:
    context = contexts.pre_tool_call(call_id="1", name="shell", args={"command": command})
    await emitter.emit(context)  # raises if a hook denies
    return shell(**context["tool_call"]["args"])
```

A question of a hook becomes a deny that the host's approval can lift; any other deny is final. What hooks change is a
transform. What they tell the model is added to the messages of the next model call.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from dataclasses import dataclass
from typing import Any

from agent_hooks import AgentContext, Decision, Transform, Verdict

import pintle
from pintle import AgentLife, Origin, Refusal, Runtime, ToolCall
from pintle.adapters._calls import check_name, json_text, value_like

__all__ = ["PintleInterceptor"]

DENIED = "pintle:denied"
ASKED = "pintle:asked"


@dataclass
class _Session:
    """What is known of a session of the host."""

    origin: dict[str, Any]
    life: AgentLife
    turn: int = 0


class PintleInterceptor:
    """Asks hooks at each interception point. An error of its own blocks, as the contract says."""

    def __init__(self, runtime: Runtime | None = None, *, vocabulary: str | None = None, **options: Any) -> None:
        """Without a `runtime`, one is made of the `options`, which are those of `Runtime` but for `approver`.

        A `runtime` answers questions by its own approver. `vocabulary` names the agent whose names the tools have, such as
        `claude`. Default: Pintle's own.
        """
        if runtime is not None and options:
            raise TypeError("the options are those of a new runtime, and one is given")
        self._asked = threading.local()
        self._runtime = runtime or Runtime(**options, approver=self._defer)
        self._vocabulary = vocabulary
        self._sessions: dict[str, _Session] = {}
        self._lock = threading.Lock()

    def intercept(self, context: AgentContext, /) -> Any:
        """The verdict, when it is awaited."""
        # On a thread of its own: hooks may wait, and a question is asked on the thread of its call.
        return asyncio.to_thread(self._intercept, context)

    def _defer(self, request: pintle.ApprovalRequest) -> pintle.ApprovalResponse:
        self._asked.is_asked = True
        return pintle.deferred()

    def _intercept(self, context: AgentContext) -> Verdict:
        point = context["interception_point"]
        step = getattr(self, f"_at_{point}", None)
        if step is None:
            raise ValueError(f"unknown interception point {point!r}")
        self._asked.is_asked = False
        try:
            verdict: Verdict = step(self._session(context), context)
        except Refusal as refusal:
            if self._asked.is_asked:
                return Verdict.escalate(reason=ASKED, message=refusal.reason)
            return Verdict.deny(reason=DENIED, message=refusal.reason)
        return verdict

    def _session(self, context: AgentContext) -> _Session:
        key = context["session"]["id"]
        with self._lock:
            if key not in self._sessions:
                origin = {"session": key, "agent": context["agent"]["id"]}
                self._sessions[key] = _Session(origin, self._runtime.life(Origin(**origin)))
            return self._sessions[key]

    def _at_agent_startup(self, session: _Session, context: AgentContext) -> Verdict:
        session.life.review("session.start", {"source": "startup", "cwd": os.getcwd()})
        return Verdict.allow()

    def _at_input(self, session: _Session, context: AgentContext) -> Verdict:
        session.turn += 1
        session.life = self._runtime.life(Origin(**session.origin, turn=session.turn))
        text = json_text(context["input"]["content"])
        return _changed(text, session.life.begin_turn(session.life.submit_prompt(text)), "$target.content")

    def _at_pre_model_call(self, session: _Session, context: AgentContext) -> Verdict:
        request = {"model": context["model"]["id"], "messages": context["messages"]}
        if "tools" in context:
            request["tools"] = context["tools"]
        reviewed = session.life.review("completion.pre", request)
        for name in ("model", "tools"):
            if reviewed.get(name) != request.get(name):
                reason = f"hooks changed `{name}`, which a host of AGENT-HOOKS does not let them"
                raise Refusal(f"completion.pre denied: {reason}", "completion.pre", reason)
        told = [{"role": "system", "content": text} for text in session.life.take_context()]
        return _changed(request["messages"], [*reviewed["messages"], *told], "$target")

    def _at_post_model_call(self, session: _Session, context: AgentContext) -> Verdict:
        response = context["response"]
        message = {"role": "assistant", "content": response["content"]}
        if response["tool_calls"]:
            message["tool_calls"] = [_to_wanted(call) for call in response["tool_calls"]]
        choice = {"index": 0, "message": message, "finish_reason": response["finish_reason"]}
        payload = {"model": context["model"]["id"], "choices": [choice]}
        if "usage" in context:
            payload["usage"] = context["usage"]
        left = session.life.review("completion.post", payload)["choices"][0]["message"]
        wanted = left.get("tool_calls") or []
        calls = response["tool_calls"] if wanted == message.get("tool_calls", []) else [_from_wanted(call) for call in wanted]
        return _changed(response, {**response, "content": left.get("content"), "tool_calls": calls}, "$target")

    def _at_pre_tool_call(self, session: _Session, context: AgentContext) -> Verdict:
        call = self._call(context)
        decided = session.life.decide_tool_call(call)
        check_name(call, decided)
        return _changed(call.args, decided.args, "$target")

    def _at_post_tool_call(self, session: _Session, context: AgentContext) -> Verdict:
        # A host shows the arguments as they were left.
        call = self._call(context)
        value = context["tool_result"]["value"]
        text = json_text(value)
        output = call.error(text) if context["tool_result"]["is_error"] else call.result(text)
        reviewed = session.life.conclude_tool_call(call, output)
        if reviewed.content == text and reviewed.is_error == output.is_error:
            return Verdict.allow()
        return _transform("$target", value_like(value, reviewed.content))

    def _at_output(self, session: _Session, context: AgentContext) -> Verdict:
        text = json_text(context["output"]["content"])
        reviewed = session.life.review_answer(text)
        if reviewed.next_message is not None:
            return Verdict.deny(reason=DENIED, message=reviewed.next_message)
        return _changed(text, session.life.end_turn(reviewed.text), "$target.content")

    def _at_agent_shutdown(self, session: _Session, context: AgentContext) -> Verdict:
        session.life.fire("session.end", {"reason": context["summary"]["reason"]})
        with self._lock:
            self._sessions.pop(session.origin["session"], None)
        return Verdict.allow()

    def _call(self, context: AgentContext) -> ToolCall:
        call = context["tool_call"]
        return ToolCall(call["id"], call["name"], call["args"], vocabulary=self._vocabulary)


def _changed(before: Any, after: Any, path: str) -> Verdict:
    return Verdict.allow() if after == before else _transform(path, after)


def _transform(path: str, value: Any) -> Verdict:
    return Verdict(decision=Decision.TRANSFORM, transform=Transform(path=path, value=value))


def _to_wanted(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)}
    return {"id": call["id"], "type": "function", "function": function}


def _from_wanted(wanted: dict[str, Any]) -> dict[str, Any]:
    function = wanted["function"]
    return {"id": wanted["id"], "name": function["name"], "args": json.loads(function["arguments"])}
