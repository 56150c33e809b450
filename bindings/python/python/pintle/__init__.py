"""The hook runtime for AI agents: load hooks, ask them about what an agent does, obey what they decide.

>>> import pintle
>>> runtime = pintle.Runtime(packs=["shell", "git"])
>>> call = pintle.ToolCall("call_1", "shell", {"command": "rm -rf /"})
>>> try:
...     runtime.decide_tool_call(call)
... except pintle.Refusal as refusal:
...     print(refusal.hooks)
('pack:shell',)
"""

from __future__ import annotations

import atexit
from typing import Any, Callable

from pintle._errors import Diagnostic, EventError, LoadError, PintleError, Refusal, TapeError
from pintle._pintle import (
    AgentLife,
    ApprovalRequest,
    ApprovalResponse,
    Hook,
    HookCall,
    HookRegistration,
    JudgeRequest,
    Origin,
    Outcome,
    Runtime,
    Tape,
    ToolCall,
    ToolOutput,
    Verdict,
    allow,
    approved,
    args,
    ask,
    context,
    deferred,
    deny,
    notice,
    refused,
    remind,
    rewrite,
    unavailable,
    wait_for_hooks,
)
from pintle._values import ReviewedAnswer

__all__ = [
    "AgentLife",
    "ApprovalRequest",
    "ApprovalResponse",
    "Diagnostic",
    "EventError",
    "Hook",
    "HookCall",
    "HookRegistration",
    "JudgeRequest",
    "LoadError",
    "Origin",
    "Outcome",
    "PintleError",
    "Refusal",
    "ReviewedAnswer",
    "Runtime",
    "Tape",
    "TapeError",
    "ToolCall",
    "ToolOutput",
    "Verdict",
    "allow",
    "approved",
    "args",
    "ask",
    "context",
    "deferred",
    "deny",
    "notice",
    "on",
    "refused",
    "remind",
    "rewrite",
    "unavailable",
]

atexit.register(wait_for_hooks)


def on(event: str, **options: Any) -> Callable[[Callable[[HookCall], Verdict | None]], Hook]:
    """Makes a hook of the function below it. The options are those of `Hook.on`.

    >>> @on("tool.pre", tools=["deploy_*"])
    ... def no_deployments(call: HookCall) -> Verdict | None:
    ...     return deny("deployments are made by people")
    >>> no_deployments.event
    'tool.pre'
    """

    def declare(function: Callable[[HookCall], Verdict | None]) -> Hook:
        return Hook.on(event, function, **options)

    return declare
