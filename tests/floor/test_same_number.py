"""Two directors at two floords take steps upon the same event: each pair of steps, in each order, at once."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import pytest

from feltd.door.commands import CommandRefused, MovedOn
from feltd.door.pit.directing import DecidedBy, Step, Stepped
from feltd.floor.directing import Directing
from feltd.floor.streams import MemoryStreams
from floor_fsm.drawing import commitment_of
from floor_fsm.tournament import Tournament
from tests.floor.directing_support import LEA, MAX, At, directing, entry
from tests.floor.tending_support import seat
from tests.floor_fsm.support import SECRETS, require_sound

SECRET: Final = SECRETS[0].hex()
STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "seat": seat(6, "T1", 3),
    "the same seat for another": seat(7, "T1", 3),
    "a move to that seat": {"ev": "moved", "entry": 5, "table": "T1", "seat": 3},
    "back": {"ev": "entry.back", "entry": 4},
    "late entry again": {"ev": "late.taken_back"},
    "break": {"ev": "table.breaks", "table": "T2", "secret": SECRET},
    "redraw": {"ev": "redrawn", "occasion": "final_table", "tables": ["T1"], "secret": SECRET},
    "payouts": {"ev": "payouts.set", "percent": ["100"]},
    "place together": {"ev": "place.decided", "order": 1, "groups": [[3, 4]]},
    "place apart": {"ev": "place.decided", "order": 1, "groups": [[4], [3]]},
    "out": {"ev": "entry.out", "entry": 5},
    "call off": {"ev": "tournament.cancelled", "refund": True},
}
"""Each may be the next step of the tournament below."""


async def made(streams: MemoryStreams) -> int:
    """Seven entries: two sit at T1 and one at T2, two are out, two wait. Returns the last event's number."""
    at = At(directing(streams))
    await at.opened()
    await at.say(
        {"ev": "draw.committed", "commitment": commitment_of(SECRETS[0])},
        *map(entry, range(1, 8)),
        *(seat(1, "T1", 1), seat(2, "T1", 2), seat(3, "T2", 1), seat(4, "T2", 2), seat(5, "T2", 3)),
        {"ev": "breaking.order", "tables": ["T2", "T1"]},
        {"ev": "late.closed"},
        {"ev": "payouts.set", "percent": ["60", "40"]},
        {"ev": "entry.out", "entry": 3},
        {"ev": "entry.out", "entry": 4},
    )
    return at.seq


async def told(floor: Directing, seq: int, what: str, by: DecidedBy) -> Stepped | CommandRefused:
    """What a director is told of a step upon the event of this number."""
    try:
        return await floor.step(Step("cup", seq, STEPS[what], by))
    except CommandRefused as refused:
        return refused


def tournament(floor: Directing) -> Tournament:
    now = floor.fold("cup").tournament
    assert now is not None
    return now


async def two_at_once(first: str, second: str) -> None:
    streams = MemoryStreams()
    seq = await made(streams)
    floors = [directing(streams), directing(streams)]
    for floor in floors:
        await floor.look()
    answers = await asyncio.gather(told(floors[0], seq, first, LEA), told(floors[1], seq, second, MAX))
    taken = [one for one in answers if isinstance(one, Stepped)]
    late = [one for one in answers if isinstance(one, MovedOn)]
    assert (len(taken), len(late)) == (1, 1), answers
    assert taken[0].seq == seq + 1
    winner, loser = (first, second) if isinstance(answers[0], Stepped) else (second, first)
    assert f"came first, with {STEPS[winner]['ev']}" in str(late[0])
    at, by = (floors[1], MAX) if isinstance(answers[0], Stepped) else (floors[0], LEA)
    again = await told(at, seq + 1, loser, by)
    assert not isinstance(again, MovedOn), "who has looked again decides anew"
    fresh = directing(streams)
    for floor in (*floors, fresh):
        await floor.look()
    for floor in (*floors, fresh):
        require_sound(tournament(floor))
        assert tournament(floor).digest() == tournament(fresh).digest()
        assert floor.fold("cup").seq == seq + 1 + isinstance(again, Stepped)


def test_each_of_these_steps_may_be_the_next() -> None:
    async def work(what: str) -> None:
        streams = MemoryStreams()
        seq = await made(streams)
        floor = directing(streams)
        await floor.look()
        assert isinstance(await told(floor, seq, what, LEA), Stepped), what

    for what in STEPS:
        asyncio.run(work(what))


@pytest.mark.parametrize("first", STEPS)
def test_of_two_steps_at_two_floords_one_is_taken_and_the_other_is_decided_anew(first: str) -> None:
    for second in STEPS:
        asyncio.run(two_at_once(first, second))
