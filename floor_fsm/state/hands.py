"""The part of hand for hand, and the part of places."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.play.hand_for_hand import HandForHand
from floor_fsm.play.places import Finish, Ladder
from floor_fsm.state.entries import ALIVE, Entries, Standing


@dataclass(frozen=True, slots=True)
class Hands:
    """The part of hand for hand: None while tables deal at their own pace. `away`: tables that cannot be reached."""

    play: HandForHand | None = None
    away: tuple[str, ...] = ()


def hand_for_hand(parts: Parts) -> HandForHand:
    """The hand for hand that is played. Raises Refused where none is."""
    play = parts.of(Hands).play
    if play is None:
        raise Refused(Reason.WRONG_STATE, "hand for hand is not played")
    return play


@dataclass(frozen=True, slots=True)
class Places:
    """The part of places.

    `ladder`: who is out, in order; None before somebody is, or where the book has no row. `orders`: what each hand of
    this spell of hand for hand stands under. `released`: the orders of the hands of all its spells; `dealt`: of hands
    that a table told outside it, and of what was placed together with one. `next`: the order that nobody has yet.
    `said`: the place of each entry as it was last told, and whether it was provisional.
    """

    ladder: Ladder | None = None
    orders: Mapping[int, int] = field(default_factory=dict)
    released: frozenset[int] = frozenset()
    dealt: frozenset[int] = frozenset()
    next: int = 1
    said: Mapping[int, tuple[Finish, bool]] = field(default_factory=dict)

    @property
    def final(self) -> dict[int, Finish]:
        """The places that do not change any more."""
        return {entry: finish for entry, (finish, provisional) in self.said.items() if not provisional}

    def final_of(self, entry: int) -> Finish | None:
        """The place of one entry; None where it has none, or one that may still change."""
        finish, provisional = self.said.get(entry, (None, True))
        return None if provisional else finish


@dataclass(frozen=True, slots=True)
class Unreported:
    """A hand that is over but for the reports of `tables`. `hand`: its number in the spell; None of an earlier one."""

    order: int
    hand: int | None
    entries: tuple[int, ...]
    tables: tuple[str, ...]


def unreported(parts: Parts) -> tuple[Unreported, ...]:
    """The hands whose places stay provisional until a table, or a person for it, tells the end, or decides them."""
    places, play = parts.of(Places), parts.of(Hands).play
    numbers = {} if play is None else {order: hand for hand, order in places.orders.items()}
    under_way = play.hand if play is not None and play.waits_for else None
    return tuple(
        Unreported(one.order, numbers.get(one.order), tuple(sorted(out.entry for out in one.outs)), one.awaited)
        for one in (() if places.ladder is None else places.ladder.gone)
        if one.awaited and (under_way is None or numbers.get(one.order) != under_way)
    )


def field_of(parts: Parts) -> int:
    """The entries that have, or get, a place: all but those that were withdrawn."""
    entries = parts.of(Entries)
    return len(entries.by_number) - entries.tally.at[Standing.WITHDRAWN]


def how_many_left(parts: Parts) -> int:
    """How many entries are not out."""
    return parts.of(Entries).tally.alive


def left(parts: Parts) -> tuple[int, ...]:
    """The entries that are not out: in play, waiting for a seat, or between two sessions."""
    return tuple(one.number for one in parts.of(Entries).by_number.values() if one.standing in ALIVE)
