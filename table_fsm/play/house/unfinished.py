"""House-banked rounds that are ended before every wager is settled."""

from table_fsm.core.core import Core
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.house import boxes


def left_to_do(core: Core) -> tuple[str | None, int | None]:
    """What is left to do, and the seat that is to do it: "betting", "cards" or "hands", or None.

    Hands whose players may have folded without a key are not waited for.
    """
    if core.rounds.phase in {"dealing", "settling"}:
        return None, None
    waiting = [seat for seat in boxes.unsettled(core) if _in_play(core, seat)]
    if not waiting:
        return None, None
    house = core.round.house
    undecided = [seat for seat in boxes.undecided(core) if seat in waiting]
    if undecided and house.keyed:
        return "betting", undecided[0]
    return ("hands", waiting[-1]) if house.dealer_open else ("cards", None)


def _in_play(core: Core, seat: int) -> bool:
    """Whether the hand is known to be in play: folds are keyed, or a play wager lies beside its cards.

    Cards taken away once the dealer's hand is open are a hand conceded (ACT 2019, 9.1).
    """
    house = core.round.house
    if house.keyed:
        return True
    return house.boxes[seat].play > 0 and not (house.dealer_open and not core.round.tracker.holds(SEAT_ZONE[seat]))
