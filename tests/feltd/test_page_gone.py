"""With the page killed, dealers, badges and decisions at the table work: processes, and devices on the real wire."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from devices.simulated.things.control import Control
from devices.simulated.things.equipment import Equipment, lay_out, running
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.record import Entry, JournalReader
from feltd.record.notes import BAD_MESSAGE_NOTE, BY_HAND_NOTE
from feltd.simulated.games import game_for, options_for
from feltd.simulated.plan import SEATS
from feltd.simulated.setting_up import write_config
from feltd.table.config.config import load_config
from feltd.table.keeper.badge_pins import pins_file_of, put_pin
from feltd.table.keeper.staff import STAFF_NOTE
from tests.feltd.page_support import SECRET
from tests.feltd.table_support import BOOKS, HOLDEM
from tests.ports import free_port
from tests.running import eventually

PIN = "70951"
WORKED = ("shoe", "keys", "badge")


def laid_out(folder: Path) -> tuple[Equipment, Path]:
    """Three devices and a table's file; the badges that count are those of the accounts alone."""
    options = options_for(BOOKS[HOLDEM])
    game = game_for(BOOKS[HOLDEM], SEATS, options)
    every = lay_out(folder, game)
    equipment = Equipment(folder, tuple(device for device in every.devices if device.name in WORKED))
    file = write_config(equipment, game, options, "127.0.0.1", free_port())
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line for line in lines if not line.startswith("settings.staff")) + "\n")
    config = load_config(file)
    put_pin(pins_file_of(config.journal.path), config.journal.sealing_key_file.read(), "S-7", PIN)
    accounts = AccountBook(config.accounts_file)
    accounts.add("anna", Role.SUPERVISOR, SECRET, "S-7")
    accounts.add("gert", Role.DIRECTOR, SECRET, "S-9")
    accounts.change("gert", enabled=False)
    return equipment, file


@asynccontextmanager
async def process(*words: str) -> AsyncIterator[asyncio.subprocess.Process]:
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "feltd.cli", *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.wait()


class Record:
    """The record, as it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def entries(self) -> list[Entry]:
        with JournalReader.open(self._path) as reader:
            return list(reader.entries())

    def notes(self, note: str) -> list[dict[str, Any]]:
        return [entry.body for entry in self.entries() if entry.name == "note" and entry.body["note"] == note]

    def bodies(self, name: str) -> list[dict[str, Any]]:
        return [entry.body for entry in self.entries() if entry.name == name]


@pytest.mark.slow
def test_with_the_page_killed_a_table_goes_on_with_its_badges_and_decisions(tmp_path: Path) -> None:
    async def scene() -> None:
        equipment, file = laid_out(tmp_path)
        record = Record(tmp_path / "table.journal")
        controls = {name: Control(equipment.device(name).control, name=name) for name in WORKED}

        async def hand(name: str, **order: Any) -> None:
            await controls[name].answer(order)
            await controls[name].order("settle", seconds=5.0)

        async with running(equipment), process("table", str(file)):
            async with process("page", str(file)) as page:
                listed = [{"badge": "S-7", "allowed": "supervisor"}, {"badge": "S-9", "allowed": "shut"}]

                def told() -> list[dict[str, Any]]:
                    notes = [note for note in record.notes(BY_HAND_NOTE) if note["what"] == STAFF_NOTE]
                    return [{"badge": note["badge"], "allowed": note["allowed"]} for note in notes]

                await eventually((tmp_path / "table.journal.door").is_socket)  # from then on there is a record
                await eventually(lambda: told() == listed)
                page.kill()
                await page.wait()
            await hand("keys", do="press", body={"ev": "floor_called", "by": "dealer"})
            await hand("badge", do="badge", staff="S-7", role="supervisor", pin=PIN)
            for other in ("S-9", "s-7", "Q-1"):
                await hand("badge", do="badge", staff=other, role="supervisor")
                body = {"ev": "decision", "decision": "acknowledge", "staff": other}
                await hand("keys", do="press", body=body)
            decides = {"ev": "decision", "decision": "acknowledge", "staff": "S-7"}
            await hand("keys", do="press", body=decides)  # a copied number
            await hand("keys", do="press", body={**decides, "pin": PIN})
            await eventually(lambda: record.bodies("supervisor"))
        for control in controls.values():
            await control.close()
        assert len(record.bodies("floor.called")) == 1
        assert [one["staff"] for one in record.bodies("badge")] == ["S-7"]
        assert [(one["staff"], one["decision"]) for one in record.bodies("supervisor")] == [("S-7", "acknowledge")]
        refused = [note["fault"] for note in record.notes(BAD_MESSAGE_NOTE)]
        assert len([fault for fault in refused if "is shut" in fault]) == 2
        assert len([fault for fault in refused if "its PIN is not keyed with it" in fault]) == 1
        assert len([fault for fault in refused if "not on the table's list" in fault]) == 4

    asyncio.run(scene())
