"""Main and side pots: their winners, and the amount that does not divide.

TAS 2018 C 15 and 16.1. Seats are numbered clockwise; all money is integer cents.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from table_fsm.poker.hands.values import HandName, HandValue


@dataclass(frozen=True, slots=True)
class Pot:
    """One pot.

    `number`: 1 is the main pot, the side pots follow. `eligible`: the live seats it can go to, rising.
    """

    number: int
    cents: int
    eligible: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Uncalled:
    """Chips in cents that nobody matched.

    They go back to the seat that put them in and are in no pot.
    """

    seat: int
    cents: int


@dataclass(frozen=True, slots=True)
class PotResult:
    """The winners of a pot.

    `winners`: seats, rising. `hand`: the winning hand, None where no hand was shown for it. `odd_to`: the winner who
    gets the amount that does not divide; None for a single winner and for a pot known to divide evenly.
    """

    pot: int
    winners: tuple[int, ...]
    hand: HandName | None
    odd_to: int | None


def uncalled(contributions: Mapping[int, int], live: Collection[int]) -> Uncalled | None:
    """Return the part of the largest contribution that no other seat reached; None for none.

    Other seats count live or folded. Only a live seat gets the excess back. The bets of a hand that folded or was
    killed remain in the pot (C 19.15).
    """
    if not contributions:
        return None
    seat = max(contributions, key=contributions.__getitem__)
    second, most = sorted([0, *contributions.values()])[-2:]
    return Uncalled(seat, most - second) if most > second and seat in live else None


def build_pots(contributions: Mapping[int, int], live: Collection[int], dead: int = 0) -> list[Pot]:
    """The main pot and the side pots, in layers by contribution (C 16.1).

    `contributions`: cents of each seat that put chips in, folded seats too: theirs count in the pots they reached.
    `live`: the seats still in. `dead`: cents in the middle that match nothing (a missed blind paid in, C 19.10; antes);
    they belong to the main pot, but are a pot of their own where a live seat has put in nothing else: a player all in
    with the ante plays for the antes only. What `uncalled` gives back is in no pot.

    Layers that the same live seats contest are one pot. A layer that only folded or dead hands reached stays with the
    pot beneath it (C 19.15). Where no live seat has put anything in, all of them contest the one pot there is.
    Together the pots and the uncalled bet are exactly the contributions and `dead`; no pot is empty.

    Raises ValueError where nobody is live or an amount is below zero.
    """
    if not live:
        raise ValueError("pots that nobody can win: name the live seats, or the last to fold (C 19.15)")
    if dead < 0 or min(contributions.values(), default=0) < 0:
        raise ValueError("a contribution below zero: count what each seat put in, in cents")
    pots: list[Pot] = []
    for eligible, cents in _layers(_matched(contributions, live), live):
        if pots and eligible in ((), pots[-1].eligible):
            pots[-1] = Pot(len(pots), pots[-1].cents + cents, pots[-1].eligible)
        else:
            pots.append(Pot(len(pots) + 1, cents, eligible or _rising(live)))
    if not dead:
        return pots
    for_antes_only = [seat for seat in live if contributions.get(seat) == 0]
    if not pots or (for_antes_only and len(pots[0].eligible) < len(set(live))):
        return [Pot(1, dead, _rising(live)), *(Pot(pot.number + 1, pot.cents, pot.eligible) for pot in pots)]
    return [Pot(1, pots[0].cents + dead, pots[0].eligible), *pots[1:]]


def decide(
    eligible: Collection[int],
    hands: Mapping[int, HandValue],
    order_from: int,
    *,
    pot: int = 1,
    cents: int | None = None,
    unit: int | None = None,
) -> PotResult:
    """Return the winners of pot number `pot` among the `eligible` seats (C 15.1, 15.3).

    `hands`: the shown hands; others than the eligible may be in it. A seat alone needs none, and without one `hand` is
    None. `order_from`: the small blind's seat; `odd_to` is the winner in that seat or nearest clockwise from it.

    `cents` and `unit`: what is in the pot once commission is out (C 15.2 comes before 15.3) and the table minimum.
    Where both are known and the pot divides evenly, `odd_to` is None.

    Raises ValueError for a pot without eligible seats, for a missing hand, and for a split in units not above zero.
    """
    seats = _rising(eligible)
    if not seats:
        raise ValueError(f"pot {pot} has no eligible seat: give the live seats that contest it")
    if len(seats) == 1:
        return PotResult(pot, seats, hands[seats[0]].name if seats[0] in hands else None, None)
    if missing := [seat for seat in seats if seat not in hands]:
        raise ValueError(f"pot {pot}: no hand shown by seats {missing}; show them, or leave out the seats that folded")
    most = max([hands[seat].strength for seat in seats])
    winners = tuple([seat for seat in seats if hands[seat].strength == most])
    return PotResult(pot, winners, hands[winners[0]].name, _odd_to(winners, order_from, cents, unit))


def shares(result: PotResult, cents: int, unit: int) -> dict[int, int]:
    """Return each winner's share of a pot of `cents`, without commission.

    The shares are equal in units of the table minimum. The amount that does not divide so goes to `odd_to` whole, even
    if it is more than one unit: "any amount that they cannot equally divide" (C 15.3). The shares add up to `cents`.

    Raises ValueError for a split in units not above zero, and where something is over and the result names nobody.
    """
    if len(result.winners) == 1:
        return {result.winners[0]: cents}
    over = _indivisible(cents, unit, len(result.winners))
    part = (cents - over) // len(result.winners)
    if over and result.odd_to is None:
        raise ValueError(f"pot {result.pot}: {over} cents over and nobody to take them; decide the pot with its amount")
    return {seat: part + (over if seat == result.odd_to else 0) for seat in result.winners}


def showdown(
    contributions: Mapping[int, int],
    hands: Mapping[int, HandValue],
    live: Collection[int],
    order_from: int,
    *,
    unit: int | None = None,
    dead: int = 0,
    commission: Callable[[int], int] | None = None,
    halved: Collection[int] = (),
) -> list[PotResult]:
    """Return the result of every pot of a round, the main pot first.

    With one live hand left nothing is shown and `hand` is None (C 12.3(a), 14.4(a)). Without contributions no side pots
    can be told apart: the answer is one pot of unknown size that all live seats contest.

    `contributions`: cents of each seat that was dealt in; empty where one of them is not known. `hands`: the shown
    hands. `halved`: pots of which a low hand takes its half. `live`, `order_from`, `unit`, `dead`: as in `decide` and
    `build_pots`. `commission`: function from the cents of a pot to the cents due on it.

    Raises ValueError where nobody is live, or where one of several live hands is not shown.
    """
    shown = hands if len(live) > 1 else {}
    if not contributions:
        return [decide(live, shown, order_from)]
    due = commission or _no_commission
    results = []
    for pot in build_pots(contributions, live, dead):
        cents = pot.cents - due(pot.cents)
        if pot.number in halved:
            cents -= low_half(cents, unit)
        results.append(decide(pot.eligible, shown, order_from, pot=pot.number, cents=cents, unit=unit))
    return results


def low_half(cents: int, unit: int | None) -> int:
    """The low hand's half of a pot in cents, in whole units; the high half gets the rest (ours)."""
    return cents // 2 if unit is None else cents // 2 // unit * unit


def low_halves(
    contributions: Mapping[int, int],
    low: Mapping[int, HandValue],
    live: Collection[int],
    order_from: int,
    *,
    unit: int | None = None,
    dead: int = 0,
    commission: Callable[[int], int] | None = None,
    whole: bool = False,
) -> list[PotResult]:
    """Return the winners of the low half of each pot, the main pot first.

    A pot in which no low hand qualifies has none. `low`: the qualifying low hands. `whole`: the low hand takes all of
    it. Without contributions there is one pot of unknown size that all live seats contest. The rest as in `showdown`.
    """
    pots: list[tuple[int, Collection[int], int | None]] = [(1, live, None)]
    if contributions:
        due = commission or _no_commission
        pots = [(p.number, p.eligible, p.cents - due(p.cents)) for p in build_pots(contributions, live, dead)]
    results = []
    for number, eligible, cents in pots:
        seats = [seat for seat in eligible if seat in low]
        share = cents if cents is None or whole else low_half(cents, unit)
        if seats:
            results.append(decide(seats, low, order_from, pot=number, cents=share, unit=unit))
    return results


def _matched(contributions: Mapping[int, int], live: Collection[int]) -> dict[int, int]:
    """The contributions without the uncalled bet."""
    matched = dict(contributions)
    if (back := uncalled(contributions, live)) is not None:
        matched[back.seat] -= back.cents
    return matched


def _layers(matched: Mapping[int, int], live: Collection[int]) -> list[tuple[tuple[int, ...], int]]:
    """The layers from the bottom up: live seats that reached the top, and the cents in it."""
    layers = []
    floor = 0
    for top in sorted({cents for cents in matched.values() if cents > 0}):
        reached = [seat for seat, cents in matched.items() if cents >= top]
        layers.append((_rising([seat for seat in reached if seat in live]), (top - floor) * len(reached)))
        floor = top
    return layers


def _odd_to(winners: tuple[int, ...], order_from: int, cents: int | None, unit: int | None) -> int | None:
    if len(winners) == 1:
        return None
    if cents is not None and unit is not None and not _indivisible(cents, unit, len(winners)):
        return None
    return min(winners, key=lambda seat: (seat < order_from, seat))  # clockwise is rising, then round to seat 1


def _indivisible(cents: int, unit: int, parts: int) -> int:
    """Cents left over when `parts` winners get equal numbers of whole units."""
    if unit <= 0:
        raise ValueError(f"a unit of {unit} cents: pots are divided in units of the table minimum, above zero")
    return cents % (unit * parts)


def _rising(seats: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(seats)))


def _no_commission(_: int) -> int:
    return 0
