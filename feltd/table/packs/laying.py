"""Cards that are laid on a reader one by one, and which chip is which of them. Pure.

A card is never guessed: of two chips that come at once nobody knows which was laid first, so neither counts. What is
said of a chip has no number.
"""

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import replace
from typing import Final

from devices.adapters.chip_numbers import SIZES, is_changing
from feltd.door.packs import ChipHeard, PackWanted, PackWork, WorkFacts
from feltd.table.packs.pack_list import MISSING_MOST, Pack, PackError, PackList, laying_order, misplaced, pack_of

AT_ONCE: Final = 0.3
"""Seconds within which two chips came at once: a reader tells a card within so long after it came to rest."""


class Laying(ABC):
    """What is laid for one purpose. Each chip that a reader tells comes to `hear`."""

    work: PackWork

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        self.by = by
        """The account that began."""
        self.wanted = wanted
        self._packs = packs
        self._numbers: list[bytes] = []
        self._heard: ChipHeard | None = None
        self._place: int | None = None
        self._pack: str | None = None

    def hear(self, number: bytes, t: float) -> None:
        """Take a chip's number. `t`: seconds of the table's clock."""
        self._place = self._pack = None
        self._heard = self._judge(number, t)

    def take_back(self) -> None:
        """Let the last card count no more. Raises PackError."""
        if not self._numbers:
            raise PackError("no card is laid yet: there is none to take back")
        self._numbers.pop()
        self._heard = self._place = self._pack = None

    def put_in_order(self) -> None:
        """Take the chips that come from now on as the cards in order. Raises PackError."""
        raise PackError("these cards are laid in order already: only a whole pack at once is put in order afterwards")

    def changed(self, packs: PackList) -> None:
        """Go on with this list of packs in place of the one before."""
        self._packs = packs

    @abstractmethod
    def kept(self, packs: PackList) -> PackList:
        """The list with what was laid. `packs`: as it is now. Raises PackError where not all is laid."""

    @property
    @abstractmethod
    def cards(self) -> int:
        """How many there are to be laid."""

    def facts(self) -> WorkFacts:
        """How far it is."""
        return WorkFacts(
            self.work, self.wanted.name, self.by, len(self._numbers), self.cards, self._next(), self._heard,
            self._place, self._pack, {}, 0, None,
        )  # fmt: skip

    def _judge(self, number: bytes, t: float) -> ChipHeard:
        if len(number) not in SIZES:
            return ChipHeard.NOT_WHOLE
        if is_changing(number):
            return ChipHeard.CHANGING
        if number in self._numbers:
            self._place = self._numbers.index(number) + 1
            return ChipHeard.AGAIN
        return self._take(number, t)

    @abstractmethod
    def _take(self, number: bytes, t: float) -> ChipHeard: ...

    def _next(self) -> str | None:
        return None

    def _is_of_another(self, number: bytes) -> bool:
        holder = self._packs.holder(number)
        self._pack = None if holder is None else holder.name
        return holder is not None


class _InOrder(Laying):
    """Chips whose order says which card each is."""

    order: tuple[str, ...] = ()

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        super().__init__(packs, wanted, by)
        self._came: float | None = None
        self._alone = False
        """Whether the last number that counts is the only one that came then."""

    @property
    def cards(self) -> int:
        return len(self.order)

    def take_back(self) -> None:
        super().take_back()
        self._alone = False

    def _take(self, number: bytes, t: float) -> ChipHeard:
        if self._is_of_another(number):
            return ChipHeard.OF_PACK
        at_once = self._came is not None and t - self._came < AT_ONCE
        self._came = t
        if at_once:
            if self._alone:
                self._numbers.pop()
                self._alone = False
            return ChipHeard.TOGETHER
        if len(self._numbers) == self.cards:
            self._alone = False
            return ChipHeard.TOO_MANY
        self._numbers.append(number)
        self._alone = True
        return ChipHeard.TAKEN

    def _next(self) -> str | None:
        return None if len(self._numbers) == self.cards else self.order[len(self._numbers)]


class Enrolling(_InOrder):
    """A new pack."""

    work = PackWork.ENROL

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        """Raises PackError where no such pack can be enrolled."""
        super().__init__(packs, wanted, by)
        self.order = laying_order(wanted.cards, joker=wanted.joker)
        packs.check_new(wanted.name, wanted.back)

    def kept(self, packs: PackList) -> PackList:
        return packs.with_pack(self.pack())

    def _is_of_another(self, number: bytes) -> bool:
        holder = self._packs.holder(number)
        again = holder is not None and holder.name == self.wanted.name  # it was retired, and is enrolled anew
        return not again and super()._is_of_another(number)

    def pack(self) -> Pack:
        """What was laid. Raises PackError where it is not whole."""
        return pack_of(self.wanted.name, self.wanted.back, self._numbers, self.order)


class EnrollingWhole(Enrolling):
    """A new pack whose chips are all seen at once, and whose cards are laid in order afterwards.

    What was seen bounds what may be laid: a card of a strange pack, or a card too few, is known before the first of 52
    is laid. The chips that are left at the end are the spare cards; they are in no pack until one replaces a card.
    """

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        super().__init__(packs, wanted, by)
        self._seen: set[bytes] = set()
        self._gathering = True

    @property
    def _chips(self) -> int:
        return self.cards + self.wanted.spares

    def take_back(self) -> None:
        if not self._gathering:
            super().take_back()
            return
        if not self._seen:
            raise PackError("no chip has been seen yet: there is none to take back")
        self._seen.clear()
        self._heard = self._place = self._pack = None

    def put_in_order(self) -> None:
        if not self._gathering:
            super().put_in_order()
        few, many = self._chips - len(self._seen), len(self._seen) - self._chips
        if few > 0:
            raise PackError(f"{few} of {self._chips} chips have not been seen: lay every card of the pack on a reader")
        if many > 0:
            raise PackError(f"{many} chips too many were seen: take the strange cards out, and let all be seen anew")
        self._gathering = False
        self._heard = self._place = self._pack = None

    def facts(self) -> WorkFacts:
        facts = super().facts()
        if not self._gathering:
            return facts
        return replace(facts, laid=len(self._seen), cards=self._chips, next=None, gathering=True)

    def pack(self) -> Pack:
        if self._gathering:
            raise PackError(f"{len(self._seen)} chips were seen, and none was laid in order: nothing is kept")
        return super().pack()

    def _take(self, number: bytes, t: float) -> ChipHeard:
        if not self._gathering:
            stranger = number not in self._seen and not self._is_of_another(number)
            return ChipHeard.NOT_SEEN if stranger else super()._take(number, t)
        if self._is_of_another(number):
            return ChipHeard.OF_PACK
        if number in self._seen:
            return ChipHeard.AGAIN
        if len(self._seen) < 2 * self._chips:  # whatever a reader tells, no more is kept
            self._seen.add(number)
        return ChipHeard.TAKEN if len(self._seen) <= self._chips else ChipHeard.TOO_MANY


class Replacing(_InOrder):
    """The spare card for one that is lost or worn."""

    work = PackWork.REPLACE

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        """Raises PackError where there is no such pack or card."""
        super().__init__(packs, wanted, by)
        packs.check_card(wanted.name, wanted.card)
        self.order = (wanted.card,)

    def kept(self, packs: PackList) -> PackList:
        if not self._numbers:
            raise PackError("the spare card is not laid yet: lay it alone")
        return packs.with_card(self.wanted.name, self.wanted.card, self._numbers[0])


class Checking(Laying):
    """A pack that is known, held against what is laid."""

    work = PackWork.CHECK

    def __init__(self, packs: PackList, wanted: PackWanted, by: str) -> None:
        """Raises PackError where there is no such pack."""
        super().__init__(packs, wanted, by)
        self._pack_laid = packs.named(wanted.name)
        self._foreign: dict[bytes, str | None] = {}
        self._came: float | None = None
        self._in_turn = True
        """Whether each card came alone: else nobody knows in which order they lie."""

    @property
    def cards(self) -> int:
        return len(self._pack_laid.cards)

    def changed(self, packs: PackList) -> None:
        super().changed(packs)
        self._pack_laid = packs.named(self.wanted.name)

    def kept(self, packs: PackList) -> PackList:
        return packs

    def facts(self) -> WorkFacts:
        of_packs = Counter(name for name in self._foreign.values() if name is not None)
        unknown = sum(name is None for name in self._foreign.values())
        missing = self._missing() if self.cards - len(self._numbers) <= MISSING_MOST else None
        return WorkFacts(
            self.work, self.wanted.name, self.by, len(self._numbers), self.cards, None, self._heard,
            self._place, self._pack, dict(of_packs), unknown, missing, self._misplaced(),
        )  # fmt: skip

    def _misplaced(self) -> tuple[str, ...]:
        if self._foreign or not self._in_turn or len(self._numbers) < self.cards:
            return ()
        return misplaced([self._pack_laid.cards[number] for number in self._numbers])

    def _missing(self) -> tuple[str, ...]:
        return tuple(card for number, card in self._pack_laid.cards.items() if number not in self._numbers)

    def _take(self, number: bytes, t: float) -> ChipHeard:
        if number in self._pack_laid.cards:
            self._in_turn = self._in_turn and (self._came is None or t - self._came >= AT_ONCE)
            self._came = t
            self._numbers.append(number)
            return ChipHeard.TAKEN
        other = self._is_of_another(number)
        self._foreign[number] = self._pack
        return ChipHeard.OF_PACK if other else ChipHeard.UNKNOWN


def laying_for(packs: PackList, wanted: PackWanted, by: str) -> Laying:
    """Begin to lay cards. Raises PackError where that makes no sense."""
    kinds: dict[PackWork, type[Laying]] = {
        PackWork.ENROL: Enrolling,
        PackWork.CHECK: Checking,
        PackWork.REPLACE: Replacing,
    }
    kind = EnrollingWhole if wanted.whole and wanted.work is PackWork.ENROL else kinds[wanted.work]
    return kind(packs, wanted, by)
