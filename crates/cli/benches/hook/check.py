import json
import sys

BAD = ["rm -rf /", "rm -rf /*", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown", "reboot", "> /dev/sda", "chmod -R 000 /"]
command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
for pattern in BAD:
    if pattern in command:
        reason = "dangerous command pattern blocked: " + pattern
        specific = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        print(json.dumps({"hookSpecificOutput": specific}))
        break
