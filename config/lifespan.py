"""The end of a web process: no answer stays as if it were being written.

Servers wait for open streams before they say that they end, and streams wait for their answers. So the answers are
interrupted when the signal arrives, and the end waits until that is stored.
"""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Any

from chatbots.streaming.jobs import interrupt_all
from engines import background


async def lifespan(receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    """Serve the lifespan of ASGI: between start and end of the server's process."""
    await receive()
    asyncio.get_running_loop().set_default_executor(background.get_pool("requests"))
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            _interrupt_at(number)
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await background.run_in_pool("requests", interrupt_all)
    await send({"type": "lifespan.shutdown.complete"})


def _interrupt_at(number: signal.Signals) -> None:
    """Before the server does what it does at this signal."""
    servers = signal.getsignal(number)

    def handle(received: int, frame: FrameType | None) -> None:
        threading.Thread(target=interrupt_all, name="answers-interrupting").start()
        if callable(servers):
            servers(received, frame)

    signal.signal(number, handle)
