"""Ultimate Texas Hold'em: amounts that the house pays or takes on each wager of a hand.

ACT 2019, sections 5, 8, 9, 10 and 13.7. Each wager is settled by its own rule. Every amount is integer cents, seen from
the player: plus is what the house pays beside the stake, minus what it takes, zero a push.
"""

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from table_fsm.poker.hands.evaluation import HandName, HandRank


class PlayStage(Enum):
    """The time at which a play wager was placed."""

    BEFORE_FLOP = "before_flop"
    AFTER_FLOP = "after_flop"
    RIVER = "river"


@dataclass(frozen=True, slots=True)
class Wagers:
    """A player's wagers in the four boxes, in cents, above zero; None for no wager.

    Ante and blind are always there: a hand without them is not settled but void (13.5).
    Raises ValueError for an amount that is not above zero.
    """

    ante: int
    blind: int
    trips: int | None = None
    play: int | None = None

    def __post_init__(self) -> None:
        for box in ("ante", "blind", "trips", "play"):
            cents = getattr(self, box)
            if cents is not None and cents <= 0:
                raise ValueError(f"{box} wager of {cents} cents: give an amount above zero, or None for no wager")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits on the table's sign, in cents, above zero; None where the sign states none.

    `table_min`, `table_max`: for each of the boxes ante, blind and trips (5.1). The box play has limits of its own, the
    multiples of the ante (5.3, 8): a box maximum would forbid the four times that 8.1 allows on the highest ante.
    `marked`: the boxes beside which a marker stands (5.2: a wager in excess is allowed).
    `max_payout`: the most a blind wager is paid (10.1; the source gives no maximum for ante, play and trips).
    Raises ValueError for a limit that is not above zero.
    """

    table_min: int | None = None
    table_max: int | None = None
    max_payout: int | None = None
    marked: frozenset[str] = frozenset()

    def most(self, box: str) -> int | None:
        """The most that is settled in `box`; None where there is no limit."""
        return None if box in self.marked else self.table_max

    def __post_init__(self) -> None:
        for limit in ("table_min", "table_max", "max_payout"):
            cents = getattr(self, limit)
            if cents is not None and cents <= 0:
                raise ValueError(f"{limit} of {cents} cents: give an amount above zero, or None for no limit")


@dataclass(frozen=True, slots=True)
class Settlement:
    """One player's result.

    `hand`: the player's, None for a folded one. The amounts, in cents: paid (+), taken (−), 0 for a push, None for no
    wager.
    """

    hand: HandName | None
    ante: int
    blind: int
    trips: int | None
    play: int | None


_MULTIPLES = MappingProxyType(
    {
        PlayStage.BEFORE_FLOP: (3, 4),  # 8.1(c)(ii)
        PlayStage.AFTER_FLOP: (2,),  # 8.3(c)(ii)
        PlayStage.RIVER: (1,),  # 8.5(b)(ii)
    }
)

# 10.1. Odds are (paid, to): 3 to 2 is (3, 2). A hand that is not in the table is not paid.
_BLIND_ODDS = MappingProxyType(
    {
        HandName.ROYAL_FLUSH: (500, 1),
        HandName.STRAIGHT_FLUSH: (50, 1),
        HandName.FOUR_OF_A_KIND: (10, 1),
        HandName.FULL_HOUSE: (3, 1),
        HandName.FLUSH: (3, 2),
        HandName.STRAIGHT: (1, 1),
    }
)
_TRIPS_ODDS = MappingProxyType(
    {
        HandName.ROYAL_FLUSH: 50,
        HandName.STRAIGHT_FLUSH: 40,
        HandName.FOUR_OF_A_KIND: 30,
        HandName.FULL_HOUSE: 8,
        HandName.FLUSH: 7,
        HandName.STRAIGHT: 4,
        HandName.THREE_OF_A_KIND: 3,
    }
)
_NO_LIMITS = Limits()


def allowed_multiples(stage: PlayStage) -> tuple[int, ...]:
    """The multiples of the ante that a play wager may be at that stage, rising (8.1, 8.3, 8.5)."""
    return _MULTIPLES[stage]


def qualifies(dealer_hand: HandRank) -> bool:
    """Whether the dealer's hand contains one pair or higher (dictionary: Qualify)."""
    return dealer_hand.name is not HandName.HIGH_CARD


def below_minimum(wagers: Wagers, limits: Limits) -> tuple[str, ...]:
    """Return the boxes with a wager below the minimum.

    The wager is settled as it is, and the player is told (5.4).
    """
    if limits.table_min is None:
        return ()
    boxes = (("ante", wagers.ante), ("blind", wagers.blind), ("trips", wagers.trips))
    return tuple(box for box, cents in boxes if cents is not None and cents < limits.table_min)


def amounts_at_stake(wagers: Wagers, stage: PlayStage | None, limits: Limits = _NO_LIMITS) -> Wagers:
    """The wagers as they are paid or collected (5.4, 5.5, 13.7).

    Below a minimum: the amount wagered. Above the maximum: the maximum, which for the play wager is the highest
    multiple of the ante that its stage allows (ours: of the ante as it counts here, at most the maximum). A play wager
    between two allowed multiples breaks 8.1 but is neither below nor above: the amount wagered (ours).

    Raises ValueError for a play wager without a `stage`.
    """
    ante = _up_to(limits.most("ante"), wagers.ante)
    return Wagers(
        ante=ante,
        blind=_up_to(limits.most("blind"), wagers.blind),
        trips=None if wagers.trips is None else _up_to(limits.most("trips"), wagers.trips),
        play=None if wagers.play is None else min(wagers.play, _highest_multiple(stage) * ante),
    )


def settle(
    player_hand: HandRank | None,
    dealer_hand: HandRank,
    wagers: Wagers,
    stage: PlayStage | None = None,
    limits: Limits = _NO_LIMITS,
) -> Settlement:
    """Settle one hand against the dealer's; `player_hand` None is a folded one (`settle_fold`).

    `stage`: when the play wager was placed; None where there is none.
    Raises ValueError for a play wager without a stage.
    """
    if player_hand is None:
        return settle_fold(wagers, stage, limits)
    stake = amounts_at_stake(wagers, stage, limits)
    sign = _compare(player_hand, dealer_hand)
    return Settlement(
        hand=player_hand.name,
        ante=sign * stake.ante if qualifies(dealer_hand) else 0,  # 9.5
        blind=_settle_blind(player_hand, sign, stake.blind, limits.max_payout),
        trips=None if stake.trips is None else _settle_trips(player_hand, stake.trips),
        play=None if stake.play is None else sign * stake.play,  # 9.8: the dealer need not qualify
    )


def settle_fold(wagers: Wagers, stage: PlayStage | None = None, limits: Limits = _NO_LIMITS) -> Settlement:
    """A folded hand loses every wager, trips too (dictionary: Fold).

    Conceding once the dealer's hand is declared is a fold as well (9.1). The maximum holds here too: 5.5 says paid or
    collected.
    """
    stake = amounts_at_stake(wagers, stage, limits)
    return Settlement(
        hand=None,
        ante=-stake.ante,
        blind=-stake.blind,
        trips=None if stake.trips is None else -stake.trips,
        play=None if stake.play is None else -stake.play,
    )


def _settle_blind(player_hand: HandRank, sign: int, stake: int, max_payout: int | None) -> int:
    """9.6, 10.1.

    The dealer need not qualify to take it, and the player is paid only for a straight or higher.

    3 to 2 on an odd number of cents is rounded down to the cent: the source is silent, there is no half cent to pay,
    and more than the odds would not be by the approved table.
    """
    if sign <= 0:
        return sign * stake
    if player_hand.name not in _BLIND_ODDS:
        return 0
    paid, to = _BLIND_ODDS[player_hand.name]
    return _up_to(max_payout, stake * paid // to)


def _settle_trips(player_hand: HandRank, stake: int) -> int:
    """9.7: settled on the player's hand alone, for any hand of the dealer."""
    odds = _TRIPS_ODDS.get(player_hand.name)
    return -stake if odds is None else stake * odds


def _compare(player_hand: HandRank, dealer_hand: HandRank) -> int:
    """1 where the player's hand is higher, −1 where the dealer's is, 0 for the same value."""
    return (player_hand > dealer_hand) - (player_hand < dealer_hand)


def _highest_multiple(stage: PlayStage | None) -> int:
    if stage is None:
        raise ValueError(
            "a play wager without the stage it was placed at: say before the flop, after it or on the river"
        )
    return allowed_multiples(stage)[-1]


def _up_to(most: int | None, cents: int) -> int:
    return cents if most is None else min(cents, most)
