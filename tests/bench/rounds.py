"""Rounds for the bench: played beforehand by the simulated table, cleanly, with a keypad."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from devices.simulated.direct import play_rounds
from devices.simulated.people.game import Game
from feltd.books.shipped import rulebook_sources, structure_sources
from feltd.simulated.games import game_for, options_for
from table_fsm.events import Event
from table_fsm.library import load_library
from table_fsm.outputs import Phase, Refusal, Ruling
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

HOLDEM: Final = "tas-2018-holdem"
ULTIMATE: Final = "act-2019-uth"
SEATS: Final = (1, 2, 3, 4, 5, 6)


class RoundsNotCleanError(Exception):
    """A clean round was ruled on: the bench would not measure what it says."""


@dataclass(frozen=True, slots=True)
class Played:
    """The events of some rounds, by round (the first begins with the table's opening), and beside each event the phase
    and street that the table was in after it."""

    rounds: tuple[tuple[Event, ...], ...]
    phases: tuple[tuple[str, ...], ...]

    @property
    def events(self) -> list[Event]:
        """All of them, in order."""
        return [event for events in self.rounds for event in events]


def books() -> dict[str, Rulebook]:
    """The rulebooks that come with feltd."""
    return load_library(rulebook_sources(), structure_sources())


def game(rulebook: Rulebook, rounds: int, **more: Any) -> Game:
    """Six players under a book, with the options of the simulated table."""
    return game_for(rulebook, SEATS, options_for(rulebook), seed=1, rounds=rounds, **more)


def play(rulebooks: Mapping[str, Rulebook], book: str, rounds: int) -> Played:
    """Play so many rounds. Raises RoundsNotCleanError."""
    table = Table(rulebooks)
    ends: list[int] = []
    phases: list[str] = []
    phase = "closed"

    def apply(event: Event) -> list[dict[str, Any]]:
        nonlocal phase
        outputs = table.apply(event)
        for output in outputs:
            said = output.value
            if isinstance(said, Ruling | Refusal):
                raise RoundsNotCleanError(f"{book}, a clean round: {event.ev} gave {output.to_dict()}")
            if isinstance(said, Phase):
                phase = f"{said.phase}.{said.street}" if said.street else said.phase
        phases.append(phase)
        if event.ev == "hand.end":
            ends.append(len(phases))
        return [output.to_dict() for output in outputs]

    played = game(rulebooks[book], rounds)
    events = play_rounds(played, apply, options=options_for(rulebooks[book]), button=played.button)
    starts = [0, *ends]
    cuts = [slice(start, end) for start, end in zip(starts, ends, strict=False)]
    return Played(tuple(tuple(events[cut]) for cut in cuts), tuple(tuple(phases[cut]) for cut in cuts))
