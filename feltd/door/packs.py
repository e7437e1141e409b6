"""Packs of cards that are chips, as the page has them: names, counts, the card to lay next. Never a chip's number."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

from feltd.door.bounds import Name, Number

SPARES_MOST: Final = 8
"""Spare cards that may lie with a whole pack."""


class PackState(StrEnum):
    """What a pack is at the table."""

    IN_USE = "in_use"
    RESTING = "resting"
    """Enrolled, and not at the table now: one of its cards on the felt is a card of another pack."""
    RETIRED = "retired"
    """Its cards are to be played with no more."""

    @property
    def words(self) -> str:
        """For a person at a console."""
        return self.value.replace("_", " ")


class PackWork(StrEnum):
    """What cards are laid on a reader for."""

    ENROL = "enrol"
    """A new pack: each card once, in the order of laying."""
    CHECK = "check"
    """A pack that is known: its cards in any order."""
    REPLACE = "replace"
    """The spare card that takes the place of one."""


class ChipHeard(StrEnum):
    """What came of the chip that a reader told last. Only a chip that was taken changes anything."""

    TAKEN = "taken"
    AGAIN = "again"
    """It was laid before, as the card of `heard_place`."""
    OF_PACK = "of_pack"
    """It is a card of the pack `heard_pack`."""
    UNKNOWN = "unknown"
    """It is in no pack of this table, and a pack is checked."""
    CHANGING = "changing"
    """Its number changes, as a phone's does."""
    NOT_WHOLE = "not_whole"
    """Its number was not read whole."""
    TOGETHER = "together"
    """It came at once with another one, so nobody knows which was first: neither counts."""
    TOO_MANY = "too_many"
    """All cards are laid already; of a whole pack at once: more chips than it has."""
    NOT_SEEN = "not_seen"
    """It was not among the chips of the whole pack, whose cards are being put in order."""


class PackStep(StrEnum):
    """What a person says while cards are laid."""

    BACK = "back"
    """The last card was a wrong one: it counts no more. Of a whole pack at once: all chips count no more."""
    ORDER = "order"
    """The whole pack has been seen: its cards are laid in order now."""
    KEEP = "keep"
    """All cards are laid: keep it, or, of a check, put what was found on record."""
    STOP = "stop"
    """End it. Nothing is kept."""


@dataclass(frozen=True, slots=True)
class PackWanted:
    """For what cards are to be laid.

    `back`, `cards`, `joker`: of a new pack. `card`: that a spare one replaces. `whole`: all chips of a new pack
    come at once, in any order, with so many `spares`; then its cards are laid in order.
    """

    work: PackWork
    name: Name
    back: Name = ""
    cards: Annotated[int, Number(1, 52)] = 52
    joker: bool = False
    card: Name = ""
    whole: bool = False
    spares: Annotated[int, Number(0, SPARES_MOST)] = 0


@dataclass(frozen=True, slots=True)
class PackFacts:
    """One pack. `cards`: how many it has."""

    name: str
    back: str
    cards: int
    state: PackState


@dataclass(frozen=True, slots=True)
class WorkFacts:
    """Cards are being laid.

    `by`: the account that began. `laid`: chips that count, of `cards`. `next`: the card to lay now, None where the
    order does not matter or all are laid. `heard`: what came of the last chip, None before the first. Of a check:
    `others`: chips of other packs, by the pack's name; `unknown`: chips of none; `missing`: names, where they are few;
    `misplaced`: of a whole pack that was laid in order but for a few cards, those that lie elsewhere. `gathering`: the
    chips of a whole pack come at once, `laid` of them, of `cards` with the spare ones; their order comes later.
    """

    work: PackWork
    name: str
    by: str
    laid: int
    cards: int
    next: str | None
    heard: ChipHeard | None
    heard_place: int | None
    heard_pack: str | None
    others: Mapping[str, int]
    unknown: int
    missing: tuple[str, ...] | None
    misplaced: tuple[str, ...] = ()
    gathering: bool = False


@dataclass(frozen=True, slots=True)
class PacksFacts:
    """The packs of a table, and what is being laid. `trouble`: why the list cannot be read."""

    packs: tuple[PackFacts, ...]
    trouble: str | None
    work: WorkFacts | None
