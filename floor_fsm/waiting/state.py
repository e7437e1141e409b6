"""Waiting lists as they stand: the games, and who waits for them in order. Who waits no longer is in no state."""

from dataclasses import dataclass, replace

from floor_fsm.state.entries import card_of


@dataclass(frozen=True, slots=True)
class GameTable:
    """A table that a game is spread at, with the seats that may be used at it, ascending."""

    table: str
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Game:
    """A game with a list. `hold`: seconds that a seat is held for who was called. `tables`: empty: nobody has said."""

    id: str
    name: str
    hold: float
    tables: tuple[GameTable, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A seat at a table; None where nobody has said which."""

    table: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class Held:
    """A seat that is held for somebody. `since`, `until`: seconds."""

    table: str
    seat: int
    since: float
    until: float


@dataclass(frozen=True, slots=True)
class Sat:
    """A seat that somebody of a list took, in second `t`."""

    table: str
    seat: int
    t: float


@dataclass(frozen=True, slots=True)
class Wait:
    """Somebody who waits for a game.

    `since`: the second at which they came to this list; `passed`: how often they were passed over. `sits`: where they
    sit, of who wants to change tables; then `approved` says whether a supervisor lets them.
    """

    number: int
    person: str
    name: str
    game: str
    since: float
    passed: int = 0
    held: Held | None = None
    sits: Place | None = None
    approved: bool = False

    @property
    def needs_approval(self) -> bool:
        """Whether nobody has approved the change of tables that they wait for."""
        return self.sits is not None and not self.approved


@dataclass(frozen=True, slots=True)
class Lists:
    """All lists. `games`: in the order in which they were listed; `waits`: who waits, each list in its order."""

    games: tuple[Game, ...] = ()
    waits: tuple[Wait, ...] = ()
    last: int = 0
    """The highest number that anybody had."""
    closed: bool = False
    sat: tuple[Sat, ...] = ()
    """The seats that were taken last, each one once."""

    def game(self, game: str) -> Game | None:
        """The game of this id that has a list."""
        return next((one for one in self.games if one.id == game), None)

    def wait(self, number: int) -> Wait | None:
        """Who waits under this number."""
        return next((one for one in self.waits if one.number == number), None)

    def of_game(self, game: str) -> tuple[Wait, ...]:
        """Who waits for a game, in order."""
        return tuple(one for one in self.waits if one.game == game)

    def of_person(self, person: str) -> tuple[Wait, ...]:
        """What somebody waits for, however the number of the card is spelled."""
        return tuple(one for one in self.waits if card_of(one.person) == card_of(person))

    def held_at(self, table: str) -> frozenset[int]:
        """The seats of a table that are held for somebody."""
        return frozenset(one.held.seat for one in self.waits if one.held is not None and one.held.table == table)

    def held_for(self, person: str) -> Held | None:
        """The seat that is held for somebody, on whichever list."""
        return next((one.held for one in self.of_person(person) if one.held is not None), None)

    def may_be_called(self, wait: Wait) -> bool:
        """Whether they keep others waiting: not who changes tables unapproved, nor for whom a seat is held."""
        return not wait.needs_approval and self.held_for(wait.person) is None

    def having(self, wait: Wait) -> "Lists":
        """The same with this one at their place."""
        return replace(self, waits=tuple(wait if one.number == wait.number else one for one in self.waits))

    def without(self, number: int) -> "Lists":
        """The same without this one."""
        return replace(self, waits=tuple(one for one in self.waits if one.number != number))

    def taking(self, sat: Sat, most: int) -> "Lists":
        """The same behind somebody who sat down, with the last `most` seats that were taken."""
        others = tuple(one for one in self.sat if (one.table, one.seat) != (sat.table, sat.seat))
        return replace(self, sat=(*others, sat)[-most:])

    def at_the_end(self, wait: Wait) -> "Lists":
        """The same with this one behind all others."""
        return replace(self, waits=(*self.without(wait.number).waits, wait), last=max(self.last, wait.number))
