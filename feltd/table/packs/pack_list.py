"""The packs of a table: which chip is which card. Pure.

A chip's number tells a card as surely as its name does. No message here has one, nor says of which card it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from devices.adapters.chip_numbers import PackFault, bits_apart, sticker_mark
from feltd.door.packs import PackState
from feltd.text.errors import FeltdError
from table_fsm.felt import DECK_SIZES, JOKER, RANKS, full_deck

NAME_MOST: Final = 40
"""Characters of a pack's name."""
_SUITS: Final = "shdc"
_ORDER: Final = ("A", *RANKS[:-1])
MISSING_MOST: Final = 4
"""Missing cards are named where they are so few. While most of a pack is not laid, each card that comes would be named
by what is missing no more: a way to read a card that lies face down."""


class PackError(FeltdError):
    """What cannot be done with a pack, why, and what to do."""


def laying_order(cards: int, *, joker: bool = False) -> tuple[str, ...]:
    """The cards of a pack in the order in which they are laid down to be enrolled: suit by suit, from the ace up.

    Raises PackError for a size that no pack has.
    """
    if cards not in DECK_SIZES:
        raise PackError(f"no pack has {cards} cards: choose one of {', '.join(map(str, DECK_SIZES))}")
    there = full_deck(cards)
    laid = tuple(rank + suit for suit in _SUITS for rank in _ORDER if rank + suit in there)
    return (*laid, JOKER) if joker else laid


@dataclass(frozen=True, slots=True)
class Pack:
    """One pack. `back`: what people call it by; `cards`: the card of each chip's number."""

    name: str
    back: str
    cards: Mapping[bytes, str] = field(repr=False)
    state: PackState = PackState.IN_USE


@dataclass(frozen=True, slots=True)
class Look:
    """What lies on a reader, beside what a pack should have. Counts, and the names of cards that are not there."""

    found: int
    missing: tuple[str, ...]
    twice: int
    of_others: Mapping[str, int]
    unknown: int
    misplaced: tuple[str, ...] = ()
    """Of a whole pack that was laid in the order of enrolment but for a few cards: the cards that lie elsewhere."""

    @property
    def is_whole(self) -> bool:
        """Whether every card of the pack lies there once, and nothing else does."""
        return not (self.missing or self.twice or self.of_others or self.unknown)


def pack_of(name: str, back: str, numbers: Sequence[bytes], order: Sequence[str]) -> Pack:
    """Make a pack from the chips' numbers, laid down in this order. Raises PackError."""
    _check_names(name, back)
    first: dict[bytes, int] = {}
    for place, number in enumerate(numbers, 1):
        if number in first:
            raise PackError(
                f"the chip of card {place} was laid already, as card {first[number]}: lay each card once, one by one"
            )
        first[number] = place
    if len(numbers) != len(order):
        raise PackError(f"{len(numbers)} chips of {len(order)} cards: nothing is kept. Lay the whole pack")
    return Pack(name, back, MappingProxyType(dict(zip(numbers, order, strict=True))))


def _check_names(name: str, back: str) -> None:
    for what, said in (("name", name), ("back", back)):
        if not said.strip() or len(said) > NAME_MOST or not said.isprintable():
            raise PackError(f"the pack's {what} must be one to {NAME_MOST} printable characters")


def _remedy(holder: Pack) -> str:
    if holder.state is PackState.RETIRED:
        return "it is retired; enrol it anew by that name"
    return "two packs are mixed"


def misplaced(laid: Sequence[str]) -> tuple[str, ...]:
    """The cards of a whole pack that do not lie in the order of laying; none where it was not laid in that order."""
    places = {card: place for place, card in enumerate(laying_order(max(DECK_SIZES), joker=True))}
    order = sorted(laid, key=places.__getitem__)
    wrong = tuple(card for card, there in zip(order, laid, strict=True) if card != there)
    return wrong if 2 * len(wrong) < len(laid) else ()


@dataclass(frozen=True, slots=True)
class PackList:
    """All packs of a table. Each change gives another list."""

    packs: tuple[Pack, ...] = ()

    def card_of(self, uid: bytes) -> str | PackFault:
        """The card of a chip, or why it is none of a pack in use."""
        pack = self.holder(uid)
        if pack is None:
            return PackFault.UNKNOWN
        if pack.state is PackState.IN_USE:
            return pack.cards[uid]
        return PackFault.OTHER_PACK if pack.state is PackState.RESTING else PackFault.RETIRED

    def pack_of(self, uid: bytes) -> str | None:
        """The name of the pack in use that a chip is of, where several are in use; else None."""
        in_use = [pack for pack in self.packs if pack.state is PackState.IN_USE]
        return next((pack.name for pack in in_use if uid in pack.cards), None) if len(in_use) > 1 else None

    def has_near(self, number: bytes, bits: int) -> bool:
        """Whether another card of a pack in use has a number that so few wrong bits, or fewer, make of this one."""
        in_use = (known for pack in self.packs if pack.state is PackState.IN_USE for known in pack.cards)
        return any(
            known != number and (apart := bits_apart(known, number)) is not None and apart <= bits for known in in_use
        )

    def has_mark(self, mark: bytes) -> bool:
        """Whether a card of any pack has this mark of a sticker."""
        return any(sticker_mark(number) == mark for pack in self.packs for number in pack.cards)

    def named(self, name: str) -> Pack:
        """The pack of this name. Raises PackError."""
        for pack in self.packs:
            if pack.name == name:
                return pack
        there = ", ".join(pack.name for pack in self.packs) or "none"
        raise PackError(f'there is no pack "{name}"; there are: {there}')

    def check_new(self, name: str, back: str) -> None:
        """Raise PackError where no new pack can have this name and back."""
        _check_names(name, back)
        if any(known.name == name and known.state is not PackState.RETIRED for known in self.packs):
            raise PackError(
                f'there is a pack "{name}" already: choose another name, or retire it and then enrol it anew'
            )

    def check_card(self, name: str, card: str) -> None:
        """Raise PackError where there is no such pack, or it has no such card."""
        if card not in self.named(name).cards.values():
            raise PackError(f'the pack "{name}" has no card "{card}"')

    def with_pack(self, pack: Pack) -> "PackList":
        """The list with a new pack, in place of a retired one of its name. Raises PackError."""
        self.check_new(pack.name, pack.back)
        others = PackList(tuple(known for known in self.packs if known.name != pack.name))
        for place, number in enumerate(pack.cards, 1):
            holder = others.holder(number)
            if holder is not None:
                raise PackError(f'the chip of card {place} belongs to the pack "{holder.name}": {_remedy(holder)}')
        return PackList((*others.packs, pack))

    def with_card(self, name: str, card: str, number: bytes) -> "PackList":
        """The list with another chip for one card of a pack. Raises PackError."""
        self.check_card(name, card)
        pack, holder = self.named(name), self.holder(number)
        if holder is not None:
            raise PackError(f'this chip belongs to the pack "{holder.name}" already: take a spare card that is new')
        cards = {known: one for known, one in pack.cards.items() if one != card}
        return self._with(replace(pack, cards=MappingProxyType(cards | {number: card})))

    def with_swap(self, name: str, one: str, other: str) -> "PackList":
        """The list with the chips of two cards of a pack exchanged. Raises PackError."""
        self.check_card(name, one)
        self.check_card(name, other)
        pack, swapped = self.named(name), {one: other, other: one}
        cards = {number: swapped.get(card, card) for number, card in pack.cards.items()}
        return self._with(replace(pack, cards=MappingProxyType(cards)))

    def with_state(self, name: str, state: PackState) -> "PackList":
        """The list with a pack in another state. Raises PackError; a retired pack stays retired."""
        pack = self.named(name)
        if pack.state is PackState.RETIRED and state is not PackState.RETIRED:
            raise PackError(f'the pack "{name}" is retired, and comes into play no more')
        return self._with(replace(pack, state=state))

    def look(self, name: str, numbers: Sequence[bytes]) -> Look:
        """Hold what lies on a reader against a pack. Raises PackError where there is no such pack."""
        pack, counted = self.named(name), Counter(numbers)
        others: Counter[str] = Counter()
        unknown = 0
        for number in counted:
            holder = self.holder(number)
            if holder is None:
                unknown += 1
            elif holder is not pack:
                others[holder.name] += 1
        missing = tuple(card for number, card in pack.cards.items() if number not in counted)
        twice = sum(times - 1 for times in counted.values())
        look = Look(len(pack.cards) - len(missing), missing, twice, dict(others), unknown)
        return replace(look, misplaced=misplaced([pack.cards[number] for number in numbers])) if look.is_whole else look

    def holder(self, number: bytes) -> Pack | None:
        """The pack that has this chip."""
        return next((pack for pack in self.packs if number in pack.cards), None)

    def _with(self, changed: Pack) -> "PackList":
        return PackList(tuple(changed if pack.name == changed.name else pack for pack in self.packs))
