"""The button: where it should be, where it is reported, and the order of the deal."""

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import MarkerPlaced
from table_fsm.felt import MARKERS, SEAT_ZONE, clockwise
from table_fsm.outputs import Button
from table_fsm.play.button import dead
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome


def expected_button(core: Core) -> int | None:
    """The seat where the button should be.

    In the first round the book's own rule decides, where no seat was given. None where it is not known.
    """
    if core.standing.button is not None:
        return core.standing.button
    players = core.players()
    if not players or core.book.button.first in {"as_opened", "drawn"}:
        return None
    return players[-1] if core.book.button.first == "right_of_dealer" else players[0]


def in_game(core: Core) -> list[int]:
    """The seats of players who are in the game, rising; with nobody in it, all seats.

    A player who has sat down and has not been dealt in yet is not, where the book has them wait for the blinds.
    """
    seats = core.standing.seats
    return sorted([seat for seat, record in seats.items() if not (record.waits or record.newcomer)]) or sorted(seats)


def of_last_two(core: Core, playing: list[int]) -> int | None:
    """The seat of the button between the last two: the one who had the big blind, so that nobody has it twice running.

    `playing`: those in the game. None where more play, where the book has no such rule, or where who had it has gone.
    """
    big_blind = core.standing.last_big_blind
    two = len(playing) == 2 and core.book.button.heads_up == "button_posts_small_blind"
    return big_blind if two and big_blind in playing else None


def button_dealt_by(core: Core, first_seat: int, seats: list[int]) -> int | None:
    """The button's seat by which the dealer deals.

    That is the reported one if the first card went to the first of its `seats`, else the expected one.
    """
    if core.round.button.choice is None:
        return expected_button(core)
    expected, seen = core.round.button.choice
    by_seen = dealing_order(core, seats, seen)
    return seen if by_seen and by_seen[0] == first_seat else expected


def dealing_order(core: Core, seats: list[int], marker: int) -> list[int]:
    """The seats in the order of the deal: from behind the button, or from the buck."""
    return clockwise(seats, marker if core.book.button.marker == "button" else marker - 1)


def on_marker_placed(core: Core, event: MarkerPlaced) -> None:
    """Take a marker that came to rest at a seat."""
    if event.marker not in MARKERS:
        raise Refused(f"marker {event.marker!r}: button, buck or start")
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if event.marker == "start":
        core.standing.start_marker = event.seat
        return
    core.standing.button_seen = event.seat
    if not core.standing.open or not core.book.button.used:
        return
    if core.in_round:
        _judge_button(core, event.seat)
    elif core.standing.button is None and core.book.button.first == "drawn":
        take_button(core, event.seat)


def take_button(core: Core, seat: int) -> None:
    """Put the button at a seat, by a draw or by a person's decision."""
    core.standing.button = seat
    if dead.used(core):
        dead.settle(core)
    else:
        core.emit(Button(seat))


def facts_of(core: Core, seen: int) -> dict[str, str]:
    moved = dead.place_of(core, seen) if dead.used(core) else "elsewhere"
    return {"moved": moved, "sufficient": core.round.actions.sufficient_fact}


def _judge_button(core: Core, seen: int) -> None:
    """Rule on a button reported at a wrong seat while a round is in progress.

    From the showdown on the button may be on its way to the next seat.
    """
    expected = core.round.button.seat if core.round.button.seat is not None else expected_button(core)
    matter = Matter.START, Irregularity.BUTTON_WRONG.value
    early = core.rounds.phase in {"showdown", "settling"}
    settled = expected in {None, seen} or matter in core.round.rulings.matters
    if core.book.button.judged == "at_first_card" or early or settled:
        return
    facts = facts_of(core, seen)
    button = core.round.button

    def ruled(_: int, row: Row) -> None:
        if row.outcome is Outcome.PLAY_ON:
            button.found = facts["moved"]

    core.find(Irregularity.BUTTON_WRONG, facts, once=matter, then=ruled)
