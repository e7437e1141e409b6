"""Questions that the state and the book answer without any subject of the game."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.standing import AlarmRecord
from table_fsm.felt import BOARD, BOARD_ZONES, SEAT_OF, ZONE_TROUBLES, ZONES, Built, Face

SHOE: Final = "shoe"
"""The kind of a device that deals cards."""
_UNSEEN: Final[Mapping[str | None, frozenset[str]]] = MappingProxyType(
    {Built.NO_SEAT_READERS: frozenset(SEAT_OF), Built.BOARD_ONLY: ZONES - BOARD_ZONES}
)


def device_kind(device: str) -> str:
    """The kind of a device by its name: the word before ':' or '-'."""
    return device.replace("-", ":").split(":", 1)[0]


def needed_offline(core: Core) -> list[str]:
    """Offline devices that the book needs to start a round."""
    offline = core.standing.offline
    if not offline:
        return []
    needs = core.book.needs
    return [device for device in offline if device_kind(device) in needs]


def shoe_offline(core: Core) -> bool:
    """Whether the shoe, or one of several, is offline."""
    return any(device_kind(device) == SHOE for device in core.standing.offline)


def zones_of(core: Core, alarm: AlarmRecord) -> list[str]:
    """The zones that an alarm about a reader's zones is about now, sorted; none for any other alarm."""
    zones = core.standing.zone_troubles.get(alarm.device or "", {})
    return sorted(
        zone
        for zone, trouble in zones.items()
        if ZONE_TROUBLES[trouble] == alarm.kind and SEAT_OF.get(zone) == alarm.seat
    )


def unseen_zones(core: Core) -> frozenset[str]:
    """The zones that no reader of the open table sees, as the table is built."""
    return _UNSEEN.get(core.options.built, frozenset())


def hands_unseen(core: Core) -> bool:
    """Whether no reader of the open table sees the cards before the players."""
    return core.options.built in _UNSEEN


def faces_unseen(core: Core) -> bool:
    """Whether readers see the cards before the players, and cannot tell which side is up: the dealer tells it."""
    return core.options.faces is False and not hands_unseen(core)


def counted_stack(core: Core, seat: int) -> int | None:
    """The player's stack before this hand, in cents.

    None where it was not counted since the last hand.
    """
    record = core.standing.seats.get(seat)
    if record is None or record.counted_in_round:
        return None
    before = core.standing.round_number - (1 if core.in_round else 0)
    return record.stack if record.counted_after == before else None


def next_to_players(core: Core) -> bool:
    """Whether the street after the one in progress begins with cards to the players."""
    following = core.round.street + 1
    return following < len(core.book.streets) and core.book.streets[following].own_cards > 0


def on_last_street(core: Core) -> bool:
    """Whether the street in progress is the book's last and deals to each player."""
    return core.round.street > 0 and core.round.street + 1 == len(core.book.streets) and core.street.own_cards > 0


def face_due(core: Core, seat: int, number: int) -> Face | None:
    """The face of the seat's card `number`, from 1, in the deal in progress.

    None for a number beyond the deal.
    """
    round_ = core.round
    faces = core.book.streets[round_.street].faces  # hot path: a property costs a call
    if not 1 <= number <= len(faces):
        return None
    if round_.street == 0 and seat in round_.stud.closed:
        return "up" if number == 1 else "down"
    return faces[number - 1]


def next_face(core: Core, seat: int) -> Face:
    """The face of the next card to this seat."""
    deal = core.round.deals.current
    return face_due(core, seat, deal.dealt.get(seat, 0) + 1 if deal is not None else 1) or "down"


def looks_matter(core: Core) -> bool:
    """Whether a look at their cards lets a player see cards of this deal.

    It does not where all cards of the deal lie face up.
    """
    return core.round.street == 0 or "down" in core.street.faces


def during(core: Core) -> str:
    """The fact `during` of a ruling: "deal" until betting has begun, then "later"."""
    betting = core.round.betting
    later = (betting is not None and betting.begun) or core.round.street > 0
    return "later" if later else "deal"


def cards_before(core: Core, street: int) -> int:
    """Number of communal cards on the board when those of `street` are complete."""
    return core.book.board_cards[street + 1]


def cards_too_many(core: Core) -> int:
    """Number of cards on the board beyond those of the street in progress; of the one before while it is dealt."""
    dealing = core.rounds.phase == "board"
    allowed = cards_before(core, core.round.street - 1 if dealing else core.round.street)
    return max(0, sum(core.round.tracker.holds(zone) > 0 for zone in BOARD) - allowed)


def first_lies(core: Core) -> bool:
    """Whether the communal cards of the initial deal, where the book has any, show."""
    return core.round.board.shown >= cards_before(core, 0)


def cards_of_a_hand(core: Core) -> tuple[int, int]:
    """Numbers of own cards that a player tables, and of shared cards in the centre."""
    communal = core.round.stud.communal
    return core.book.hand_cards - communal, core.book.board_cards[-1] + communal


def boxed_facts(core: Core, before: int = 0) -> dict[str, str]:
    """Facts of a boxed card: when in the round it was noticed, and its place in the pack.

    The initial deal is over with its last card, though nobody has acted yet.
    `before`: cards at the shoe's mouth that come before it.
    """
    round_ = core.round
    if next_to_players(core) and round_.betting is not None and round_.betting.open:
        return {"during": "later", "place": "other" if before else "first"}
    if core.rounds.phase != "dealing" or core.book.banked == "house":
        return {"during": "later", "place": "other"}
    first = not before and (round_.deals.current is None or not round_.deals.current.begun)
    return {"during": during(core), "place": "first" if first else "next"}


def first_deal_over(core: Core) -> bool:
    betting = core.round.betting
    return core.round.street > 0 or (betting is not None and betting.begun)


def deal_open(core: Core) -> bool:
    """Whether a deal to the players is in progress or can still be corrected.

    It can until betting has begun.
    """
    betting = core.round.betting
    if core.rounds.phase == "dealing":
        return True
    return (betting is None or not betting.begun) and (core.round.street == 0 or core.street.own_cards > 0)
