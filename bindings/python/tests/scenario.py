"""What every adapter must hold: one scenario, which each framework plays with a scripted model.

An adapter's test has a function `play(runtime, args)`: it makes an agent with the tool `shell`, whose scripted model calls the
tool once with these arguments, and returns what the model then received as the call's result. `RAN` has the commands that the
tool was called with.
"""

from __future__ import annotations

from typing import Callable

import pintle
import pytest

Play = Callable[[pintle.Runtime, dict[str, str]], str]

RAN: list[str] = []


def shell(command: str) -> str:
    """Runs a command line."""
    RAN.append(command)
    return f"ran {command}, hidden"


def mask(text: str) -> str:
    return text.replace("hidden", "...")


def crash(call: pintle.HookCall) -> None:
    raise RuntimeError("the index is gone")


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


class Scenario:
    """The tests of an adapter: a class of its test file has this base, and a `play`."""

    play: Play

    def test_a_denied_call_does_not_reach_the_tool(self) -> None:
        result = self.play(pintle.Runtime(packs=["shell"]), {"command": "rm -rf /"})
        assert "[shell.delete-root]" in result and RAN == []

    def test_a_call_runs_with_the_arguments_that_hooks_left(self) -> None:
        safer = pintle.Hook.on("tool.pre", lambda call: pintle.args({"command": "ls -l"}))
        result = self.play(pintle.Runtime(hooks=[safer]), {"command": "ls"})
        assert "ran ls -l" in result and RAN == ["ls -l"]

    def test_a_question_without_a_person_denies(self) -> None:
        asks = pintle.Hook.on("tool.pre", lambda call: pintle.ask("is this meant?"))
        result = self.play(pintle.Runtime(hooks=[asks]), {"command": "ls"})
        assert "is this meant?" in result and RAN == []
        yes = pintle.Runtime(hooks=[asks], approver=lambda request: pintle.approved("ada"))
        assert "ran ls" in self.play(yes, {"command": "ls"})

    def test_a_hook_that_crashes_follows_its_policy(self) -> None:
        self.play(pintle.Runtime(hooks=[pintle.Hook.on("tool.pre", crash)]), {"command": "ls"})
        assert RAN == []
        lenient = pintle.Hook.on("tool.pre", crash, on_failure="allow")
        assert "ran ls" in self.play(pintle.Runtime(hooks=[lenient]), {"command": "ls"})

    def test_hooks_change_and_withhold_the_result(self) -> None:
        hides = pintle.Hook.on("tool.post", lambda call: pintle.rewrite({"content": mask(call.payload["content"])}))
        assert "hidden" in self.play(pintle.Runtime(), {"command": "ls"})
        result = self.play(pintle.Runtime(hooks=[hides]), {"command": "ls"})
        assert "hidden" not in result and "ran ls" in result
        withholds = pintle.Hook.on("tool.post", lambda call: pintle.deny("it is private"))
        result = self.play(pintle.Runtime(hooks=[withholds]), {"command": "ls"})
        assert "hidden" not in result and "ran ls" not in result and "it is private" in result
