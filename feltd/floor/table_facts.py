"""What a table's rows say of its part in a tournament: who sits there, what it was told, how its hands ended.

A round's end is followed by a snapshot of the table: seats, places and blinds are read there, and only what comes
between two of them from events. So a ruling that takes somebody from a seat needs no words here.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from feltd.record.entries import EntryKind, HostEntry, Row

HANDS_MOST: Final = 100
"""Ended hands that are kept until the tournament has them: minutes of a table's play."""
_EVENTS: Final = frozenset(
    {
        "table.open", "table.close", "seat.in", "seat.out", "stack", "tournament.hand_for_hand", "tournament.go",
        "tournament.field", "tournament.clock", "tournament.moves",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WentOutAt:
    """A player who is out.

    `put_in`: the whole stack, as it went into the pots by the table's bets. `stack`: as counted since the round before,
    else the same. None where the table does not know it.
    """

    seat: int
    stack: int | None = None
    put_in: int | None = None


@dataclass(frozen=True, slots=True)
class HandEnded:
    """A round that ended. `began`, `ended`: its entries in the record; `wall`: of its end, by the table's clock.

    `big`, `small`: the seats of its blinds, None where the table does not know them.
    """

    began: int
    ended: int
    wall: float
    big: int | None = None
    small: int | None = None
    out: tuple[WentOutAt, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What a table was last told. `entrants`, `remaining`: the field; `running`, `elapsed`: the clock, at `wall`.
    `comes`, `goes`, `waits`: what its display says.

    The field counts from who sits there, so it is None again when somebody comes or goes.
    """

    hand_for_hand: bool = False
    released: bool = False
    entrants: int | None = None
    remaining: int | None = None
    running: bool | None = None
    elapsed: float = 0.0
    wall: float = 0.0
    comes: tuple[int, ...] = ()
    goes: tuple[int, ...] = ()
    waits: int | None = None


@dataclass(slots=True)
class TableFacts:
    """The facts of one table. `seats`: with a player who stays; `hands`: that ended, the last ones."""

    seats: tuple[int, ...] = ()
    in_round: bool = False
    told: Told = Told()
    hands: tuple[HandEnded, ...] = ()
    stacks: Mapping[str, int] | None = None
    began: int = 0
    held: int = 0
    """In hand for hand: the entry by which the cards of an all-in wait for the director; 0 where none do."""
    over: HandEnded | None = None
    """A round that ended, and whose snapshot comes next."""
    tried: int = 0
    """The last event that may still be refused, and what was before it."""
    seats_before: tuple[int, ...] = ()
    told_before: Told = Told()

    def take(self, row: Row) -> None:
        """Take the next row."""
        if row.kind == EntryKind.EVENT:
            if row.name in _EVENTS:
                self.tried, self.seats_before, self.told_before = row.seq, self.seats, self.told
                self._event(row.name, _body(row), row.wall)
        elif row.kind == EntryKind.OUTPUT:
            if row.name == "error" and row.answers == self.tried and self.tried:
                self.seats, self.told, self.tried = self.seats_before, self.told_before, 0
            elif row.name == "prompt" and self.in_round and self.told.hand_for_hand:
                prompt = _body(row).get("prompt")
                waits = isinstance(prompt, dict) and prompt.get("wait") == "go"
                self.held = (self.held or row.seq) if waits else 0
        elif row.name == HostEntry.ROUND_BEGIN:
            self.in_round, self.began = True, row.seq
            self.told = replace(self.told, released=False)
        elif row.name == HostEntry.ROUND_END:
            self.in_round, self.held = False, 0
            if self.began:
                self.over, self.began = HandEnded(self.began, row.seq, row.wall), 0
        elif row.name == HostEntry.SNAPSHOT:
            self._snapshot(_body(row), row.round)

    def _event(self, name: str, body: Mapping[str, Any], wall: float) -> None:
        seat = body.get("seat")
        match name:
            case "table.open":
                self.seats, self.told = _seats(body.get("seats")), Told()
            case "table.close":
                self.seats, self.told = (), Told()
            case "seat.in" if isinstance(seat, int):
                self._sit({*self.seats, seat})
            case "seat.out":
                self._sit({*self.seats} - {seat})
            case "stack" if isinstance(seat, int) and isinstance(body.get("cents"), int):
                self.stacks = {**(self.stacks or {}), str(seat): body["cents"]}
            case "tournament.hand_for_hand":
                self.told = replace(self.told, hand_for_hand=body.get("on") is True, released=False)
            case "tournament.go" if not self.in_round:
                self.told = replace(self.told, released=True)
            case "tournament.field":
                self.told = replace(self.told, entrants=_whole(body, "entrants"), remaining=_whole(body, "remaining"))
            case "tournament.clock":
                elapsed = body.get("elapsed")
                seconds = float(elapsed) if isinstance(elapsed, int | float) else 0.0
                self.told = replace(self.told, running=body.get("running") is True, elapsed=seconds, wall=wall)
            case "tournament.moves":
                comes, goes = _seats(body.get("comes")), _seats(body.get("goes"))
                self.told = replace(self.told, comes=comes, goes=goes, waits=_whole(body, "waits"))
            case _:
                pass

    def _sit(self, seats: Iterable[int]) -> None:
        now = tuple(sorted(seats))
        if now != self.seats:
            self.seats, self.told = now, replace(self.told, entrants=None, remaining=None)

    def _snapshot(self, body: Mapping[str, Any], number: int | None) -> None:
        seats = body.get("seats")
        if not isinstance(seats, dict):
            return
        self._sit(int(seat) for seat, one in seats.items() if seat.isdecimal() and not _leaves(one))
        over, self.over, stacks, self.stacks = self.over, None, self.stacks or {}, None
        if over is None:
            return
        blinds, tournament = body.get("spots"), body.get("tournament")
        places = tournament.get("places") if isinstance(tournament, dict) else None
        out = tuple(
            WentOutAt(one["seat"], stacks.get(str(one["seat"]), _whole(one, "put_in")), _whole(one, "put_in"))
            for one in (places if isinstance(places, list) else ())
            if isinstance(one, dict) and one.get("round_number") == number and isinstance(one.get("seat"), int)
        )
        blinds = blinds if isinstance(blinds, dict) else {}
        ended = replace(over, big=_whole(blinds, "big"), small=_whole(blinds, "small"), out=out)
        self.hands = (*self.hands, ended)[-HANDS_MOST:]


def _body(row: Row) -> Mapping[str, Any]:
    try:
        body = json.loads(row.body)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _leaves(record: object) -> bool:
    return isinstance(record, dict) and record.get("leaving") is True


def _seats(found: object) -> tuple[int, ...]:
    return tuple(sorted({seat for seat in found if isinstance(seat, int)})) if isinstance(found, list) else ()


def _whole(body: Mapping[str, Any], name: str) -> int | None:
    value = body.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
