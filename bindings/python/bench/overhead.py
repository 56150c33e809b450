"""What a call costs in Python beyond what it costs in Rust, in one run.

    maturin develop --release --features bench && python bench/overhead.py

Rust's own time is that of the same calls in a loop in Rust, without Python objects.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median

import pintle
from pintle._pintle import time_decisions

CALLS = 200
ROUNDS = 400
ARGS = {"command": "cargo test --workspace", "timeout_ms": 120_000, "description": "run the tests", "background": False}


def measure(runtime: pintle.Runtime) -> tuple[float, float, float]:
    """Microseconds a call in Rust and in Python, and how much more that is: medians of many short rounds, which take turns, so
    that what else the machine does is in both."""
    rust, python = [], []
    for _ in range(ROUNDS):
        rust.append(time_decisions(runtime, "shell", ARGS, CALLS) / CALLS * 1e6)
        begin = time.perf_counter()
        for _ in range(CALLS):
            decided = runtime.decide_tool_call(pintle.ToolCall("call_1", "shell", ARGS))
            decided.args
        python.append((time.perf_counter() - begin) / CALLS * 1e6)
    more = [of_python - of_rust for of_rust, of_python in zip(rust, python)]
    return median(rust), median(python), median(more)


def main() -> int:
    runtimes = {
        "no hooks": pintle.Runtime(),
        "packs shell and git": pintle.Runtime(packs=["shell", "git"]),
    }
    most = 0.0
    for name, runtime in runtimes.items():
        rust, python, more = measure(runtime)
        most = max(most, more)
        print(f"{name}: Rust {rust:.2f} us, Python {python:.2f} us, {more:.2f} us more")
    hooked = pintle.Runtime(hooks=[pintle.Hook.on("tool.pre", lambda call: None)])
    _, python, _ = measure(hooked)
    print(f"a hook that is a Python function: {python:.2f} us")
    print(json.dumps({"most_us": round(most, 2), "bar_us": 3.0}))
    return 0 if most <= 3.0 else 1


if __name__ == "__main__":
    sys.exit(main())
