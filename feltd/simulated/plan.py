"""What a simulation plays: its books and options, and the game that each of them gives."""

from dataclasses import dataclass, replace
from typing import Any, Final

from devices.simulated.people.game import Game
from devices.simulated.people.mistakes import OF_NAMES, Mistake
from feltd.simulated.errors import SimulationError
from feltd.simulated.games import game_for, options_for
from table_fsm.events import TableOpen
from table_fsm.felt import Built
from table_fsm.outputs import Refusal
from table_fsm.rulebook import Rulebook
from table_fsm.table import Table

SEATS: Final = (1, 2, 3, 5, 7, 8)


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a simulation.

    `pace`: how many times faster than a dealer's hands; 0: as fast as it goes. `tour`: begin with the tour. `chips`:
    cards are told by the numbers of their chips. `faces`: the readers know which side of a card is up.
    """

    books: tuple[Rulebook, ...]
    seed: int
    mistakes: float
    rounds: int | None
    pace: float
    tour: bool = False
    built: Built = Built.FULL
    chips: bool = False
    faces: bool = True


def game_of(plan: Plan, rulebook: Rulebook, rounds: int | None) -> Game:
    """The game of one rulebook at this table."""
    options = opening_options(plan, rulebook)
    kinds = tuple(mistake for mistake in Mistake if mistake not in OF_NAMES) if plan.chips else None
    more: dict[str, Any] = {"mistake_rate": plan.mistakes, "kinds": kinds, "rounds": rounds}
    return game_for(rulebook, SEATS, options, seed=plan.seed, **more)


def opening_options(plan: Plan, rulebook: Rulebook) -> dict[str, Any]:
    """The options to open the table with under this rulebook."""
    built = {} if plan.built is Built.FULL else {"built": plan.built.value}
    faces = {} if plan.faces else {"faces": False, "look_sensor": False}
    return options_for(rulebook, {**built, **faces})


def playable(plan: Plan, *, any_book: bool) -> Plan:
    """The plan with the books that a table which is built so can judge.

    `any_book`: nobody has asked for these books, so that others may be left out. Raises SimulationError.
    """
    why_not = {book.id: reason for book in plan.books if (reason := _refusal(plan, book)) is not None}
    left = tuple(book for book in plan.books if book.id not in why_not)
    if left and (any_book or not why_not):
        return replace(plan, books=left)
    book, reason = next(iter(why_not.items()))
    raise SimulationError(f"{book}: {reason}; or choose another book with --book")


def _refusal(plan: Plan, book: Rulebook) -> str | None:
    """Why the table does not open under this book, as it is built; None where it does."""
    game, options = game_of(plan, book, 1), opening_options(plan, book)
    opening = TableOpen(t=0.0, rulebook=book.id, seats=list(game.seats), options=options, button=game.button)
    refused = (output.value for output in Table({book.id: book}).apply(opening) if isinstance(output.value, Refusal))
    return next((refusal.reason for refusal in refused), None)
