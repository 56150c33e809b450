"""Judges calls by nah (PyPI), with its packaged defaults: one JSON object a line in, one decision a line out."""

import json
import shlex
import sys

from nah.config import use_defaults
from nah.hook import handle_bash, handle_edit, handle_read, handle_write

use_defaults()


def decide(call):
    tool = call.get("tool")
    if tool == "read":
        return handle_read({"file_path": call["path"]})
    if tool == "write":
        return handle_write({"file_path": call["path"], "content": call.get("content") or ""})
    if tool == "edit":
        return handle_edit({"file_path": call["path"], "old_string": "", "new_string": call.get("content") or ""})
    # Tools that nah has no handler for are given as the command that does the same.
    if tool == "delete":
        return handle_bash({"command": "rm -r " + shlex.quote(call["path"])})
    if tool == "move":
        return handle_bash({"command": "mv " + shlex.quote(call["path"]) + " " + shlex.quote(call["to"])})
    if tool == "fetch":
        return handle_bash({"command": "curl " + shlex.quote(call["url"])})
    command = call["command"]
    return handle_bash({"command": shlex.join(command) if isinstance(command, list) else command})


for line in sys.stdin:
    call = json.loads(line)
    try:
        decision = decide(call).get("decision", "allow")
    except Exception as error:  # A fault of the guard counts as a question.
        decision = f"ask: {type(error).__name__}"
    print(decision, flush=True)
