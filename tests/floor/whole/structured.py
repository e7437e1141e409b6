"""A structure of The Star or of ACT 2001 played out through real tables: from its first level to the last place.

Its game is dealt card by card, each table counts its stacks and goes by its own clock, chips are raced off where the
structure says so, and the nemesis of other whole tournaments does what it does there.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from feltd.books.moments.setting import Setting
from feltd.books.shipped import structure_sources
from floor_fsm.play.clock import Clock
from floor_fsm.state.floor import Stacks, Time
from floor_fsm.state.hands import Hands, left
from floor_fsm.state.rebuys import chips_of
from floor_fsm.state.seating import Seating, in_use
from table_fsm.events import OptionValue, TableOpen
from table_fsm.structures.levels import LevelNow
from table_fsm.structures.loader import load_structures
from table_fsm.structures.structure import ReEntry, Structure
from tests.feltd.table_support import BOOKS
from tests.floor.whole.croupier import BookDealer, Playing
from tests.floor.whole.tournament import Whole

STRUCTURES: Final = load_structures(structure_sources())
LAST: Final = 3
"""Players who stay in, as far as the blinds let them, until the last level has begun."""
_STACK: Final = 500_000
"""Cents of an entry where the structure does not say it: enough for three players at the last level."""
_TURNS_EACH: Final = 2
"""Hands at each table in each level."""
_TOP: Final = 5
"""How many of the largest chip that is raced off make the next one."""


def chips_of_structure(structure: Structure) -> tuple[int, ...]:
    """The values of its chips that are raced off, and of one above them; one alone where none is."""
    raced = tuple(row.race_off for row in structure.levels if row.race_off is not None)
    return (*raced, raced[-1] * _TOP) if raced else (100,)


class Structured(Whole):
    """A whole tournament on a structure."""

    def __init__(
        self, structure: Structure, folder: Path, entries: int, tables: int, seed: int, seats: int = 6,
        engine: Any = None, tell: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.structure = structure
        self.is_act = structure.id.startswith("act-2001")
        self.law = "act-2001" if self.is_act else "star-2025"
        self.pays = self.is_act
        self.chips = chips_of_structure(structure)
        self.stack = structure.starting_stack or _STACK
        book = BOOKS[structure.id if self.is_act else "star-2025-holdem"]
        options: dict[str, OptionValue] = {"structure": structure.id, "tournament": True}
        self.setting = Setting(book, options=options)
        button = 4 if book.button.used else None
        self.opening = TableOpen(t=0.0, rulebook=book.id, options=options, seats=[], button=button)
        self.dealt: set[int] = set()
        """The levels at which a hand was dealt."""
        self.ordered: set[int] = set()
        self.risked = 0
        """Players who may go out in the hands that are dealt now."""
        super().__init__(folder, entries, tables, seed, seats, engine, tell)
        self.turn_takes = sum(row.seconds + (row.break_after or 0.0) for row in structure.levels) / (
            _TURNS_EACH * len(structure.levels)
        )
        self.since = 0.0

    def _dealer(self, name: str) -> BookDealer:
        return BookDealer(self.floor.tables[name], self.setting, self.chance)

    def _terms(self) -> dict[str, Any]:
        once = {ReEntry.NONE: 0, ReEntry.SINGLE: 1, ReEntry.UNLIMITED: None}
        game = {"game": self.structure.id.removeprefix("act-2001-")} if self.is_act else {}
        stack = self.stack // 100 if self.is_act else self.stack
        closes = self.structure.entry_closes_level
        return {"stack": stack, "re_entries": once[self.structure.re_entry], "late_until": closes, **game}

    def _schedule(self) -> dict[str, Any]:
        rows = [
            {
                "seconds": row.seconds, "blinds": list(row.blinds), "ante": row.ante, "race_off": row.race_off,
                "big_blind_ante": row.big_blind_ante, "break_after": row.break_after,
            }
            for row in self.structure.levels
        ]  # fmt: skip
        return {"levels": rows, "doubling_minutes": self.structure.doubling_minutes}

    # -- a turn

    @property
    def _clock(self) -> Clock:
        clock = self.parts.of(Time).clock
        assert clock is not None
        return clock

    def _now(self) -> LevelNow:
        return self._clock.reading(self.fold.second(self.floor.time.wall))

    async def _turn(self, turn: int) -> None:
        """The clock goes on to this turn's time, and out of a break; chips are raced off; then as in any other."""
        if not self.here:
            self.risked = 0
        # Else a level would go by while nobody can be dealt to, or two while a hand is held.
        if turn and self._now().level.number in self.dealt and not self.here:
            self.floor.time.pass_(max(0.0, self.since + self.turn_takes - self.floor.time.wall))
        self.since = self.floor.time.wall
        for _ in range(2):  # behind the break the clock may be in front of the next one
            pause = self._now().break_left_seconds
            self.floor.time.pass_(pause + 1.0 if pause else 0.0)
        await self._settle()
        await self._race_off()
        await super()._turn(turn)

    async def _hand_for_hand(self) -> None:
        if self.parts.law.book.hand_for_hand is not None:
            await super()._hand_for_hand()

    async def _late(self, turn: int) -> None:
        """Who is out may enter again, until the level that ends it."""
        if self.structure.re_entry is not ReEntry.NONE and await self._again():
            await self._settle()

    @property
    def _ends(self) -> bool:
        """Whether the last level is on, so that it may come to an end."""
        return self._now().level.number >= len(self.structure.levels)

    def _plan(self, stacks: Mapping[int, int]) -> Any:
        """Some play on, with all their chips now and then; nobody does where the levels still to come want players."""
        if len(left(self.parts)) <= LAST and not self._ends:
            return Playing()
        if not self._ends and self.chance.random() < 0.4:
            return Playing()
        seats = sorted(stacks, key=lambda seat: (stacks[seat], seat))
        most = min(len(seats), 4)
        play = {seats[0], *(self.chance.sample(seats, self.chance.randint(2, most)) if most > 1 else seats)}
        shoves = self._may_shove and self.chance.random() < self._shoves
        return Playing(self._spared([seat for seat in seats if seat in play]), shoves)

    def _spared(self, play: list[int]) -> frozenset[int]:
        """Of who may play on, so many that the levels still to come keep players, also where all but one go out."""
        if self._ends:
            return frozenset(play)
        play = play[: max(0, len(left(self.parts)) - LAST - self.risked) + 1]
        if len(play) < 2:
            return frozenset()
        self.risked += len(play) - 1
        return frozenset(play)

    @property
    def _may_shove(self) -> bool:
        return self.setting.book.options["betting"].default == "no_limit"

    @property
    def _shoves(self) -> float:
        return 0.8 if self._ends else 0.15

    # -- chips raced off

    async def _race_off(self) -> None:
        """The director orders each race that is due, and every table that has heard of one runs it."""
        due = [
            row.race_off for row in self.structure.levels
            if row.race_off is not None and row.number < self._now().level.number and row.race_off not in self.ordered
        ]  # fmt: skip
        if self.here or self.parts.of(Hands).play is not None:
            return
        if due and self.parts.of(Stacks).race is None:
            self.ordered.add(due[0])
            law, above = self.parts.law, self.chips[self.chips.index(due[0]) + 1]
            await self.say("race.ordered", chip=chips_of(law, due[0]), new_chip=chips_of(law, above))
            await self._settle()
        for name in in_use(self.parts):
            self._race_at(name)
        await self._settle()

    def _race_at(self, name: str) -> None:
        """A table runs the race that the floor has told it."""
        ordered = self.floor.tables[name].bench.keeper.table._core.standing.tournament.ordered
        if ordered is None:
            return
        there = self.parts.of(Seating).at(name)
        stacks = {seat: self.stacks[entry] for seat, entry in there.items()}
        for seat, cents in self.dealers[name].race(ordered.chip, ordered.new_chip, stacks).items():
            self.stacks[there[seat]] = cents

    # -- what must hold

    def _hand(self, name: str) -> None:
        before = self.figures.hands
        record = self.floor.tables[name].bench.keeper.table._core.standing.tournament
        super()._hand(name)
        if self.figures.hands > before:
            assert record.dealt_level is not None
            self.dealt.add(record.dealt_level)
            self.figures.levels = len(self.dealt)

    def require_end(self) -> None:
        """Every level was dealt, and every place is final."""
        super().require_end()
        every = {row.number for row in self.structure.levels}
        assert every <= self.dealt, f"levels without a hand: {sorted(every - self.dealt)}"
