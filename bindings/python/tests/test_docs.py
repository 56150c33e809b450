"""The Python code of the documentation runs as it is written."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pintle
import pintle.adapters
import pytest
from scenario import shell

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "guide" / "python.md"
ADAPTERS = [module.name for module in pkgutil.iter_modules(pintle.adapters.__path__) if not module.name.startswith("_")]


def blocks_of(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    blocks = blocks_of(GUIDE.read_text())
    assert len(blocks) > 5
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), scope)


def test_the_package_has_a_first_example() -> None:
    import doctest

    assert doctest.testmod(pintle, optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapters_example_is_short_and_runs(name: str) -> None:
    module = importlib.import_module(f"pintle.adapters.{name}")
    [block] = blocks_of(module.__doc__ or "")
    assert len(block.splitlines()) <= 15
    test = importlib.import_module(f"test_{name}")
    exec(compile(block, name, "exec"), test.example(shell))


def test_every_adapter_is_in_the_guide_and_has_the_scenario() -> None:
    guide = GUIDE.read_text()
    for name in ADAPTERS:
        assert f"pintle.adapters.{name}" in guide
        assert "Scenario" in (Path(__file__).parent / f"test_{name}.py").read_text()
