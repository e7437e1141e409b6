"""The events that a table takes from its page, also from an attacker who has the page's user."""

import asyncio
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from feltd.door import CommandRefused, Person
from feltd.page.api import action_routes
from feltd.record import JournalReader
from feltd.table.keeper.by_hand import BY_HAND
from table_fsm import events as ev
from tests.feltd.door_support import apart, connected

ANNA = Person("S7", "anna", "supervisor", "192.0.2.7")
_SAMPLES = {"int": 1, "float": 0.0, "bool": True, "str": "seat:1", "dict": {}, "list": []}


def sample(kind: type[ev.Event]) -> ev.Event:
    """An event of this kind, with something in each field that it cannot be without."""
    needed: dict[str, Any] = {}
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            said = str(getattr(field.type, "__name__", field.type))
            needed[field.name] = next((value for name, value in _SAMPLES.items() if name in said), None)
    return kind(**needed)


def test_the_closed_list_is_what_the_pages_own_interface_makes() -> None:
    source = Path(action_routes.__file__).read_text()
    made = {getattr(ev, name) for name in re.findall(r"\bev\.([A-Z]\w+)", source)}
    assert made - {ev.Event} == set(BY_HAND)
    assert ev.Supervisor not in BY_HAND


def test_the_page_speaks_for_no_device_and_passes_by_no_check_of_a_decision(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            await at.bench.synced()
            before = at.bench.journal.health.appended
            async with connected(at) as door:
                for kind in ev.EVENT_TYPES:
                    if kind not in BY_HAND:
                        event = sample(kind)
                        with pytest.raises(CommandRefused, match=f"nobody at the page makes a {re.escape(event.ev)}:"):
                            await door.act(ANNA, None, event)
                assert at.bench.journal.health.appended == before
                assert (await door.act(ANNA, None, ev.SeatIn(t=0.0, seat=7))).refusal is None
        with JournalReader.open(tmp_path / "table.journal") as reader:
            assert [entry.name for entry in reader.entries() if entry.seq > before][:2] == ["note", "seat.in"]

    asyncio.run(scene())


def test_who_has_the_pages_user_learns_from_no_ruling_which_card_lies_face_down(tmp_path: Path) -> None:
    async def scene() -> None:
        async with apart(tmp_path) as at:
            at.bench.open_table()
            at.bench.take(ev.ShoeShuffled, deck="blue", count=52)
            at.bench.take(ev.ShoeCard, card="As")
            at.bench.take(ev.CardPlaced, zone="seat:1", card="As", face="down")
            await at.bench.synced()
            assert at.bench.journal.open_rounds
            async with connected(at) as door:
                said = set()
                for card in (f"{rank}s" for rank in "23456789TJQKA"):
                    with pytest.raises(CommandRefused) as refused:
                        await door.act(ANNA, None, ev.CardPlaced(t=0.0, zone="seat:1", card=card, face="down"))
                    said.add(str(refused.value))
                assert len(said) == 1

    asyncio.run(scene())
