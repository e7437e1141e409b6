"""The prize pool, what each place gets of it, and a chop. Amounts are whole cents.

The Star 2, 3, 7.3, 7.4, 8 Appendix a, and 1 and 5 (chop); UTH 16.21 and 16.22; TAS 2018, C 20.15 to 20.17; Onyx,
Hand for Hand 4.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import PoolRules
from floor_fsm.play.places import Finish
from table_fsm.poker.tournament import payouts as star_2025

_WHOLE: Final = Decimal(100)


@dataclass(frozen=True, slots=True)
class Fees:
    """What came in. `entry`: the fee of an entry, without an administration fee, which is no part of the pool."""

    entry: int
    entries: int
    re_entries: int = 0
    rebuys: int = 0
    """Cents paid for rebuys and add-ons, all together."""
    kept: int = 0
    """Cents of the entry fees that the house keeps."""
    added: int = 0
    """Cents that the house adds. Goods and services are no cents, and have no part in the sum."""


def pool(rules: PoolRules, fees: Fees) -> int:
    """The prize pool: fees times entries and re-entries, rebuys, less what is kept, and what is added.

    Refuses negative amounts, and more kept than the book allows.
    """
    for name in ("entry", "entries", "re_entries", "rebuys", "kept", "added"):
        value = getattr(fees, name)
        if value < 0:
            raise Refused(Reason.DOES_NOT_ADD_UP, f"{name}: {value}: 0 or more")
    paid = fees.entry * (fees.entries + fees.re_entries)
    most = paid if rules.kept_percent is None else paid * rules.kept_percent // 100
    if fees.kept > most:
        raise Refused(
            Reason.KEPT_TOO_MUCH,
            f"{fees.kept} cents kept of {paid} in entry fees: {most} at most",
            rules.clause,
        )
    return paid - fees.kept + fees.rebuys + fees.added


def shares(rules: PoolRules, entries: int, own: Sequence[Decimal] | None = None) -> tuple[Decimal, ...]:
    """Percent of the pool for the first place, the second, …; they sum to exactly 100.

    `own`: as the tournament's conditions have them, where the book brings no table or none for so many. Refuses parts
    that do not add up to 100, or that are below 0, or more places than entries; and, as not decided, where neither the
    book nor the conditions say.
    """
    if own is None:
        if rules.payouts is None:
            raise Refused(Reason.NOT_DECIDED, "the book has no payouts: the conditions say them", rules.clause)
        try:
            return star_2025.payout(entries)
        except ValueError as error:
            raise Refused(Reason.NOT_DECIDED, f"{error}: a person sets the payouts", rules.payouts_clause) from None
    if not own or any(part < 0 for part in own) or sum(own) != _WHOLE:
        raise Refused(
            Reason.DOES_NOT_ADD_UP, f"payouts of {sum(own)} %: they add up to 100, none below 0", rules.clause
        )
    if len(own) > entries:
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{len(own)} places paid for {entries} entries", rules.clause)
    return tuple(own)


def divided(total: int, parts: Sequence[Decimal]) -> tuple[int, ...]:
    """`total` cents divided in proportion to `parts`, to the cent: the result sums to `total`.

    Each is rounded down. The cents that are left go one each to the first, the second, … (ours: the sources give the
    rest to nobody). A part of 0 gets nothing. Raises ValueError where there is something to divide and no part.
    """
    whole = sum(parts, Decimal(0))
    if total and not whole:
        raise ValueError(f"{total} cents and nobody to have them")
    if not total:
        return (0,) * len(parts)
    # Exact: a part has at most a few decimals, so that as integers nothing is rounded by the decimals' context.
    scale = 10 ** max(0, *(-int(part.as_tuple().exponent) for part in parts))
    numbers = [int(part * scale) for part in parts]
    cents = [number * total // sum(numbers) for number in numbers]
    left = total - sum(cents)
    for place, number in enumerate(numbers):
        if left and number:
            cents[place] += 1
            left -= 1
    return tuple(cents)


def prizes(
    amounts: Sequence[int], places: Mapping[int, Finish], forfeited: Collection[int] = ()
) -> tuple[Mapping[int, int], int]:
    """The prize in cents of each entry that has a place, and what is left for places nobody has yet.

    `amounts`: for the first place, the second, …. Those who share get the sum of their places in equal parts, to the
    cent; a cent that does not divide goes to the first by number (ours). `forfeited`: entries that get no prize. What
    theirs would have been goes to the places above theirs in proportion, paid or not (ours; no source says); where
    there is none above, to the next below. Together the prizes and what is left are always the sum of `amounts`.
    """
    groups: dict[Finish, list[int]] = {}
    for name in sorted(places):
        groups.setdefault(places[name], []).append(name)
    paid = [*amounts, *(0 for _ in range(max((place.last for place in groups), default=0) - len(amounts)))]
    nobody = 0
    for place in sorted(groups, key=lambda one: -one.first):
        gone, members = sum(name in forfeited for name in groups[place]), len(groups[place])
        total = sum(paid[place.first - 1 : place.last])
        freed = total * gone // members
        paid[place.first - 1 : place.last] = [total - freed, *(0 for _ in range(place.last - place.first))]
        above = paid[: place.first - 1]
        if above:
            more = divided(freed, [Decimal(cents) for cents in above] if any(above) else [Decimal(1)] * len(above))
            paid[: place.first - 1] = [own + cents for own, cents in zip(above, more, strict=True)]
        else:
            nobody += freed
    won = dict.fromkeys((name for name in places if name in forfeited), 0)
    for place in sorted(groups, key=lambda one: one.first):
        names = [name for name in groups[place] if name not in forfeited]
        if names:
            total, nobody = paid[place.first - 1] + nobody, 0
            won |= dict(zip(names, divided(total, [Decimal(1)] * len(names)), strict=True))
    return won, sum(amounts) - sum(won.values())


@dataclass(frozen=True, slots=True)
class Chop:
    """The rest of the pool as those who are left divided it. `by`: who took the agreement down."""

    cents: Mapping[int, int]
    by: str


def chop(
    left: int, playing: Collection[int], agreed: Mapping[int, int | Decimal], by: str, clause: str, *, percent: bool
) -> Chop:
    """Take down a chop of `left` cents among those who are `playing`.

    `agreed`: what each gets, in cents, or with `percent` in percent, by each who agrees. Refuses where not all who are
    left agree, where somebody else is named, and where it is not exactly what is left.
    """
    missing = sorted(set(playing) - set(agreed))
    if missing:
        raise Refused(
            Reason.NOT_ALL_AGREE, f"{', '.join(map(str, missing))} did not agree: all who are left must", clause
        )
    strangers = sorted(set(agreed) - set(playing))
    if strangers:
        raise Refused(Reason.UNKNOWN_ENTRY, f"{', '.join(map(str, strangers))}: not among those who are left", clause)
    if len(agreed) < 2:
        raise Refused(Reason.WRONG_STATE, "one player is left: there is nobody to agree with", clause)
    parts = [Decimal(part) for part in agreed.values()]
    said, whole = sum(parts), _WHOLE if percent else Decimal(left)
    if any(part < 0 for part in parts) or said != whole:
        unit = "%" if percent else "cents"
        raise Refused(Reason.DOES_NOT_ADD_UP, f"{said} {unit} agreed of {whole}: all of it, and none below 0", clause)
    cents = divided(left, parts) if percent else tuple(int(part) for part in parts)
    return Chop(dict(zip(agreed, cents, strict=True)), by)
