"""What cannot be is refused with its reason and its clause, changes nothing, and is on the floor's own record."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from feltd.books.shipped import tournament_sources
from feltd.door.commands import CommandRefused, StepRefused
from feltd.door.pit.directing import TournamentAsk
from feltd.floor.directing import Directing
from feltd.floor.memory import MemoryEngine
from feltd.floor.own_record import OwnRecord
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.streams import TableEntry
from floor_fsm.errors import Reason
from tests.floor.directing_support import At, entry
from tests.floor.tending_support import seat
from tests.floor.test_refusals_kept import on_record

SEATED: Final = tuple(seat(number, "T1" if number < 4 else "T2", number) for number in range(1, 5))
HAND_FOR_HAND: Final = ({"ev": "hand_for_hand.began", "why": "bubble"}, {"ev": "hand.released"})
WRONG: Final[dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any], Reason, str | None]]] = {
    "an entry twice": ((), entry(1), Reason.NUMBER_IS_TAKEN, None),
    "a person at two desks": ((), {**entry(9), "person": "P 1"}, Reason.IN_PLAY_ALREADY, "Formats; Seating 4"),
    "another person's card, spelled otherwise": (
        (), {**entry(9), "person": "p-1", "name": "Mx One"}, Reason.PERHAPS_THE_SAME, None,
    ),
    "another price": ((), {**entry(9), "paid": 1}, Reason.WRONG_AMOUNT, None),
    "a move to a taken seat": (
        SEATED, {"ev": "moved", "entry": 1, "table": "T2", "seat": 4}, Reason.SEAT_IS_TAKEN, None,
    ),
    "a seat that there is not": (
        SEATED, {"ev": "moved", "entry": 1, "table": "T2", "seat": 9}, Reason.NO_SUCH_SEAT, None,
    ),
    "a payout that does not add up": (
        (), {"ev": "payouts.set", "percent": ["50", "30"]}, Reason.DOES_NOT_ADD_UP, "ours",
    ),
    "a chop that does not add up": (
        (*SEATED, {"ev": "late.closed"}, {"ev": "payouts.set", "percent": ["60", "40"]}),
        {"ev": "chop", "cents": [[1, 1], [2, 1], [3, 1], [4, 1]]}, Reason.NOT_IN_THE_BOOK, None,
    ),
    "another prize than there is": (SEATED, {"ev": "prize.paid", "entry": 1, "cents": 5}, Reason.WRONG_AMOUNT, None),
    "a refund that nobody owes": (SEATED, {"ev": "refund.paid", "entry": 1, "cents": 5}, Reason.WRONG_STATE, None),
    "a table that reports the wrong hand": (
        (*SEATED, *HAND_FOR_HAND), {"ev": "hand.over", "table": "T1", "hand": 7}, Reason.WRONG_HAND,
        "Hand for Hand 1, 6",
    ),
    "a stack that a person says and that cannot be": (
        SEATED, {"ev": "hand.over", "table": "T1", "out": [{"entry": 1, "stack": 10**9, "put_in": 5}]},
        Reason.DOES_NOT_ADD_UP, "Hand for Hand 4, 5",
    ),
    "stacks of one table that are more than there are": (
        SEATED, {"ev": "stacks.counted", "table": "T1", "stacks": [[1, 10**9]]}, Reason.DOES_NOT_ADD_UP, None,
    ),
    "a race into smaller chips": (
        SEATED, {"ev": "race.ordered", "chip": 100, "new_chip": 25}, Reason.DOES_NOT_ADD_UP, "Chip Races 1 to 6",
    ),
}  # fmt: skip
"""What came before, what is wrong, why it is refused, and by which clause; None where no text has a word on it."""


@pytest.mark.parametrize("what", WRONG)
def test_what_cannot_be_is_refused_changes_nothing_and_is_on_record(tmp_path: Path, what: str) -> None:
    before, wrong, reason, clause = WRONG[what]

    async def work() -> None:
        floor = MemoryEngine(lambda: 2000.0)
        kept = RefusalsKept(OwnRecord(floor, lambda: 2000.0))
        at = await At(Directing(floor.tournaments, tournament_sources(), refusals=kept)).opened(entries=4)
        if before:
            await at.say(*before)
        tournament = at.floor.fold("cup").tournament
        assert tournament is not None
        digest = tournament.digest()
        by_table = reason is Reason.WRONG_HAND
        said = at.floor.tell("cup", wrong, TableEntry(bytes(16), 7)) if by_table else at.say(wrong)
        with pytest.raises(StepRefused) as refusal:
            await said
        assert (refusal.value.reason, refusal.value.clause) == (reason, clause)
        after = at.floor.fold("cup").tournament
        assert after is not None
        assert after.digest() == digest
        [note] = await on_record(floor, tmp_path)
        assert (note["step"], note["reason"], note.get("clause")) == (wrong["ev"], reason, clause)
        assert ("entry_of_table" if by_table else "who") in note
        assert "Mx" not in str(note)

    asyncio.run(work())


def test_a_reason_or_a_name_of_blanks_alone_is_none_and_others_are_kept_clean() -> None:
    async def work() -> None:
        at = await At(Directing(MemoryEngine(lambda: 0.0).tournaments, tournament_sources())).opened()
        blank = At(at.floor, by=replace(at.by, why=" \u200b"))
        with pytest.raises(CommandRefused, match="say who decides, and why in 1 to 200 characters"):
            await blank.say({"ev": "late.closed"})
        for name in (" ", "\u200b"):
            with pytest.raises(CommandRefused):
                await at.say({**entry(1), "name": name})
        untidy = At(at.floor, by=replace(at.by, why="the  list \u200b"))
        await untidy.say({**entry(1), "name": " Anna\u200b  Meier "})
        line = at.floor.news(TournamentAsk("cup", 0)).lines[-1]
        assert (line.why, line.event["name"]) == ("the list", "Anna Meier")

    asyncio.run(work())
