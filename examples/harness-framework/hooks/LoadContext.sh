#!/bin/sh
# Hook: LoadContext
# Event: SessionStart
# Description: Tells the agent what it works on.
echo "Current project: pintle-demo"
echo "Nothing below archive/ is ever deleted."
