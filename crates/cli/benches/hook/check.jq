["rm -rf /", "rm -rf /*", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown", "reboot", "> /dev/sda", "chmod -R 000 /"] as $bad
| (.tool_input.command // "") as $command
| first($bad[] | select(. as $pattern | $command | contains($pattern)))
| {hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "dangerous command pattern blocked: \(.)"}}
