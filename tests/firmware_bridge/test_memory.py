"""The transports in memory behave as real ones do."""

import asyncio

from firmware_bridge.memory import memory_pair
from tests.firmware_bridge.support import Collector, run


def test_order_early_bytes_and_the_end() -> None:
    async def scene() -> None:
        host, device = memory_pair("port")
        host.write(b"early ")
        await asyncio.sleep(0)
        heard = Collector()
        device.start(heard)
        host.write(b"late")
        assert heard.data == b""  # never from within a write
        await asyncio.sleep(0)
        assert heard.data == b"early late"
        host.write(b" last")
        host.close()
        host.close()
        host.write(b"never")
        await asyncio.sleep(0)
        assert heard.data == b"early late last"
        assert len(heard.errors) == 1
        device.lose()
        device.arrive(b"too late")
        assert len(heard.errors) == 1
        lone, other = memory_pair()
        other.lose()
        lone.write(b"into nothing")
        await asyncio.sleep(0)

    run(scene())
