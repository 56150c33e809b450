"""Waiting for a call of the runtime in asyncio."""

from __future__ import annotations

import asyncio
from typing import Any

from pintle._pintle import PendingCall


async def finish(call: PendingCall) -> Any:
    """The result of a call. Cancelling the task cancels the call; what hooks decide then has no effect."""
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(woken.set)

    try:
        while (done := call.poll(wake)) is None:
            await woken.wait()
            woken.clear()
        return done[0]
    finally:
        call.cancel()
