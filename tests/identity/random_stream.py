"""A random stream for one rulebook: tables opened in all ways and played by their own prompts, with mistakes; and
between them the book's drills, with something in each changed.

The same seed and the same answers of the table give the same events: two trees get different ones only after they have
answered differently.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.identity import openings
from tests.identity.dealer import Steps, check_deck, obey, shuffle
from tests.identity.drills import changed, read_drills
from tests.identity.felt import SEATS, Felt, Habits
from tests.identity.mistakes import MISTAKES
from tests.identity.streams import Fresh, Item, Outputs, Raw
from tests.identity.wild import garbage, wild

DRILL_SHARE: Final = 0.2
"""Of the events, those of changed drills."""
TABLE_LASTS: Final = 4000
"""Events until a new table is set up."""
STUCK: Final = 8
"""So often the same prompt is followed; then something else is tried."""


class RandomStream:
    """So many events (or a few more, to the end of an opening) for one book. `drills`: the folder they are below."""

    def __init__(self, book: str, config: Path, drills: Path, *, events: int, seed: int) -> None:
        self._book = book
        self._rules = openings.read_books(config)[book]["options"]
        self._structures = openings.structure_names(config)
        self._drills = read_drills(drills, book)
        self._events = events
        self._chance = Random(f"{seed} {book}")
        self._felt: Felt | None = None
        self._made = 0

    def items(self) -> Iterator[Item]:
        """All of them."""
        drilled = 0
        while self._made < self._events:
            if self._drills and drilled < self._made * DRILL_SHARE:
                before = self._made
                yield from self._drill()
                drilled += self._made - before
            else:
                yield from self._table()

    def heard(self, outputs: Outputs, view: dict[str, Any] | None) -> None:
        """The answers go to the dealer."""
        if self._felt is not None:
            self._felt.heard(outputs, view)

    def _drill(self) -> Iterator[Item]:
        drill = self._chance.choice(self._drills)
        self._felt = None
        yield Fresh(f"drill {drill.name}, changed")
        for raw in changed(self._chance, drill, self._drills):
            self._made += 1
            yield json.dumps(raw)

    def _table(self) -> Iterator[Item]:
        """One table, opened and closed several times."""
        yield Fresh(f"a table under {self._book}, from event {self._made} on")
        end = min(self._events, self._made + TABLE_LASTS)
        t, shoe = 0.0, self._chance.random() < 0.85  # once a shoe has given a card, one without it is a fault
        while self._made < end:
            felt = self._felt = self._opening(t, shoe=shoe)
            for raw in self._session(felt):
                self._made += 1
                if isinstance(raw, str):
                    yield raw
                    continue
                felt.t = round(felt.t + self._pause(felt), 3)
                yield json.dumps({"t": felt.t, **raw})
            t = felt.t

    def _pause(self, felt: Felt) -> float:
        chance = self._chance
        if chance.random() < felt.habits.slow:
            return chance.choice([12.0, 25.0, 35.0, 70.0, 200.0])
        if chance.random() < 0.001:
            return -1.0
        return chance.choice([0.0, 0.2, 0.5, 0.5, 1.0, 2.5])

    def _opening(self, t: float, *, shoe: bool) -> Felt:
        chance = self._chance
        habits = Habits(
            shoe=shoe,
            keypad=chance.random() < 0.8,
            reads_down=chance.random() < 0.8,
            shoe_reads=chance.random() < 0.5,
            two_packs=chance.random() < 0.5,
            sorted_pack=chance.random() < 0.05,
            mistakes=chance.choice([0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3]),
            wild=chance.choice([0.0, 0.0, 0.0, 0.003, 0.01, 0.1]),
            slow=chance.choice([0.0, 0.0, 0.01, 0.1]),
            folds=chance.choice([0.02, 0.1, 0.1, 0.3]),
            bets=chance.choice([0.05, 0.1, 0.2, 0.4]),
        )
        seats = sorted(chance.sample(SEATS, chance.choice([2, 3, 3, 4, 4, 5, 6, 8, 9, 10])))
        options = openings.some_options(chance, self._rules, self._structures)
        felt = Felt(chance, habits, self._book, seats, options, t)
        felt.unit = (options.get("blinds") or [options.get("ante") or options.get("table_min") or 200])[-1]
        return felt

    def _session(self, felt: Felt) -> Iterator[Raw | str]:
        chance = self._chance
        yield from self._open(felt)
        last, times = None, 0
        for _ in range(chance.choice([60, 150, 250, 400])):
            roll = chance.random()
            if roll < felt.habits.wild:
                yield garbage(felt) if chance.random() < 0.05 else wild(felt)
            elif roll < felt.habits.wild + felt.habits.mistakes:
                yield from chance.choice(MISTAKES)(felt)
            asked = (felt.prompt, felt.phase)
            times = times + 1 if asked == last else 0
            last = asked
            if times >= STUCK:
                times = 0
                yield from _something_else(felt)
            else:
                yield from obey(felt)
            if felt.phase == "closed":
                return
        yield from self._close(felt)

    def _open(self, felt: Felt) -> Steps:
        chance = self._chance
        if chance.random() < 0.9:
            yield check_deck(felt, "blue")
        if felt.habits.two_packs:
            yield check_deck(felt, "red")
        if chance.random() < 0.1:
            yield from shuffle(felt, "blue")
        if chance.random() < 0.1:
            yield {"ev": "dropbox.state", "present": True, "locked": chance.random() < 0.9}
        button = {"button": chance.choice([*felt.seats, *felt.seats, 10])} if chance.random() < 0.7 else {}
        opening = {"ev": "table.open", "rulebook": self._book, "seats": felt.seats, "options": felt.options, **button}
        yield opening
        for _ in range(2):
            if felt.phase == "closed":  # refused: too many seats, or an option that does not go with them
                felt.seats = felt.seats[: chance.choice([2, 4, 5])]
                felt.options = {}
                yield {**opening, "seats": felt.seats, "options": felt.options}
        if chance.random() < 0.4:
            yield {"ev": "tournament.clock", "running": True, "elapsed": chance.choice([0.0, 0.0, 1150.0, 4000.0])}
        if chance.random() < 0.3:
            for seat in felt.seats:
                yield {"ev": "stack", "seat": seat, "cents": felt.unit * chance.randrange(5, 100)}

    def _close(self, felt: Felt) -> Steps:
        """Play the round to its end, or break it off, and close."""
        chance = self._chance
        yield chance.choice([
            {"ev": "hand.end"},
            {"ev": "supervisor", "decision": "void", "staff": "s1"},
            {"ev": "supervisor", "decision": "misdeal", "staff": "s1"},
        ])  # fmt: skip
        yield {"ev": "table.close"}
        if felt.phase != "closed":
            yield {"ev": "supervisor", "decision": "void", "staff": "s1"}
            yield {"ev": "table.close"}
        felt.clear()


def _something_else(felt: Felt) -> Steps:
    """What is asked cannot be done, or not so."""
    chance = felt.chance
    yield chance.choice([
        {"ev": "hand.end"},
        {"ev": "betting.closed"},
        {"ev": "tournament.go"},
        {"ev": "tournament.hand_for_hand", "on": False},
        {"ev": "stub.shuffled"},
        {"ev": "test.mode", "on": False},
        {"ev": "dropbox.state", "present": True, "locked": True},
        {"ev": "supervisor", "decision": "resume", "staff": "s1"},
        {"ev": "supervisor", "decision": "acknowledge", "staff": "s1"},
        {"ev": "supervisor", "decision": "void", "staff": "s1"},
        {"ev": "supervisor", "decision": "misdeal", "staff": "s1"},
    ])  # fmt: skip
    yield from shuffle(felt, None)
