#!/bin/sh
# Hook: RemindOfTests
# Event: Stop
# Description: Asks for the tests when an answer does not mention them.
echo "Say how the tests went before you call something done."
