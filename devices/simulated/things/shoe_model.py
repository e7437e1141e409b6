"""The simulated shoe: packs of individual cards, with every fault that they can have."""

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from devices.simulated.chance import seeded
from devices.simulated.errors import OrderRefused
from devices.simulated.things.chips import chip_of
from devices.simulated.things.models import DeviceModel, known_cards
from devices.simulated.things.orders import Carried, optional_text, text_of, without_nulls
from devices.simulated.things.pack import FULL_PACK
from table_fsm.felt import CARDS, FaultKind

STOPPING: Final = frozenset(
    {
        FaultKind.JAM,
        FaultKind.MISFEED,
        FaultKind.DOUBLE_FEED,
        FaultKind.POWER,
        FaultKind.MOTOR,
        FaultKind.CARDS_DAMAGED,
        FaultKind.SHUFFLE_FAILED,
        FaultKind.LID_OPEN,
    }
)
"""Faults with which no card comes out."""


class ShoeModel(DeviceModel):
    """A shoe with one or more decks, one of them in it.

    The seed and the number of the shuffle decide it.
    """

    role: ClassVar[str] = "shoe"

    def __init__(
        self,
        decks: tuple[str, ...] = ("blue",),
        seed: int = 0,
        *,
        counts: bool = True,
        pack: tuple[str, ...] = FULL_PACK,
        chips: bool = False,
    ) -> None:
        """`chips`: it tells a card by its chip's number; of a check it tells the count alone, as it has no list."""
        self._chips = chips
        self._whole = pack
        self._packs: dict[str, list[str]] = {deck: list(pack) for deck in decks}
        self._seed = seed
        self._counts = counts
        self._shuffles = 0
        self._deck: str | None = None
        self._stub: list[str] = []  # the next card is last
        self._boxed = False  # the next card lies face up
        self._faults: list[tuple[str, str | None]] = []
        self._locked = True

    def _carry_out(self, do: str, order: Mapping[str, Any]) -> Carried:
        match do:
            case "shuffle":
                return self._shuffle(order)
            case "deal":
                return self._deal()
            case "check":
                return self._check(order)
            case "change_deck":
                deck = self._named(order)
                self._packs[deck] = list(self._whole)
                self._forget(deck)
                return Carried(({"ev": "deck_changed", "deck": deck},))
            case "reshuffle":
                return self._reshuffle(order)
            case "expose_top":
                return Carried(({"ev": "exposed", "card": self._chip(self._top()), "by": "dealer"},))
            case "fault":
                return self._fault(order)
            case "clear":
                return self._clear(order)
            case "box_card" | "lose_card" | "swap_card" | "add_foreign":
                return self._tamper(do, order)
        raise self._unknown(do)

    def _named(self, order: Mapping[str, Any]) -> str:
        if order.get("deck") is None:
            return self._deck or next(iter(self._packs))
        return text_of(order, "deck", self._packs.keys())

    def _chance(self) -> random.Random:
        self._shuffles += 1
        return seeded(self._seed, self._shuffles)

    def _shuffle(self, order: Mapping[str, Any]) -> Carried:
        """Put every card of this deck back and shuffle: the caller has collected them."""
        self._refuse_if_stopped()
        self._deck = self._named(order)
        self._stub = list(self._packs[self._deck])
        self._chance().shuffle(self._stub)
        self._boxed = False
        count = len(self._stub) if self._counts else None
        return Carried((without_nulls(ev="shuffled", deck=self._deck, count=count),), {"deck": self._deck})

    def _deal(self) -> Carried:
        if self._locked:
            raise OrderRefused("the shoe's gate is locked")
        self._refuse_if_stopped()
        card, face = self._top(), "up" if self._boxed else "down"
        self._stub.pop()
        self._boxed = False
        body = {"ev": "card_out", "card": self._chip(card), "face": face, "deck": self._deck}
        return Carried((body,), {"card": card, "face": face, "deck": self._deck})

    def _top(self) -> str:
        if self._deck is None or not self._stub:
            raise OrderRefused("the shoe is empty: shuffle first")
        return self._stub[-1]

    def _refuse_if_stopped(self) -> None:
        kinds = [kind for kind, deck in self._faults if kind in STOPPING and deck in (None, self._deck)]
        if kinds:
            raise OrderRefused(f"the shoe has a fault: {', '.join(kinds)}")

    def _check(self, order: Mapping[str, Any]) -> Carried:
        deck = self._named(order)
        there, whole = Counter(self._packs[deck]), Counter(self._whole)
        missing, over = whole - there, there - whole
        self._forget(deck)
        body = {"ev": "deck_checked", "deck": deck, "count": there.total()}
        if not self._chips:
            body["missing"] = sorted(missing.elements())
            body["foreign"] = sorted(card for card in over.elements() if card not in whole)
            body["duplicate"] = sorted(card for card in over.elements() if card in whole)
        return Carried((body,), {"whole": not missing and not over})

    def _chip(self, card: str) -> str:
        return chip_of(card, self._deck or "") if self._chips else card

    def _forget(self, deck: str) -> None:
        if deck == self._deck:
            self._deck, self._stub, self._boxed = None, [], False

    def _reshuffle(self, order: Mapping[str, Any]) -> Carried:
        """Put cards back into the undealt ones and shuffle those."""
        if self._deck is None:
            raise OrderRefused("there are no undealt cards: shuffle first")
        self._stub += known_cards(order, "cards", CARDS)
        self._chance().shuffle(self._stub)
        count = len(self._stub) if self._counts else None
        return Carried((without_nulls(ev="stub_shuffled", count=count),))

    def _fault(self, order: Mapping[str, Any]) -> Carried:
        fault = (text_of(order, "kind", tuple(FaultKind)), optional_text(order, "deck"))
        if fault in self._faults:
            return Carried()
        self._faults.append(fault)
        return Carried((without_nulls(ev="fault", kind=fault[0], deck=fault[1]),))

    def _clear(self, order: Mapping[str, Any]) -> Carried:
        """Clear one kind of fault, or every one."""
        kind = optional_text(order, "kind")
        gone = [fault for fault in self._faults if kind in (None, fault[0])]
        self._faults = [fault for fault in self._faults if fault not in gone]
        return Carried(tuple(without_nulls(ev="cleared", kind=fault[0], deck=fault[1]) for fault in gone))

    def _tamper(self, do: str, order: Mapping[str, Any]) -> Carried:
        """Change the pack without any report."""
        deck = self._named(order)
        pack = self._packs[deck]
        chance = self._chance()
        match do:
            case "box_card":
                self._boxed = True
            case "lose_card":
                self._replace(deck, chance.choice(pack), None)
            case "swap_card":  # the count stays right: one card is missing, another is there twice
                lost, doubled = chance.sample(pack, 2)
                self._replace(deck, lost, doubled)
            case "add_foreign":
                self._replace(deck, None, "Jo")
        return Carried()

    def _replace(self, deck: str, old: str | None, new: str | None) -> None:
        for cards in (self._packs[deck], self._stub if deck == self._deck else []):
            if old is None:
                cards.extend([new] if new is not None else [])
            elif old in cards:
                index = cards.index(old)
                cards[index : index + 1] = [new] if new is not None else []

    def state(self) -> dict[str, Any]:
        faults = [without_nulls(kind=kind, deck=deck) for kind, deck in self._faults]
        return {"locked": self._locked, "faults": faults, "deck": self._deck, "undealt": len(self._stub)}

    def post(self, name: str, args: Mapping[str, Any]) -> None:
        if name == "gate" and isinstance(args.get("locked"), bool):
            self._locked = args["locked"]

    def memory(self) -> dict[str, Any]:
        return {
            "packs": {deck: list(cards) for deck, cards in self._packs.items()},
            "shuffles": self._shuffles,
            "deck": self._deck,
            "stub": list(self._stub),
            "boxed": self._boxed,
            "faults": [list(fault) for fault in self._faults],
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._packs = {deck: list(cards) for deck, cards in memory["packs"].items()}
        self._shuffles = memory["shuffles"]
        self._deck = memory["deck"]
        self._stub = list(memory["stub"])
        self._boxed = memory["boxed"]
        self._faults = [(kind, deck) for kind, deck in memory["faults"]]
