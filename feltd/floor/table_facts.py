"""What a table's rows say of its part in a tournament: who sits there, what it was told, how its hands ended.

A round's end is followed by a snapshot of the table: seats, places and blinds are read there, and only what comes
between two of them from events. So a ruling that takes somebody from a seat needs no words here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from feltd.floor.open_rows import NUMBER_MOST, SEAT_MOST, body_of, is_seat, seat_of
from feltd.floor.table_values import (
    ConductAt,
    EntryAt,
    HandEnded,
    PenaltyAt,
    PlaceAt,
    RaceDone,
    WentOutAt,
)
from feltd.record.entries import LARGEST_INTEGER, EntryKind, HostEntry, Row
from feltd.record.notes import BY_HAND_NOTE

RACES_MOST: Final = 10
PENALTIES_MOST: Final = 100
"""Counts of penalties that are kept for players who have moved: a table's evening alone has fewer."""
PLACES_MOST: Final = 2000
"""Of entries that went out at one table: the last ones."""
HANDS_MOST: Final = 100
"""Ended hands that are kept until the tournament has them: minutes of a table's play."""
ORDERED_MOST: Final = 20
"""Tournaments of which is kept where their orders begin: the last ones."""
ORDERED_BY: Final = "tournament "
"""Before the name of the tournament whose order a table notes."""
_EVENTS: Final = frozenset(
    {
        "table.open", "table.close", "seat.in", "seat.out", "stack", "tournament.hand_for_hand", "tournament.go",
        "tournament.field", "tournament.clock", "tournament.moves", "seat.entry", "tournament.placed",
        "tournament.race", "race.start", "seat.conduct", "seat.away", "seat.back",
    }
)  # fmt: skip


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
    charged: float | None = None
    """In hand for hand: the seconds of play of the table's own clock without a hand that it plays; None: not known."""
    race: tuple[int, int] | None = None
    """The chips of the race that it was told to race, and for which ones, until it has."""


@dataclass(slots=True)
class TableFacts:
    """The facts of one table. `seats`: with a player who stays; `hands`: that ended, the last ones."""

    seats: tuple[int, ...] = ()
    in_round: bool = False
    told: Told = Told()
    changed: Mapping[str, float] = field(default_factory=dict)
    """By seat, when somebody last came to it or left it, seconds since 1970; since the table was opened."""
    hands: tuple[HandEnded, ...] = ()
    entries: Mapping[str, EntryAt] = field(default_factory=dict)
    """By seat."""
    conducts: Mapping[str, ConductAt] = field(default_factory=dict)
    """By seat of an entry."""
    places: tuple[PlaceAt, ...] = ()
    """Of entries alone."""
    races: tuple[RaceDone, ...] = ()
    racing: Mapping[str, Any] | None = None
    """The race that is on, as it began, with the entries that sat there then."""
    stacks: Mapping[str, int] | None = None
    penalties: tuple[PenaltyAt, ...] = ()
    """The last that were counted, of entries alone."""
    ordered: Mapping[str, int] = field(default_factory=dict)
    """By tournament: the entry of the first order that the table took from it."""
    began: int = 0
    began_wall: float = 0.0
    held: int = 0
    """In hand for hand: the entry by which the cards of an all-in wait for the director; 0 where none do."""
    over: HandEnded | None = None
    """A round that ended, and whose snapshot comes next."""
    tried: int = 0
    """The last event that may still be refused, and what was before it."""
    seats_before: tuple[int, ...] = ()
    told_before: Told = Told()
    entries_before: Mapping[str, EntryAt] = field(default_factory=dict)
    conducts_before: Mapping[str, ConductAt] = field(default_factory=dict)
    changed_before: Mapping[str, float] = field(default_factory=dict)
    places_before: tuple[PlaceAt, ...] = ()
    racing_before: Mapping[str, Any] | None = None

    def take(self, row: Row) -> None:
        """Take the next row."""
        if row.kind == EntryKind.EVENT:
            if row.name in _EVENTS:
                self.tried, self.seats_before, self.told_before = row.seq, self.seats, self.told
                self.entries_before, self.places_before = self.entries, self.places
                self.conducts_before, self.changed_before = self.conducts, self.changed
                self.racing_before = self.racing
                self._event(row.name, body_of(row), row.wall)
        elif row.kind == EntryKind.OUTPUT:
            if row.name == "error" and row.answers == self.tried and self.tried:
                self.seats, self.told, self.tried = self.seats_before, self.told_before, 0
                self.entries, self.places, self.racing = self.entries_before, self.places_before, self.racing_before
                self.conducts, self.changed = self.conducts_before, self.changed_before
            elif row.name == "race":
                self._raced(row)
            elif row.name == "penalty":
                told = body_of(row).get("penalty")
                if isinstance(told, dict):
                    self._carries(told.get("seat"), left=_whole(told, "left") or 0)
                    self._penalised(told.get("seat"), self.began_wall if self.in_round else row.wall)
            elif row.name == "prompt" and self.in_round and self.told.hand_for_hand:
                prompt = body_of(row).get("prompt")
                waits = isinstance(prompt, dict) and prompt.get("wait") == "go"
                self.held = (self.held or row.seq) if waits else 0
        elif row.name == HostEntry.ROUND_BEGIN:
            self.in_round, self.began, self.began_wall = True, row.seq, row.wall
            self.told = replace(self.told, released=False)
        elif row.name == HostEntry.ROUND_END:
            self.in_round, self.held = False, 0
            if self.began:
                self.over, self.began = HandEnded(self.began, row.seq, row.wall), 0
        elif row.name == HostEntry.SNAPSHOT:
            self._snapshot(body_of(row), row.round)
        elif row.name == HostEntry.NOTE:
            self._noted(row.seq, body_of(row))

    def _noted(self, seq: int, body: Mapping[str, Any]) -> None:
        """An order of a tournament: what the table plays from there on is of that one."""
        who = body.get("who")
        if body.get("note") != BY_HAND_NOTE or body.get("role") != "tournament" or not isinstance(who, str):
            return
        tournament = who.removeprefix(ORDERED_BY)
        if tournament != who and tournament not in self.ordered:
            self.ordered = dict([*self.ordered.items(), (tournament, seq)][-ORDERED_MOST:])

    def _event(self, name: str, body: Mapping[str, Any], wall: float) -> None:
        seat = body.get("seat")
        if name in ("seat.in", "seat.out") and is_seat(seat):
            self.changed = {**self.changed, str(seat): wall}
        match name:
            case "table.open":
                self.seats, self.told = _seats(body.get("seats")), Told()
                self.entries, self.places, self.conducts, self.changed = {}, (), {}, {}
            case "table.close":
                self.seats, self.told, self.entries, self.places, self.conducts = (), Told(), {}, (), {}
            case "seat.in" if is_seat(seat):
                self._sit({*self.seats, seat})
            case "seat.out":
                self._sit(known for known in self.seats if known != seat)
                self.entries = {at: one for at, one in self.entries.items() if at != str(seat)}
                self.conducts = {at: one for at, one in self.conducts.items() if at != str(seat)}
            case "seat.conduct" if is_seat(seat):
                self._conduct(seat, body)
            case "seat.away" | "seat.back":
                self._carries(seat, absent=name == "seat.away")
            case "seat.entry" if is_seat(seat):
                at = _entry_at(body)
                if at is not None:
                    self.entries = {**self.entries, str(seat): at}
                    self._place(at.entry, None)
            case "stack" if is_seat(seat) and (cents := _whole(body, "cents")) is not None:
                self.stacks = {**(self.stacks or {}), str(seat): cents}
            case "tournament.placed":
                self._placed(body)
            case "race.start":
                self.racing = {name: _whole(body, name) for name in ("chip", "new_chip")} | {
                    "odd": _counts(body.get("odd")), "last": [*_seats(body.get("last"))],
                    "entries": {at: one.entry for at, one in self.entries.items()},
                }  # fmt: skip
            case _:
                self.told = _told(self.told, name, body, wall, in_round=self.in_round)

    def carries(self, entry: int) -> int:
        """The last order about what an entry carries that the table has had: 0 for none, -1 where it does not sit."""
        seat = next((seat for seat, one in self.entries.items() if one.entry == entry), None)
        return -1 if seat is None else self.conducts.get(seat, ConductAt()).order

    def _conduct(self, seat: int, body: Mapping[str, Any]) -> None:
        """What the floor told of a seat's entry, as the table takes it: see `table_fsm.play.floor.conduct`."""
        order, imposed = _whole(body, "order") or 0, _whole(body, "imposed") or 0
        before = self.conducts.get(str(seat), ConductAt())
        if order <= before.order:
            return
        first = before.order == 0 and not before.left
        left = _whole(body, "left") or 0 if first else max(0, before.left + imposed - before.imposed)
        banks = _whole(body, "banks")
        absent = body.get("absent")
        now = ConductAt(
            order,
            imposed,
            left,
            before.banks if banks is None else banks,
            absent if isinstance(absent, bool) else before.absent,
        )
        self.conducts = {**self.conducts, str(seat): now}

    def _carries(self, seat: object, **news: Any) -> None:
        if is_seat(seat):
            before = self.conducts.get(str(seat), ConductAt())
            self.conducts = {**self.conducts, str(seat): replace(before, **news)}

    def _penalised(self, seat: object, since: float) -> None:
        known, now = self.entries.get(str(seat)), self.conducts.get(str(seat))
        if known is not None and now is not None:
            counted = PenaltyAt(known.entry, since, now.left, now.order, now.imposed)
            self.penalties = (*self.penalties, counted)[-PENALTIES_MOST:]

    def _placed(self, body: Mapping[str, Any]) -> None:
        entry, first, last = (_whole(body, name) for name in ("entry", "first", "last"))
        if entry is not None:
            self._place(entry, None if first is None or last is None else PlaceAt(entry, first, last, final=True))

    def _place(self, entry: int, place: PlaceAt | None) -> None:
        others = tuple(one for one in self.places if one.entry != entry)
        self.places = others if place is None else (*others, place)[-PLACES_MOST:]

    def _raced(self, row: Row) -> None:
        """A race was decided. One that a person settled is told by nobody: the director enters it."""
        racing, self.racing = self.racing, None
        said = body_of(row).get("race")
        if racing is None or not isinstance(said, dict):
            return
        chip, new = _whole(racing, "chip"), _whole(racing, "new_chip")
        if chip is None or new is None:
            return
        won, removed = _counts(said.get("winners")), _whole(said, "removed") or 0
        odd, last = racing["odd"], tuple(racing["last"])
        raced_out = sorted((odd.get(str(seat), 0), seat) for seat in last if str(seat) not in won)
        # Who has the seat by the end may be another player, whom a race that they did not play in puts out.
        raced = {at: one.entry for at, one in self.entries.items()} | dict(racing.get("entries", {}))
        out = tuple((seat, raced[str(seat)]) for _, seat in raced_out if str(seat) in raced)
        done = RaceDone(row.seq, row.wall, chip, new, odd, last, won, removed, out)
        self.races = (*self.races, done)[-RACES_MOST:]
        if self.told.race is not None and self.told.race[0] == chip:
            self.told = replace(self.told, race=None)

    def _sit(self, seats: Iterable[int]) -> None:
        now = tuple(sorted(seats))
        if now != self.seats:
            self.seats, self.told = now, replace(self.told, entrants=None, remaining=None)

    def _snapshot(self, body: Mapping[str, Any], number: int | None) -> None:
        said = body.get("seats")
        if not isinstance(said, dict):
            return
        seats = {seat: one for seat, one in said.items() if seat_of(seat) is not None}
        self._sit(int(seat) for seat, one in seats.items() if not _leaves(one))
        found = {seat: _entry_at(one.get("entry"), "number") for seat, one in seats.items() if isinstance(one, dict)}
        self.entries = {seat: one for seat, one in found.items() if one is not None and not _leaves(seats[seat])}
        banks = body.get("time_banks")
        self.conducts = {
            seat: _conduct_at(seats[seat], banks.get(seat) if isinstance(banks, dict) else None)
            for seat in self.entries
        }
        over, self.over, stacks, self.stacks = self.over, None, self.stacks or {}, None
        blinds, tournament = body.get("spots"), body.get("tournament")
        tournament = tournament if isinstance(tournament, dict) else {}
        self.told = replace(self.told, charged=_seconds(tournament.get("elapsed")))
        listed = tournament.get("places")
        places = [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
        self.places = tuple(place for place in map(_place_at, places) if place is not None)[-PLACES_MOST:]
        if over is None:
            return
        out = tuple(
            WentOutAt(
                one["seat"],
                stacks.get(str(one["seat"]), _whole(one, "put_in")),
                _whole(one, "put_in"),
                _whole(one, "entry"),
            )
            for one in places
            if one.get("round_number") == number and is_seat(one.get("seat"))
        )[:SEAT_MOST]
        blinds = blinds if isinstance(blinds, dict) else {}
        again = tournament.get("hand_for_hand") is True and tournament.get("released") is True
        if again:
            self.told = replace(self.told, released=True)
        ended = replace(over, big=_whole(blinds, "big"), small=_whole(blinds, "small"), out=out, again=again)
        self.hands = (*self.hands, ended)[-HANDS_MOST:]


def _told(told: Told, name: str, body: Mapping[str, Any], wall: float, *, in_round: bool) -> Told:
    """What the floor has told the table with this event of the tournament."""
    match name:
        case "tournament.hand_for_hand":
            on = body.get("on") is True
            settled = told.elapsed + (max(0.0, wall - told.wall) if told.running else 0.0)
            charged = settled if on and told.running is not None else None
            running = told.running if on else None
            return replace(told, hand_for_hand=on, released=False, charged=charged, running=running)
        case "tournament.go" if not in_round:
            return replace(told, released=True)
        case "tournament.field":
            return replace(told, entrants=_whole(body, "entrants"), remaining=_whole(body, "remaining"))
        case "tournament.clock":
            elapsed = body.get("elapsed")
            seconds = _seconds(elapsed) or 0.0
            charged = None if in_round else seconds
            return replace(told, running=body.get("running") is True, elapsed=seconds, wall=wall, charged=charged)
        case "tournament.moves":
            comes, goes = _seats(body.get("comes")), _seats(body.get("goes"))
            return replace(told, comes=comes, goes=goes, waits=_whole(body, "waits"))
        case "tournament.race":
            chip, new = _whole(body, "chip"), _whole(body, "new_chip")
            return replace(told, race=None if chip is None or new is None else (chip, new))
        case _:
            return told


def _leaves(record: object) -> bool:
    return isinstance(record, dict) and record.get("leaving") is True


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) <= NUMBER_MOST else None


def _entry_at(told: object, number: str = "entry") -> EntryAt | None:
    """An entry as an event or a snapshot has it; None where it is none."""
    if not isinstance(told, Mapping):
        return None
    entry, nth = _whole(told, number), _whole(told, "nth")
    if entry is None:
        return None
    rebuys, add_ons = (_whole(told, name) or 0 for name in ("rebuys", "add_ons"))
    return EntryAt(entry, 1 if nth is None else nth, _whole(told, "cents"), rebuys, add_ons)


def _conduct_at(seat: Mapping[str, Any], banks: object) -> ConductAt:
    """What a seat's player carries, as a snapshot has it."""
    entry, penalty = seat.get("entry"), seat.get("penalty")
    told = entry if isinstance(entry, dict) else {}
    sits_out = penalty if isinstance(penalty, dict) else None
    return ConductAt(
        _whole(told, "order") or 0,
        _whole(told, "imposed") or 0,
        0 if sits_out is None else _whole(sits_out, "left") or 0,
        _whole({"banks": banks}, "banks"),
        seat.get("away_since") is not None if sits_out is None else sits_out.get("away_before") is True,
    )


def _place_at(told: Mapping[str, Any]) -> PlaceAt | None:
    entry, first, last = (_whole(told, name) for name in ("entry", "first", "last"))
    if entry is None or first is None or last is None:
        return None
    return PlaceAt(entry, first, last, told.get("final") is True)


def _counts(found: object) -> dict[str, int]:
    """Chips by seat."""
    if not isinstance(found, dict):
        return {}
    counts = {seat: _whole(found, seat) for seat in found if seat_of(seat) is not None}
    return {seat: count for seat, count in counts.items() if count is not None}


def _seats(found: object) -> tuple[int, ...]:
    return tuple(sorted({seat for seat in found if is_seat(seat)})) if isinstance(found, list) else ()


def _whole(body: Mapping[str, Any], name: str) -> int | None:
    """A whole number, such as cents; None for what is none, or larger than any database keeps."""
    value = body.get(name)
    return value if type(value) is int and abs(value) <= LARGEST_INTEGER else None
