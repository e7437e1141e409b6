"""One tournament, folded from its stream: the book that it was made under, its state, and its last events."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from feltd.door.pit.directing import LINES_MOST, TournamentLine, TournamentPhase, TournamentTile
from feltd.floor.players import tokens_in
from feltd.floor.stream_fold import Made, StreamFold, output_as_json
from feltd.floor.streams import StreamEnd, StreamEvent, TableEntry
from floor_fsm.core.event import By, Cause, Event
from floor_fsm.core.output import Output
from floor_fsm.law.law import load_laws
from floor_fsm.lines import from_line
from floor_fsm.messages.chips import RaceOrdered, RaceTold
from floor_fsm.messages.reports import Doubtful
from floor_fsm.messages.seating import Seated
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands, how_many_left
from floor_fsm.state.money import payouts_due
from floor_fsm.state.opening import Opening
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.state.sessions import is_between
from floor_fsm.tournament import Tournament

OUTPUTS_MOST: Final = 10_000
"""Outputs that are kept for desks: those of the first draw of 5,000 entries, and as many again."""
MADE: Final = "tournament.made"


@dataclass(frozen=True, slots=True)
class Doubted:
    """An event of which something was not taken, behind event number `behind`."""

    behind: int
    event: Event
    outputs: tuple[Output, ...]


class Fold(StreamFold[TournamentLine]):
    """A tournament as it stands behind its last event. Belongs to one loop."""

    def __init__(self, tournament: str) -> None:
        super().__init__(tournament)
        self.tournament: Tournament | None = None
        self.causes: dict[bytes, int] = {}
        """By journal: the last entry of a table that an event followed from; of a race see `raced`."""
        self.raced: dict[bytes, int] = {}
        """By journal: the last chip race that was told. A hand that ended later may be told first."""
        self.named: set[str] = set()
        """The tokens of everybody whom an event names."""
        self.race_ordered = 0
        """The event with which the last race was ordered."""
        self.seated_at: dict[str, float] = {}
        """By table: the second at which somebody first had a seat there."""
        self.seated_by: dict[str, int] = {}
        """By table: the event with which somebody first had a seat there."""
        self._sat: dict[str, set[int]] = {}
        """By table: the entries that ever had a seat there."""
        self.doubted: deque[Doubted] = deque()
        """Nobody has looked yet whether the floor's own record has what was not taken of these."""
        self._outputs = 0
        """Of all lines together."""
        self._state: tuple[int, Mapping[str, Any]] | None = None

    def _take(self, event: StreamEvent) -> None:
        if self.tournament is None:
            made = self.made = Made.from_line(event.line, MADE)
            self.tournament = Tournament(load_laws({f"{made.book}.toml": made.law})[made.book])
            self._told(TournamentLine(1, 0.0, made.ev, made.who, made.role, made.why, _shown(made), ()))
            return
        taken = from_line(event.line)
        self.advance(self.tournament, taken, self.tournament.apply(taken).outputs, event)

    def advance(self, after: Tournament, event: Event, outputs: tuple[Output, ...], kept: StreamEvent) -> None:
        """Go on to the tournament behind an event that is kept. `kept`: the same event, with its chain."""
        self.tournament = after
        self.end = StreamEnd(self.id, kept.seq, kept.chain)
        self.named |= tokens_in(kept.line)
        if kept.cause is not None:
            causes = self.raced if isinstance(event, RaceTold) else self.causes
            causes[kept.cause.journal] = max(kept.cause.seq, causes.get(kept.cause.journal, 0))
        if any(isinstance(output, Doubtful) for output in outputs):
            self.doubted.append(Doubted(kept.seq - 1, event, outputs))
        if isinstance(event, RaceOrdered):
            self.race_ordered = kept.seq
        for output in outputs:
            if isinstance(output, Seated):
                self.seated_at.setdefault(output.place.table, event.t)
                self.seated_by.setdefault(output.place.table, kept.seq)
                self._sat.setdefault(output.place.table, set()).add(output.entry)
        self._told(line_of(kept, event, outputs))

    def _told(self, line: TournamentLine) -> None:
        self.lines.append(line)
        self._outputs += len(line.outputs)
        while len(self.lines) > 1 and (len(self.lines) > LINES_MOST or self._outputs > OUTPUTS_MOST):
            self._outputs -= len(self.lines.popleft().outputs)

    def had_seat(self, entry: int, table: str) -> bool:
        """Whether the tournament ever gave an entry a seat at a table. What a table says of others proves nothing."""
        return entry in self._sat.get(table, ())

    def knows(self, cause: TableEntry) -> bool:
        """Whether this entry of a table has had its event."""
        return self.tournament is not None and self.tournament.knows(as_cause(cause))

    def _last_second(self) -> float | None:
        return None if self.tournament is None else self.tournament.t

    def state(self) -> Mapping[str, Any]:
        """The state as JSON has it."""
        if self._state is None or self._state[0] != self.seq:
            self._state = self.seq, {} if self.tournament is None else self.tournament.told()
        return self._state[1]

    def commitment(self) -> str | None:
        """What the next draw's secret must fit: the commitment, then each secret that was told; None before it."""
        return None if self.tournament is None else self.tournament.parts.of(Draw).commitment

    def phase(self) -> TournamentPhase:
        """How far it is."""
        if self.wrong is not None:
            return TournamentPhase.UNREAD
        if self.tournament is None or self.tournament.parts.of(Opening).tournament is None:
            return TournamentPhase.MADE
        parts = self.tournament.parts
        if parts.of(Opening).cancelled:
            return TournamentPhase.OVER
        seating = parts.of(Seating)
        if not seating.has_begun:
            return TournamentPhase.ENTRIES
        if parts.of(Entries).closed and how_many_left(parts) <= 1:
            return TournamentPhase.OVER
        if parts.of(Stacks).night or is_between(parts):
            return TournamentPhase.SUSPENDED
        return TournamentPhase.PLAYING if parts.of(Hands).play is None else TournamentPhase.HAND_FOR_HAND

    def tile(self) -> TournamentTile:
        """The tournament in a list."""
        title, book = ("", "") if self.made is None else (self.made.title, self.made.book)
        entries = playing = tables = 0
        due = False
        if self.tournament is not None and self.tournament.parts.of(Opening).tournament is not None:
            parts = self.tournament.parts
            entries, playing = parts.of(Entries).counted, len(parts.of(Seating).places)
            tables, due = len(in_use(parts)), payouts_due(parts)
        return TournamentTile(self.id, title, self.phase(), entries, playing, tables, self.seq, book, self.wrong, due)


def as_cause(entry: TableEntry) -> Cause:
    """A table's entry as events have it."""
    return Cause(journal=entry.journal.hex(), seq=entry.seq)


def tables_of(tournament: Tournament | None) -> frozenset[str]:
    """The tables of a tournament; none before it has its terms."""
    terms = None if tournament is None else tournament.parts.of(Opening).tournament
    return frozenset() if terms is None else frozenset(table.table for table in terms.tables)


def line_of(kept: StreamEvent, event: Event, outputs: tuple[Output, ...]) -> TournamentLine:
    """An event and what was said to it, for desks."""
    by = event.by or By(who="-", why="-")
    who, role, why = (None, None, None) if event.by is None else (by.who, by.role, by.why)
    said = tuple(output_as_json(output) for output in outputs)
    return TournamentLine(kept.seq, event.t, event.ev, who, role, why, json.loads(kept.line), said)


def _shown(made: Made) -> dict[str, Any]:
    """The first event without the book's text."""
    return {name: value for name, value in json.loads(made.to_line()).items() if name != "law"}
