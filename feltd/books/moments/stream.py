"""A stream under way: a table, the events it has had, and what it ruled."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from feltd.books.moments.layout import Deed, Layout
from feltd.books.moments.setting import Setting, shuffled
from table_fsm.events import BY_NAME
from table_fsm.felt import Built
from table_fsm.outputs import Output, Refusal, Ruling
from table_fsm.rulebook import Rulebook
from table_fsm.table import FAULT_OF_OURS, Table

STEP: Final = 0.5
"""Seconds from one event to the next."""
_READ_IN_SHOE: Final = frozenset({"shoe.card", "shoe.shuffled", "shoe.deck_checked"})
"""What the shoe tells of its cards; that it is out of order is known without it."""
_READ_DOWN: Final = frozenset({"card.placed", "card.removed", "card.exposed"})
_AT_A_ZONE: Final = _READ_DOWN | {"card.turned", "card.left_table"}


@dataclass(frozen=True, slots=True)
class Told:
    """A ruling or a refusal, and the number of the event that brought it."""

    at: int
    ruling: Ruling | None
    refusal: str | None = None

    @property
    def is_ours(self) -> bool:
        """Whether the controller itself has failed."""
        return self.refusal is not None and self.refusal.startswith(FAULT_OF_OURS)


@dataclass(slots=True)
class Stream:
    """A table played by deeds. `deeds`: those that the table was told, as it was; `told`: what it ruled and refused."""

    setting: Setting
    table: Table
    books: Mapping[str, Rulebook]
    layout: Layout = field(default_factory=Layout)
    done: list[Deed] = field(default_factory=list)
    """What happened, each card by its true name."""
    deeds: list[Deed] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    t: float = 0.0
    shuffles: int = 0
    shuffled_last: str | None = None
    shoe_answers: bool = True

    @classmethod
    def on(cls, setting: Setting, books: Mapping[str, Rulebook]) -> "Stream":
        """A table that is not open yet."""
        return cls(setting, Table(books), books)

    @classmethod
    def after(cls, setting: Setting, books: Mapping[str, Rulebook], done: Sequence[Deed]) -> "Stream":
        """A table of its own on which all this has happened."""
        stream = cls.on(setting, books)
        stream.all(done)
        return stream

    def twin(self) -> "Stream":
        """A table of its own on which the same has happened."""
        return Stream.after(self.setting, self.books, self.done)

    @property
    def prompt(self) -> dict[str, Any] | None:
        """What the table asks the dealer to do."""
        asked = self.table.prompt()
        return None if asked is None else dict(asked.to_json())

    @property
    def rulings(self) -> list[Ruling]:
        """All rulings so far."""
        return [told.ruling for told in self.told if told.ruling is not None]

    def do(self, ev: str, **fields: Any) -> list[Output]:
        """One event: the layout follows it, and the table gets what its devices can see of it."""
        deed = {"ev": ev, **fields}
        if ev == "shoe.shuffled":
            self.shuffles += 1
            self.shuffled_last = fields.get("deck")
            salt = f"{self.setting.book.id}{self.setting.salt} {self.shuffles}"
            self.layout.fresh(shuffled(self.setting.deck, salt))
        if ev == "device.state" and fields.get("device") == "shoe":
            self.shoe_answers = bool(fields["online"])
        self.done.append(deed)
        self.layout.note(deed)
        if not self._is_told(deed):
            return []
        return self.apply(self._as_read(deed))

    def all(self, deeds: Iterable[Deed]) -> None:
        """Several events."""
        for deed in deeds:
            self.do(**deed)

    def apply(self, deed: Deed) -> list[Output]:
        """Give the table an event as it is."""
        self.t += float(deed.get("after", STEP))
        self.deeds.append(deed)
        fields = {name: value for name, value in deed.items() if name not in ("ev", "after")}
        outputs = self.table.apply(BY_NAME[deed["ev"]](t=self.t, **fields))
        for output in outputs:
            if isinstance(output.value, Ruling):
                self.told.append(Told(len(self.deeds) - 1, output.value))
            elif isinstance(output.value, Refusal):
                self.told.append(Told(len(self.deeds) - 1, None, output.value.reason))
        return outputs

    def _is_told(self, deed: Deed) -> bool:
        """Whether the table has the device that tells the event."""
        if deed["ev"] in _READ_IN_SHOE and not self.shoe_answers:
            return False
        if deed["ev"] == "shoe.card":
            return self.setting.has_shoe
        if deed["ev"] in _AT_A_ZONE and deed.get("zone") not in self.setting.sees:
            return False
        return self.setting.keys or deed["ev"] != "action"

    def _as_read(self, deed: Deed) -> Deed:
        """The event with the names that its device cannot read left out; the table is opened as it is built."""
        if deed["ev"] == "table.open" and self.setting.built is not Built.FULL:
            return {**deed, "options": {**deed["options"], "built": self.setting.built.value}}
        if deed["ev"] == "shoe.card" and not self.setting.shoe_names and deed.get("face") != "up":
            return {**deed, "card": None}
        unread = deed["ev"] in _READ_DOWN and deed.get("face", "down") == "down" and not self.setting.names
        return {**deed, "card": None} if unread else deed

    # -- the deeds of a dealer

    def card(self, zone: str, face: str = "down", card: str | None = None) -> None:
        """A card out of the shoe to a zone: the top one, or `card`."""
        name = card or self.layout.draw()
        if name is None:
            return
        deck = self.deck
        self.do("shoe.card", card=name, face="down", deck=deck)
        self.do("card.placed", zone=zone, card=name, face=face, deck=deck)

    def turn(self, zone: str) -> None:
        """Every card of a zone that lies face down is turned up."""
        for name in self.layout.down(zone):
            self.do("card.turned", zone=zone, card=name, face="up")

    @property
    def deck(self) -> str:
        """The colour of the pack in play: the one that was shuffled last."""
        return self.shuffled_last or self.setting.packs[0]
