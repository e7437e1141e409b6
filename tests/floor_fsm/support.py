"""A tournament that a test drives: short words for its events, and what must hold after each of them."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import pytest

from feltd.books.shipped import tournament_sources
from floor_fsm.core.event import By, Event
from floor_fsm.core.output import Output
from floor_fsm.drawing import commitment_of, secrets_of
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, load_laws
from floor_fsm.messages.draw import DrawCommitted, SeatsDrawn
from floor_fsm.messages.entries import EntryOut, EntryTaken
from floor_fsm.messages.opening import TableSeats, TournamentOpen
from floor_fsm.messages.seating import SeatLate
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.opening import seats_of
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.tournament import Tournament

DIRECTOR: Final = By(who="lea", why="as announced")
SECRETS: Final = tuple(secrets_of(bytes(range(32)), 1000))
"""Of the draws of a tournament, in their order."""
SECRET: Final = SECRETS[0]
FEE, HOUSE = 20_000, 5_000


@cache
def laws() -> dict[str, Law]:
    """The tournament books that come with feltd."""
    return load_laws(tournament_sources())


class Desk:
    """A director's desk: each call is one event, a second after the one before."""

    def __init__(
        self, law: str | Law = "onyx", tables: int = 2, seats: int = 4, *, committed: bool = True, **terms: Any
    ) -> None:
        self.tournament = Tournament(laws()[law] if isinstance(law, str) else law)
        self.secrets = [secret.hex() for secret in SECRETS]
        self.t = 0.0
        self.people = 0
        every = [TableSeats(table=f"T{number}", seats=tuple(range(1, seats + 1))) for number in range(1, tables + 1)]
        given = {"fee": FEE, "house": HOUSE, "re_entries": None, "late_until": 7, **terms}
        self.say(TournamentOpen, name="Tuesday", stack=30_000, tables=tuple(every), **given)
        if committed:
            self.say(DrawCommitted, commitment=commitment_of(SECRET))

    def say(
        self, kind: type[Event], by: By | None = DIRECTOR, expected: int | None = None, **fields: Any
    ) -> list[Output]:
        """Apply an event; hold the invariants; return the outputs."""
        before = self.tournament.digest()
        event = kind(t=self.t + 1, by=by, **fields)
        try:
            outcome = self.tournament.apply(event, expected=expected)
        except Exception:
            assert self.tournament.digest() == before, "what is refused changes nothing"
            raise
        self.t += 1
        require_sound(self.tournament)
        return list(outcome.outputs)

    def enter(self, *persons: str) -> list[int]:
        """Let these people enter; return their entries."""
        made: list[int] = []
        for person in persons:
            self.people += 1
            self.say(EntryTaken, entry=self.people, person=person, name=f"Mx {person}", paid=FEE + HOUSE)
            made.append(self.people)
        return made

    def draw(self) -> list[Output]:
        """Draw the seats of all who wait."""
        return self.by_draw(SeatsDrawn)

    def by_draw(self, kind: type[Event], **fields: Any) -> list[Output]:
        """An event that tells the next secret; return what is said after the secret."""
        outputs = self.say(kind, secret=self.secrets[0], **fields)
        del self.secrets[0]
        return outputs[1:] if kind is not SeatsDrawn else outputs

    def late(self, entry: int) -> list[Output]:
        """Seat who waits."""
        return self.by_draw(SeatLate, entry=entry)

    def out(self, entry: int) -> list[Output]:
        """An entry is out."""
        return self.say(EntryOut, by=None, entry=entry)

    def standing(self, standing: Standing) -> Sequence[int]:
        """The entries that stand so."""
        return [entry.number for entry in self.tournament.parts.of(Entries).standing(standing)]


def reason_of(desk: Desk, kind: type[Event], **fields: Any) -> tuple[Reason, str | None]:
    """Why an event is refused, and by which clause."""
    with pytest.raises(Refused) as error:
        desk.say(kind, **fields)
    assert error.value.words
    return error.value.reason, error.value.clause


def require_sound(tournament: Tournament) -> None:
    """What must hold after each event."""
    parts = tournament.parts
    entries, seating = parts.of(Entries), parts.of(Seating)
    places = list(seating.places.values())
    assert len(set(places)) == len(places), "a seat holds two"
    in_play = {entry.number for entry in entries.standing(Standing.IN_PLAY)}
    assert in_play == set(seating.places), "who plays has a seat, and nobody else"
    for table in {place.table for place in places}:
        looked = {place.seat: entry for entry, place in seating.places.items() if place.table == table}
        assert list(seating.at(table).items()) == sorted(looked.items()), "what is remembered is what the places say"
    assert all(place.table in in_use(parts) for place in places), "nobody sits at a broken table"
    assert all(place.seat in seats_of(parts, place.table) for place in places)
    looked_through = Counter(entry.standing for entry in entries.by_number.values())
    assert {standing: looked_through[standing] for standing in Standing} == dict(entries.tally.at)
    alive = [entry.person for entry in (*entries.standing(Standing.IN_PLAY), *entries.standing(Standing.WAITING))]
    assert len(set(alive)) == len(alive), "one person, two entries that live"
