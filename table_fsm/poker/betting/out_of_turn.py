"""State of what players did out of turn on a street: held actions, chips that lie there, who was skipped."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from table_fsm.poker.betting.records import EarlyAction


@dataclass(slots=True)
class OutOfTurn:
    """What was done out of turn on the street in progress. Amounts in cents."""

    held: dict[int, EarlyAction] = field(default_factory=dict)
    """Actions that wait for their turn, by seat, the oldest first."""
    skipped: list[int] = field(default_factory=list)
    """Seats skipped by actions out of turn that are binding; they act before the others."""
    lying: dict[int, int] = field(default_factory=dict)
    """Chips that were put in before their player's action is taken and still lie there, by seat."""
    spent: set[int] = field(default_factory=set)
    """Seats whose chips put in out of turn are all they have, while they lie there."""
    restricted: int | None = None
    """A seat that acted out of turn, is now to act, and may not raise."""
    restricted_adds: bool = False
    """The restricted seat must add chips to call, so that nobody may act before it has decided."""

    def open_street(self) -> None:
        """Begin a street: nothing of the one before matters."""
        self.close_street()
        self.lying.clear()
        self.spent.clear()

    def close_street(self) -> None:
        """Drop what waits, because the betting round is over."""
        self.held.clear()
        self.skipped.clear()
        self.restricted = None

    # -- actions that wait

    def hold(self, seat: int, action: EarlyAction) -> None:
        """Keep an action until its turn."""
        self.held[seat] = action

    def release(self, seat: int) -> EarlyAction:
        """Return a seat's held action, which is held no longer. The caller knows that there is one."""
        return self.held.pop(seat)

    def drop(self, seat: int) -> None:
        """Hold no action of the seat."""
        self.held.pop(seat, None)

    def note_raise(self) -> None:
        """Note for each held action that somebody has raised since."""
        for waiting in self.held.values():
            waiting.note_raise()

    # -- chips that lie there

    def lay_chips(self, seat: int, cents: int) -> None:
        """Let chips of the seat lie until its action is taken; chips added to these count with them."""
        self.lying[seat] = cents

    def lay_all_chips(self, seat: int, cents: int) -> None:
        """Let all that the seat has lie there."""
        self.lying[seat] = cents
        self.spent.add(seat)

    def take_chips(self, seat: int) -> int:
        """Return the chips of the seat that lay there; they lie there no longer."""
        return self.lying.pop(seat, 0)

    def has_more(self, seat: int) -> bool:
        """Forget that the chips that lay there were all of the seat's; return whether they were."""
        was_all = seat in self.spent
        self.spent.discard(seat)
        return was_all

    # -- who acts first, and who may not raise

    def skip(self, seats: Iterable[int]) -> None:
        """Let these seats act before all others, because actions behind them are binding."""
        self.skipped = list(seats)

    def has_acted(self, seat: int) -> None:
        """Note that a skipped seat has acted. The caller knows that it was skipped."""
        self.skipped.remove(seat)

    def restrict(self, seat: int, *, adds: bool) -> None:
        """Let the seat only call or fold. `adds`: its chips that lie there are less than a call."""
        self.restricted, self.restricted_adds = seat, adds

    def free(self, seat: int) -> None:
        """Restrict the seat no more, if it is."""
        if self.restricted == seat:
            self.restricted = None
