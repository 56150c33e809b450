"""The exceptions of the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence


class PintleError(Exception):
    """Every exception of this package is one."""


class Refusal(PintleError):
    """Hooks do not let a step of the agent happen. Nothing of the step may be done."""

    def __init__(self, text: str, event: str, reason: str, hooks: Sequence[str] = (), stops_run: bool = False) -> None:
        super().__init__(text, event, reason, tuple(hooks), stops_run)
        self.event = event
        """The name of the event at which it was refused."""
        self.reason = reason
        """The reason. That of a tool call is its result for the model."""
        self.hooks = tuple(hooks)
        """The names of the hooks that refused it, in their order; none if it was cancelled."""
        self.stops_run = stops_run
        """Whether the run must end, and not just this step."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Diagnostic:
    """A message about a hook or its file. As a text it has the place, the message and the next step."""

    text: str
    is_error: bool
    code: str
    message: str
    help: str | None
    path: str | None
    line: int | None
    column: int | None

    def __str__(self) -> str:
        return self.text


class LoadError(PintleError):
    """Hooks cannot be loaded. As a text it is everything that is wrong with them."""

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text, tuple(diagnostics))
        self.diagnostics = tuple(diagnostics)
        """Each fault with its place and its next step."""

    def __str__(self) -> str:
        return str(self.args[0])


class EventError(PintleError, ValueError):
    """A payload is not one of its event, or the event does not exist."""


class TapeError(PintleError):
    """A tape cannot be written, or something is wrong with it."""
