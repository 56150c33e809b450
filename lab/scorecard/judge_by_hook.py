"""Judges calls by a program that is a hook of Claude Code, such as cc-safety-net: one JSON object a line in, one
decision a line out. The program and its arguments are the arguments."""

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOOLS = {
    "read": lambda call: ("Read", {"file_path": call["path"]}),
    "write": lambda call: ("Write", {"file_path": call["path"], "content": call.get("content") or ""}),
    "edit": lambda call: (
        "Edit",
        {"file_path": call["path"], "old_string": "", "new_string": call.get("content") or ""},
    ),
    # Tools that Claude Code does not have are given as the command that does the same.
    "delete": lambda call: ("Bash", {"command": "rm -r " + shlex.quote(call["path"])}),
    "move": lambda call: ("Bash", {"command": "mv " + shlex.quote(call["path"]) + " " + shlex.quote(call["to"])}),
    "fetch": lambda call: ("Bash", {"command": "curl " + shlex.quote(call["url"])}),
}


def decide(line):
    call = json.loads(line)
    if "tool" in call:
        name, given = TOOLS[call["tool"]](call)
    else:
        command = call["command"]
        name, given = "Bash", {"command": shlex.join(command) if isinstance(command, list) else command}
    payload = {
        "session_id": "scorecard",
        "cwd": os.getcwd(),
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": name,
        "tool_input": given,
    }
    ran = subprocess.run(sys.argv[1:], input=json.dumps(payload), capture_output=True, text=True, timeout=60)
    if ran.returncode == 2:
        return "deny"
    try:
        answer = json.loads(ran.stdout or "{}")
    except ValueError:  # A fault of the guard counts as a question.
        return "ask: no JSON"
    return answer.get("hookSpecificOutput", {}).get("permissionDecision", "allow")


with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
    for decision in pool.map(decide, sys.stdin):
        print(decision, flush=True)
