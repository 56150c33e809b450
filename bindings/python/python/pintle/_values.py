"""Plain values that calls return."""

from __future__ import annotations

from typing import NamedTuple


class ReviewedAnswer(NamedTuple):
    """What hooks say about an answer that an agent wants to stop with."""

    text: str
    """The answer as hooks left it."""
    next_message: str | None
    """The message with which the agent continues, because a hook does not accept the answer; `None` if it may stop."""
