"""House-banked rounds: betting boxes, hands in play, decisions in any order, the end."""

from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.house_state import BettingBox
from table_fsm.felt import SEAT_ZONE, AlarmKind
from table_fsm.play.house import settlement
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Street


def dealing(core: Core) -> bool:
    """Whether the cards are being dealt."""
    return core.rounds.phase == "dealing"


def betting_box(core: Core, seat: int) -> BettingBox:
    """The seat's betting box in this round."""
    return core.round.house.box(seat)


def has_wager(core: Core, seat: int) -> bool:
    """Whether ante and blind lie in the box."""
    box = core.round.house.boxes.get(seat)
    return box is not None and box.wagered


def playing(core: Core) -> list[int]:
    """Seats whose hand is still in play, clockwise."""
    boxes = core.round.house.boxes
    return [s for s in sorted(boxes) if (box := boxes[s]).wagered and not box.folded and not box.void]


def unsettled(core: Core) -> list[int]:
    """Seats whose hand is in play and has not been settled, clockwise."""
    return [seat for seat in playing(core) if not core.round.house.boxes[seat].settled]


def undecided(core: Core) -> list[int]:
    """Seats that owe a decision on this street."""
    if core.rounds.phase != "betting":
        return []
    boxes = core.round.house.boxes
    name = core.street.name
    return [seat for seat in playing(core) if not boxes[seat].play and boxes[seat].decided != name]


def concluded(core: Core) -> bool:
    """Whether the last wager has been settled and its chips are gone.

    ACT 2019, dictionary: a round of play concludes with the last wager being settled.
    """
    return core.round.house.paid


def note_payment(core: Core) -> None:
    """Conclude the round if every hand has been settled or folded and no chips are left in any box."""
    house = core.round.house
    if core.rounds.phase == "settling" and house.any_wager and all(box.empty for box in house.boxes.values()):
        house.pay()


def fold(core: Core, seat: int) -> None:
    """Fold a hand, by its player or by a ruling."""
    box = core.round.house.boxes.get(seat)
    if box is None or box.folded or box.settled:
        return
    box.fold(core.street.name)
    core.round.house.open_window(core.t)
    discard(core, seat)
    _hand_out(core)


def discard(core: Core, seat: int) -> None:
    """Put the cards that a folded hand has left its zone with among the discards."""
    for card in core.round.tracker.discard_lifted(SEAT_ZONE[seat]):
        core.round.house.folded_cards[card] = seat


def void(core: Core, seat: int) -> None:
    """Make a hand void, by a ruling or a person: it has no result."""
    betting_box(core, seat).cancel()
    _hand_out(core)


def _hand_out(core: Core) -> None:
    """Go on without a hand that has left the round."""
    if core.round.house.dealer_open:
        settlement.settle_shown(core)
    elif not playing(core) and not dealing(core):
        core.move("won")


def owed_late(core: Core, seat: int) -> Street | None:
    """The street before, if its decisions ended without this player's, who may still make it; else None.

    It is made up until the decisions of the next street are over, or the dealer's hand is open.
    """
    box, phase, number = betting_box(core, seat), core.rounds.phase, core.round.street
    if phase in {"board", "betting"} and number:
        before = core.book.streets[number - 1]
    elif phase == "showdown" and not core.round.house.dealer_open:
        before = core.street
    else:
        return None
    return before if box.passed_over == before.name else None


def close_decisions(core: Core, noticed: str) -> None:
    """End the decisions of this street.

    `noticed`: "closed" by the dealer's key, or by a "card" that waits for them and shows.
    """
    waiting = undecided(core)
    if waiting and core.round.house.keyed:
        judge_undecided(core, waiting[0], noticed)
        for seat in waiting:
            betting_box(core, seat).pass_over(core.street.name)
    core.move("closed")
    core.round.house.close_window()
    if core.round.street + 1 < len(core.book.streets):
        core.round.next_street()


def judge_undecided(core: Core, seat: int, noticed: str) -> None:
    """Rule on a street whose decisions are over while this seat owes one.

    `noticed`: as they are "closed", as a "card" shows, or as the round is "ended".
    """
    core.rule(Irregularity.BETTING_INCOMPLETE, {"decisions": core.street.name, "noticed": noticed}, seat=seat)


def judge_opening(core: Core) -> None:
    """Rule on the dealer's hand being opened while a hand before a player has neither a play wager nor been folded.

    A check cannot be seen, but on the river there is none. Judged where play wagers have been reported in the round;
    with checks keyed, the end of the decisions is judged instead.
    """
    house, holds = core.round.house, core.round.tracker.holds
    if house.keyed or not any(box.play for box in house.boxes.values()):
        return
    waiting = [seat for seat in playing(core) if not house.boxes[seat].play and holds(SEAT_ZONE[seat])]
    if waiting:
        judge_undecided(core, waiting[0], "card")


def judge_time(core: Core) -> None:
    """Rule on seats that have not decided in the time allowed."""
    seconds = core.options.decision_time
    since = core.round.house.window_from
    if seconds is None or since is None or not core.past(since + seconds):
        return
    core.round.house.close_window()
    for seat in undecided(core):
        core.find(Irregularity.NO_DECISION, seat=seat)


def settle_rest(core: Core) -> None:
    """Settle the remaining boxes and count the players without a wager, at the round's end."""
    settlement.settle_rest(core)
    _count_idle(core)


def _count_idle(core: Core) -> None:
    rounds = core.book.seats.idle_rounds
    standing = core.standing
    if rounds is None or not core.round.house.any_wager:
        return
    most = core.options.seats_max or standing.highest_seat
    full = all(number in standing.seats for number in range(1, most + 1))
    for number, record in standing.seats.items():
        if has_wager(core, number):
            record.idle_rounds, record.idle_told = 0, False
            continue
        record.idle_rounds += 1
        if record.idle_rounds >= rounds and full and not record.idle_told:
            record.idle_told = True
            alarms.raise_alarm(core, AlarmKind.SEAT_IDLE, seat=number)
