"""What is JSON, and what is an error that says where."""

from __future__ import annotations

import enum
from typing import Any

import pintle
import pytest
from pintle import Runtime, ToolCall


class Level(enum.IntEnum):
    HIGH = 3


def test_values_come_back_as_they_went() -> None:
    args: dict[str, Any] = {
        "text": "é\U0001f600\0",
        "list": [1, -(2**63), 2**64 - 1, 0.1, -0.0, 1e300, True, False, None, [], {}],
        "deep": {"a": [{"b": {"c": "d"}}]},
        "": "an empty key",
    }
    back = Runtime().decide_tool_call(ToolCall("1", "tool", args)).args
    assert back == args and list(back) == list(args)
    assert [type(item) for item in back["list"]] == [type(item) for item in args["list"]]
    assert ToolCall("1", "t", {"a": (1, 2), "b": Level.HIGH}).args == {"a": [1, 2], "b": 3}


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (float("nan"), ValueError, r'args\["a"\]: NaN and infinity'),
        (float("-inf"), ValueError, "NaN and infinity"),
        (2**64, ValueError, "more than 64 bits"),
        (-(2**63) - 1, ValueError, "more than 64 bits"),
        ("\ud800", ValueError, "surrogate"),
        ({"\ud800": 1}, ValueError, "surrogate"),
        ({1: 2}, TypeError, "key of type int"),
        ({None: 2}, TypeError, "key of type NoneType"),
        ([{"b": [0, {1, 2}]}], TypeError, r'args\["a"\]\[0\]\["b"\]\[1\]: JSON has no values of type set'),
        (b"bytes", TypeError, "of type bytes"),
        (object(), TypeError, "of type object"),
        (1j, TypeError, "of type complex"),
    ],
)
def test_what_json_does_not_have_is_an_error_with_its_place(value: Any, error: type[Exception], message: str) -> None:
    for make in (lambda: ToolCall("1", "t", {"a": value}), lambda: pintle.args({"a": value})):
        with pytest.raises(error, match=message):
            make()
    with pytest.raises(error):
        Runtime().fire("custom.deploy", {"a": value})


def test_cycles_and_deep_nesting_are_errors() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: Any = "leaf"
    for _ in range(200):
        deep = {"a": deep}
    for value in (cycle, deep):
        with pytest.raises(ValueError, match="more than 100 levels deep, or contains itself"):
            ToolCall("1", "t", {"a": value})
    most: Any = "leaf"
    for _ in range(99):
        most = [most]
    tape = pintle.Tape.in_memory("s")
    assert Runtime(tape=tape).decide_tool_call(ToolCall("1", "t", {"a": most})).args == {"a": most}
    pintle.Tape.replay(tape.to_bytes())


def test_a_large_payload_is_decided() -> None:
    args = {"command": "ls", "text": "x" * 5_000_000, "list": list(range(100_000))}
    runtime = Runtime(hooks=[pintle.Hook.on("tool.pre", lambda call: None)])
    assert runtime.decide_tool_call(ToolCall("1", "tool", args)).args == args


def test_names_and_texts_must_be_text() -> None:
    for make in (
        lambda: ToolCall(1, "t", {}),  # type: ignore[arg-type]
        lambda: ToolCall("\ud800", "t", {}),
        lambda: pintle.deny("\ud800"),
        lambda: pintle.deny(None),  # type: ignore[arg-type]
    ):
        with pytest.raises((TypeError, ValueError)):
            make()
    with pytest.raises(ValueError, match="use one of"):
        ToolCall("1", "t", {}, vocabulary="nobody")
