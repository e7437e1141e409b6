"""One table's traffic, end to end, over four kinds of wire: direct, a byte at a time, lossy, delayed."""

import pytest

from firmware_bridge.link import LinkState
from firmware_bridge.memory import memory_pair
from firmware_bridge.store import MemoryStore
from tests.firmware_bridge.support import Bench, Wire, byte_at_a_time, delayed, lossy, run, until

WIRES = {"direct": memory_pair, "byte_at_a_time": byte_at_a_time, "lossy": lossy(20), "delayed": delayed}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WIRES)
def test_everything_arrives_once_in_order_over_each_wire(kind: str) -> None:
    async def scene(wire: Wire) -> None:
        bench = Bench(wire=wire, store=MemoryStore())
        bench.start()
        for n in range(1, 301):
            bench.emit(n)
            if n % 10 == 0:
                await until(lambda: bench.peer.pending < 64)
        await until(lambda: len(bench.journal.events) == 300 and bench.peer.pending == 0)
        assert bench.journal.bodies == list(range(1, 301))
        await until(lambda: bench.link.state is LinkState.UP)
        assert bench.journal.ups[-1][1]["last"] >= 0
        await bench.finish()

    run(scene(WIRES[kind]))
