"""The places of those who are out, over all tables.

The Star 7.18; Onyx, Hand for Hand 4 and 5; ACT 2001, 15.1 and 15.2; UTH 16.20; TAS 2018, C 20.14 and 20.16.

Places are counted from the end: the first out of a field of 80 is 80th. So they follow from who went out in which order
and from the number of entries, and are settled once entries are closed and no table's report is missing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from floor_fsm.errors import Reason, Refused
from floor_fsm.law.matters import Across, Measure, PlaceRules
from table_fsm.poker.tournament.placings import placed_from, starts_of


@dataclass(frozen=True, slots=True)
class Out:
    """An entry that went out in a hand.

    `amount`: the book's measure, of the chips on the table; None: not known.
    """

    entry: int
    table: str
    amount: int | None


@dataclass(frozen=True, slots=True)
class Finish:
    """The place of an entry. A shared one runs from `first` to `last`; else both are the same."""

    first: int
    last: int


Groups = tuple[tuple[int, ...], ...]
"""Entries that share, the best group first; in a group by number."""


def ranked(rules: PlaceRules, outs: Sequence[Out]) -> Groups:
    """The groups of those who went out in one hand, the best first.

    The best of each table share the best places, the next of each the next ones (Onyx, Hand for Hand 5: one player a
    table can cash; ours for the places after). Equal amounts at one table share (TAS C 20.16; ours at the others), and
    whom they share with shares with all of them, so that each place belongs to one group.

    Refuses, as not decided, where an amount is missing among several of one table, and where players of different
    tables are out and the book leaves it to the director; and an entry that is named twice.
    """
    twice = next((name for name, times in Counter(out.entry for out in outs).items() if times > 1), None)
    if twice is not None:
        raise Refused(Reason.NAMED_TWICE, f"entry {twice} is named twice among those who are out of one hand")
    if len(outs) > 1 and rules.measure is Measure.DIRECTOR:
        raise Refused(Reason.NOT_DECIDED, "several are out: the director says who is placed higher", rules.clause)
    tables = sorted({out.table for out in outs})
    if len(tables) > 1 and rules.across is Across.DIRECTOR:
        raise Refused(
            Reason.NOT_DECIDED,
            f"tables {', '.join(tables)} lost players in one hand: the director says who is placed higher",
            rules.across_clause,
        )
    by_table: dict[str, dict[int, int | None]] = {table: {} for table in tables}
    for out in outs:
        by_table[out.table][out.entry] = out.amount
    counts = [len(amounts) for amounts in by_table.values()]
    starts = {count: starts_of(0, count, _without(counts, count)) for count in set(counts)}
    spans: list[tuple[int, int, int]] = []
    for table, amounts in by_table.items():
        placed = placed_from(amounts, starts[len(amounts)])
        if not placed:
            raise Refused(
                Reason.NOT_DECIDED,
                f"table {table} lost {len(amounts)} players and did not tell each {rules.measure.value}: "
                "the director says who is placed higher",
                rules.clause,
            )
        spans += [(one.first, one.last, one.seat) for one in placed]
    return _joined(spans)


def _without(counts: Sequence[int], one: int) -> list[int]:
    left = list(counts)
    left.remove(one)
    return left


def _said(entries: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(entries)))


def _joined(spans: list[tuple[int, int, int]]) -> Groups:
    """Groups of spans that overlap, from the best."""
    groups: list[list[int]] = []
    reach = 0
    for first, last, name in sorted(spans):
        if first > reach:
            groups.append([])
        groups[-1].append(name)
        reach = max(reach, last)
    return tuple(tuple(sorted(group)) for group in groups)


@dataclass(frozen=True, slots=True)
class Gone:
    """One hand, or one decision, that put entries out.

    `order`: what came before what: a number that only grows. Hands that were played hand for hand under one release
    have the same, whichever table told first. `awaited`: tables whose report of this hand is missing: until it comes
    the groups may still change.
    """

    order: int
    outs: tuple[Out, ...]
    groups: Groups
    awaited: tuple[str, ...] = ()
    decided_by: str | None = None
    is_open: bool = False
    """Whether the book leaves the groups to a person; then they share until `decided_by` has said."""

    @property
    def waits(self) -> bool:
        """Whether a person must still decide."""
        return self.is_open and self.decided_by is None and len(self.outs) > 1


@dataclass(frozen=True, slots=True)
class Ladder:
    """Who is out, in order. Each entry is in it once at most."""

    rules: PlaceRules
    gone: tuple[Gone, ...] = ()
    known: frozenset[int] = field(default=frozenset(), repr=False)

    def add(self, order: int, outs: Sequence[Out], awaited: Collection[str] = ()) -> "Ladder":
        """The ladder with those who went out under `order`, joined with those already there under it.

        What a person must decide is left as one shared group until `decide`. Refuses an entry that is out already.
        """
        known = [out.entry for out in outs if out.entry in self.known]
        if known:
            raise Refused(Reason.NAMED_TWICE, f"entry {known[0]} is out already: it has its place")
        before = self.under(order) or Gone(order, (), ())
        if before.outs and not outs:
            return self._with(replace(before, awaited=tuple(sorted(awaited))))
        return self._of(order, (*before.outs, *outs), tuple(sorted(awaited)))

    def under(self, order: int) -> Gone | None:
        """Those who went out under an order."""
        for one in reversed(self.gone):
            if one.order <= order:
                return one if one.order == order else None
        return None

    def decide(self, order: int, groups: Sequence[Sequence[int]], who: str) -> "Ladder":
        """The ladder with the groups of `order` as a person decided them, the best first; no report is awaited then.

        Where the groups name those of the orders right behind it too, all of them went out together: several who lost
        their last chips in one race (ACT 2001, 4.8), or whose hands nobody could tell apart.

        Refuses an order nobody went out under and no report of which is missing, groups that are not exactly those who
        went out, and orders together of which a report is missing.
        """
        before = self.under(order)
        if before is None:
            raise Refused(Reason.WRONG_STATE, f"nobody went out under {order}: there is no place to decide")
        named = sorted(name for group in groups for name in group)
        joined = self.joined(order, named)
        outs = tuple(out for one in joined for out in one.outs)
        if named != sorted(out.entry for out in outs):
            raise Refused(
                Reason.UNKNOWN_ENTRY,
                f"the places of {_said(out.entry for out in outs) or 'nobody'} are to be decided, "
                f"and {_said(named) or 'nobody'} named: name each once",
                self.rules.clause,
            )
        missing = sorted({table for one in joined for table in one.awaited}) if len(joined) > 1 else []
        if missing:
            raise Refused(
                Reason.TABLES_PLAY,
                f"table {', '.join(missing)} has not told the end of a hand: decide the places of that hand first",
            )
        if not outs:
            return self._without(order)
        decided = tuple(tuple(sorted(group)) for group in groups if group)
        ladder = self
        for one in joined[1:]:
            ladder = ladder._without(one.order)
        return ladder._with(replace(before, outs=outs, groups=decided, awaited=(), decided_by=who))

    def joined(self, order: int, named: Collection[int]) -> tuple[Gone, ...]:
        """Those who went out under `order`, and under each one right behind it as long as all of them are named."""
        behind = [one for one in self.gone if one.order >= order]
        more = takewhile(lambda one: one.outs and all(out.entry in named for out in one.outs), behind[1:])
        return (*behind[:1], *more)

    def back(self, entry: int) -> "Ladder":
        """The ladder without an entry whose going out did not count: a void round, a wrong report.

        What a person decided of the others who went out with it stands. Refuses an entry that is not out.
        """
        if entry not in self.known:
            raise Refused(Reason.UNKNOWN_ENTRY, f"entry {entry} is not out")
        old = next(one for one in self.gone if any(out.entry == entry for out in one.outs))
        outs = tuple(out for out in old.outs if out.entry != entry)
        gone = tuple(one for one in self.gone if one is not old)
        ladder = Ladder(self.rules, gone, frozenset(self.known - {entry}))
        if not outs or old.decided_by is None:
            return ladder._of(old.order, outs, old.awaited)
        others = (tuple(one for one in group if one != entry) for group in old.groups)
        return ladder._with(replace(old, outs=outs, groups=tuple(group for group in others if group)))

    @property
    def undecided(self) -> tuple[int, ...]:
        """The orders under which a person must still say who is placed higher."""
        return tuple(one.order for one in self.gone if one.waits)

    @property
    def awaited(self) -> tuple[str, ...]:
        """Tables whose report of a hand is missing."""
        return tuple(sorted({table for one in self.gone for table in one.awaited}))

    def told(self, entries: int, since: int = 0) -> dict[int, tuple[Finish, bool]]:
        """The place of each entry that is out, in a field of `entries`, and whether it may still change.

        It may where a report of this hand or of an earlier one is missing, and where a person has to decide. `since`:
        only those that went out under this order or later. Raises ValueError for a field smaller than those who are
        out.
        """
        begin = next((place for place, one in enumerate(reversed(self.gone)) if one.order < since), len(self.gone))
        later = self.gone[len(self.gone) - begin :]
        last = entries - len(self.known) + sum(len(one.outs) for one in later)
        soft = any(one.awaited for one in self.gone[: len(self.gone) - begin])
        placed: dict[int, tuple[Finish, bool]] = {}
        for one in later:
            soft = soft or bool(one.awaited)
            for group in reversed(one.groups):
                first = last - len(group) + 1
                placed |= dict.fromkeys(group, (Finish(first, last), soft or one.waits))
                last = first - 1
        if last < 0:
            raise ValueError(f"{entries - last} are out of {entries} entries")
        return placed

    def places(self, entries: int) -> Mapping[int, Finish]:
        """The place of each entry that is out, in a field of `entries`. Raises ValueError as `told`."""
        return {entry: finish for entry, (finish, _) in self.told(entries).items()}

    def _groups(self, outs: Sequence[Out]) -> tuple[Groups, bool]:
        """The groups by the book, and whether a person must decide: then they are one group of all."""
        try:
            return ranked(self.rules, outs), False
        except Refused as refused:
            if refused.reason is not Reason.NOT_DECIDED:
                raise
        return (tuple(sorted(out.entry for out in outs)),), True

    def _of(self, order: int, outs: tuple[Out, ...], awaited: tuple[str, ...]) -> "Ladder":
        """The ladder with exactly these under `order`, in the groups of the book."""
        if not outs and not awaited:
            return self._without(order)
        groups, is_open = self._groups(outs)
        return self._with(Gone(order, outs, groups, awaited, is_open=is_open))

    def _without(self, order: int) -> "Ladder":
        return replace(self, gone=tuple(one for one in self.gone if one.order != order))

    def _with(self, new: Gone) -> "Ladder":
        entries = self.known | {out.entry for out in new.outs}
        if not self.gone or self.gone[-1].order < new.order:
            return Ladder(self.rules, (*self.gone, new), entries)
        if self.gone[-1].order == new.order:
            return Ladder(self.rules, (*self.gone[:-1], new), entries)
        gone = sorted((*(one for one in self.gone if one.order != new.order), new), key=lambda one: one.order)
        return Ladder(self.rules, tuple(gone), entries)
