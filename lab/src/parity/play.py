"""Plays the cases of a directory through the Python package: play.py DIR. Writes `python.jsonl` and the tapes there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pintle

folder = Path(sys.argv[1])


def fire(life: pintle.AgentLife, case: dict[str, Any]) -> Any:
    outcome = life.fire(case["event"], case["payload"])
    names = "decision payload reason reason_for_model stop_reason context notices warnings hooks_called"
    return {name: getattr(outcome, name) for name in names.split()}


def call(life: pintle.AgentLife, case: dict[str, Any]) -> Any:
    try:
        decided = life.decide_tool_call(pintle.ToolCall(f"c{case['id']}", case["name"], case["args"]))
    except pintle.Refusal as refusal:
        return {"event": refusal.event, "reason": refusal.reason, "hooks": refusal.hooks, "stops_run": refusal.stops_run}
    output = decided.error(case["content"]) if case["is_error"] else decided.result(case["content"])
    reviewed = life.conclude_tool_call(decided, output)
    return {"name": decided.name, "args": decided.args, "content": reviewed.content, "is_error": reviewed.is_error}


lives: dict[str, pintle.AgentLife] = {}
tapes = []
with open(folder / "python.jsonl", "w") as results:
    for line in open(folder / "cases.jsonl"):
        case = json.loads(line)
        name = case["set"]
        if name not in lives:
            project = str(folder / "sets" / name)
            tapes.append(pintle.Tape.create(folder / "tapes" / "python" / f"{name}.jsonl", name))
            runtime = pintle.Runtime(paths=[project], workspace=project, tape=tapes[-1], approver=lambda request: pintle.refused("ada"))
            lives[name] = runtime.life(pintle.Origin(name, agent="root", turn=1, cwd=project))
            lives[name].fire("session.start", {"source": "startup", "cwd": project})
        try:
            result = (fire if case["op"] == "fire" else call)(lives[name], case)
        except pintle.EventError:
            result = {"error": "event"}
        results.write(json.dumps(result) + "\n")
for tape in tapes:
    tape.close()
