"""A simulated device remembers the last event that was acknowledged to it, over its restart too."""

from pathlib import Path

from devices.simulated.things.memory import DeviceMemory
from firmware_bridge.store import PendingEvent

BOOT = b"boot id."


def test_the_last_event_acknowledged_is_remembered_over_a_restart(tmp_path: Path) -> None:
    memory = DeviceMemory(tmp_path / "memory")
    assert memory.acknowledged is None
    for seq in (1, 2, 3):
        memory.append(PendingEvent(BOOT, seq, b"message"))
    memory.forget(2)
    memory.close()
    memory = DeviceMemory(tmp_path / "memory")
    assert memory.acknowledged == (BOOT, 2)
    assert [event.seq for event in memory.load()] == [3]
    memory.forget(0)
    assert memory.acknowledged == (BOOT, 2)
    memory.forget(1)
    assert memory.acknowledged == (BOOT, 3)
    memory.close()
