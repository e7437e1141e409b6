"""A table's simulated devices in one process: each behind a pseudo-terminal, a key and a control socket of its own.

To the table they are what they are in processes of their own. No one of them can be killed without the others.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from devices.simulated.things.device import serve_device
from devices.simulated.things.equipment import Equipment
from tests.running import eventually


@asynccontextmanager
async def together(equipment: Equipment) -> AsyncIterator[None]:
    """Every device of the table, in this loop, until the block ends. Raises what ended one before that."""
    for device in equipment.devices:
        device.control.unlink(missing_ok=True)
    serving = [asyncio.create_task(serve_device(device), name=device.name) for device in equipment.devices]
    try:
        await eventually(
            lambda: any(task.done() for task in serving) or all(one.control.exists() for one in equipment.devices)
        )
        yield
    finally:
        ended = [task for task in serving if task.done()]
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        for task in ended:
            task.result()
            raise AssertionError(f"the device {task.get_name()} has ended by itself")
