const BAD = ["rm -rf /", "rm -rf /*", ":(){ :|:& };:", "mkfs", "dd if=", "shutdown", "reboot", "> /dev/sda", "chmod -R 000 /"];
const payload = JSON.parse(require("fs").readFileSync(0, "utf8"));
const command = (payload.tool_input || {}).command || "";
const pattern = BAD.find((bad) => command.includes(bad));
if (pattern) {
  const reason = "dangerous command pattern blocked: " + pattern;
  const specific = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason };
  console.log(JSON.stringify({ hookSpecificOutput: specific }));
}
