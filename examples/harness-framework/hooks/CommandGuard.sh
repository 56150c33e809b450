#!/bin/sh
# Hook: CommandGuard
# Event: PreToolUse
# Description: Blocks what cannot be undone and has a person look at what is published.
# Matcher: tool_name = "Bash"
payload=$(cat)
case "$payload" in
  *"rm -rf"*)
    echo "deleting whole folders cannot be undone" >&2
    exit 2
    ;;
  *"git push"*)
    echo '{"decision": "ask", "message": "This publishes the branch. Are you sure?"}'
    ;;
  *)
    echo '{"continue": true}'
    ;;
esac
