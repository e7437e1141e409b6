"""The states of a round and the moves between them, built from the rulebook.

They are run by a plain `transitions` machine: no queue (in queued mode one bad trigger drops those behind it) and no
callbacks (their exceptions can be swallowed). A trigger that does not fit the state is not fired: `fire` returns False
and the caller decides.
"""

from collections.abc import Mapping
from functools import cache
from typing import cast

from transitions import Machine

from table_fsm.felt import BETWEEN_ROUNDS, Phase
from table_fsm.rulebook.model import Book, Street


@cache
def _split(state: str) -> tuple[Phase, str | None]:
    phase, _, street = state.partition(".")
    return cast(Phase, phase), street or None


def transitions_of(book: Book) -> list[tuple[str, str, str]]:
    """Every (trigger, source, destination) of a round under this book, in the order of play."""
    shuffled_to = "cutting" if book.cut.asked else "waiting"
    moves: list[tuple[str, str, str]] = [("shuffled", source, shuffled_to) for source in BETWEEN_ROUNDS]
    moves += [("cards_checked", "checking_cards", "waiting")]
    moves += [("cut", source, "waiting") for source in BETWEEN_ROUNDS if source != "checking_cards"]
    moves += [("begin", source, "dealing") for source in BETWEEN_ROUNDS]
    last = "showdown"
    in_round = ["dealing"]
    for index, street in enumerate(book.streets):
        betting = f"betting.{street.name}"
        dealing = "dealing" if index == 0 else _dealt_in(street)
        moves.append(("dealt", dealing, betting))
        following = _dealt_in(book.streets[index + 1]) if index + 1 < len(book.streets) else last
        moves.append(("closed", betting, following))
        in_round += [betting] if index == 0 else [dealing, betting]
    in_round += [last, "settling"]
    moves += [("won", source, "settling") for source in in_round if source != "settling"]
    for trigger, rest in (("finish", "complete"), ("misdeal", "misdeal"), ("void", "void")):
        moves += [(trigger, source, rest) for source in (*in_round, *BETWEEN_ROUNDS) if source != rest]
    return moves


def _dealt_in(street: Street) -> str:
    """The state in which a later street's cards come.

    They come to the players, to the board, or as replacements.
    """
    if street.draw:
        return f"draw.{street.name}"
    return f"{'dealing' if street.own_cards else 'board'}.{street.name}"


@cache
def _machine_of(moves: tuple[tuple[str, str, str], ...]) -> tuple[Machine, Mapping[tuple[str, str], str]]:
    """The machine of these moves, and where each leads from each state. It holds no table: one serves all that have
    these moves. To make one took a fifth of what it takes to restore a table.
    """
    machine = Machine(
        model=None,
        states=sorted({state for _, source, dest in moves for state in (source, dest)}),
        transitions=[[trigger, source, dest] for trigger, source, dest in moves],
        initial="waiting",
        auto_transitions=False,
        queued=False,
    )
    return machine, {(trigger, source): dest for trigger, source, dest in moves}


class RoundMachine:
    """The state of the round.

    An open table has one; `rest` sets its state between rounds.
    """

    state: str
    phase: Phase
    """The phase, without its street."""
    street: str | None
    """The street, where the phase has one."""

    def __init__(self, book: Book) -> None:
        self._machine, self._leads_to = _machine_of(tuple(transitions_of(book)))
        self._move("waiting")

    def fire(self, trigger: str) -> bool:
        """Move on if the state allows the trigger; return whether it did."""
        dest = self._leads_to.get((trigger, self.state))
        if dest is None:
            return False
        # A state that a move leads to is one of the machine's: its own way asks that again, at ten times the cost.
        self.state = dest
        self.phase, self.street = _split(dest)
        return True

    def rest(self, state: str) -> None:
        """Set the state in which the table rests between two rounds."""
        self._move(state)

    def _move(self, state: str) -> None:
        # Setting the state directly skips the library's search for callbacks, which costs time and finds none.
        self._machine.set_state(state, self)
        self.phase, self.street = _split(state)
