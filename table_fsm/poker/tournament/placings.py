"""The places of players who go out in one round of play, by each book's measure.

ACT 2001 15.2 and TAS 2018 C 20.16: what each put into the pot in that round. The Star 7.18 and Onyx, Hand for Hand 4
and 5: the stack before the hand, and players of different tables share. Equal amounts share their places (TAS says so;
at the others ours).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Placing:
    """A seat's place. A shared one runs from `first` to `last`; otherwise both are the same."""

    seat: int
    first: int
    last: int


def placings(amounts: Mapping[int, int | None], remaining: int, elsewhere: Sequence[int] = ()) -> tuple[Placing, ...]:
    """The places of the seats that went out in one round, the best first.

    Empty if a needed amount is not known. `amounts`: by seat, in cents, the book's measure: the contribution to the
    round's pots, or the stack before the hand. `remaining`: players still in the tournament. `elsewhere`: how many each
    other table lost in that hand, where the book lets tables share (The Star 7.18(a), Onyx); the best of each table
    share the best places, the next of each the next ones (from Onyx, Hand for Hand 5: one player a table can cash; ours
    for the places after).

    Raises ValueError if `remaining` or a number of `elsewhere` is negative.
    """
    return placed_from(amounts, starts_of(remaining, len(amounts), elsewhere))


def starts_of(remaining: int, ranks: int, elsewhere: Sequence[int] = ()) -> Sequence[int]:
    """The first place of each rank at a table that lost so many, and the place behind the last rank. See `placings`."""
    if remaining < 0 or any(count < 0 for count in elsewhere):
        raise ValueError(f"{remaining} players left, {list(elsewhere)} out elsewhere: numbers of players, 0 or more")
    starts = [remaining + 1]
    for rank in range(1, ranks + 1):
        starts.append(starts[-1] + 1 + sum(count >= rank for count in elsewhere))
    return starts


def placed_from(amounts: Mapping[int, int | None], starts: Sequence[int]) -> tuple[Placing, ...]:
    """The places of one table's seats by the starts of its ranks. See `placings`."""
    if len(amounts) == 1:  # nobody to compare with: no count is needed
        known = dict.fromkeys(amounts, 0)
    else:
        known = {seat: amount for seat, amount in amounts.items() if amount is not None}
    if len(known) < len(amounts):
        return ()
    placed: list[Placing] = []
    ordered = sorted(known, key=lambda seat: (-known[seat], seat))
    for _, level in groupby(ordered, key=lambda seat: known[seat]):
        seats = list(level)
        first, after = starts[len(placed)], starts[len(placed) + len(seats)]
        placed += [Placing(seat, first, after - 1) for seat in seats]
    return tuple(placed)
