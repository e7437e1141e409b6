"""Card readers: the cards in their zones, which way up, and who touched them.

A reader reports its own zones only. Whether a placed card is the one that the shoe dealt is decided by the table's card
tracker, which sees readers and shoe in one order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field, with_config

from devices.drivers.base import SETTINGS, Command, Driver, Reading
from devices.drivers.fields import PLACE_REMEDY, Fields
from devices.drivers.places import DeckNames, serves_deck
from devices.drivers.trials import TrialKind
from devices.errors import DeviceMessageError
from devices.limits import ZONE_CARDS_MAX
from table_fsm.events import (
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    Event,
    HandEnd,
    HandLooked,
    ShoeShuffled,
    TableClose,
    TableOpen,
)
from table_fsm.felt import BETWEEN_ROUNDS, CARRIERS, EXPOSERS, IN_PLAY, SEAT_OF, ZONES, Phase

COLLECTING: Final[frozenset[Phase]] = frozenset((*BETWEEN_ROUNDS, "closed"))
"""Phases with no card in play: a card that leaves a zone is being collected."""

_LIE_DOWN: Final = frozenset((*SEAT_OF, "burn", "muck", "shoe"))
"""Zones whose cards nobody may see: a reader that knows no side can only be set wrongly where it says `up` there."""
_FACES_REMEDY: Final = (
    "say faces = false in its settings and in [table.options]: then the dealer keys each hand that lies open "
    "(docs/build.md)"
)
_SIDE_REMEDY: Final = (
    "set this zone's side to down at the reader, or let the settings in the table's configuration say faces = true "
    "if the reader does know which side is up"
)


def a_zone(zone: str) -> str:
    """The zone itself; raises ValueError with the zones that there are."""
    if zone not in ZONES:
        raise ValueError(
            "a zone is seat:1 … seat:10, dealer, board:1 … board:5, board2:1 … board2:5, burn, muck, race:1 …, shoe"
        )
    return zone


ZoneNames = Annotated[tuple[Annotated[str, AfterValidator(a_zone)], ...], Field(min_length=1)]


@with_config(SETTINGS)
@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSettings:
    """The places that the reader watches.

    `zones`: its zones. `decks`: the deck colours that it may name; if empty, any. `look`: it senses a player who lifts
    cards in the seats' zones. `faces`: it knows which side of a card is up; else each zone has one side, nothing is
    told as turned or seen, and no card of a hand, the burns or the discards lies open because the reader says so.
    """

    zones: ZoneNames
    decks: DeckNames = ()
    look: bool = True
    faces: bool = True


@dataclass(slots=True)
class _Lying:
    """A card as the table knows it. `card`: None if it has not been read."""

    card: str | None
    face: str


class ReaderDriver(Driver[ReaderSettings]):
    """A card reader's driver. State: the cards in its zones."""

    role: ClassVar[str] = "reader"
    settings_type = ReaderSettings

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, settings)
        self._zones = frozenset(self.settings.zones)
        self._lying: dict[str, list[_Lying]] = {zone: [] for zone in self.settings.zones}
        self._collecting = True
        self._knows_sides = self.settings.faces
        self._doubts: dict[str, DeviceMessageError] = {}

    def _events_read(self) -> Mapping[str, Reading]:
        readings: dict[str, Reading] = {
            "placed": self._placed,
            "removed": lambda read, t: CardRemoved(t=t, zone=self._zone(read), card=read.card("card")),
            "left_table": self._left_table,
        }
        if self.settings.faces:
            readings |= {"turned": self._turned, "exposed": self._exposed}
        if self.settings.look:
            readings["looked"] = self._looked
        if "muck" in self.settings.zones:
            readings["mucked"] = self._mucked
        return readings

    @property
    def trials(self) -> tuple[TrialKind, ...]:
        return (TrialKind.LISTEN,)

    @property
    def watches(self) -> tuple[str, ...]:
        return self.settings.zones

    def _zone(self, read: Fields) -> str:
        return read.zone("zone", self._zones)

    def _placed(self, read: Fields, t: float) -> Event:
        deck = serves_deck(read, self.settings.decks)
        zone = self._zone(read)
        return CardPlaced(t=t, zone=zone, card=read.card("card"), face=self._side(read, zone), deck=deck)

    def _mucked(self, read: Fields, t: float) -> Event:
        deck = serves_deck(read, self.settings.decks)
        return CardPlaced(t=t, zone="muck", card=read.card("card"), face=self._side(read, "muck"), deck=deck)

    def _side(self, read: Fields, zone: str) -> str:
        """The side of a card in a zone. Where the reader knows none, its word opens no card that must lie face down."""
        face = read.face("face")
        if self._knows_sides or face == "down" or zone not in _LIE_DOWN:
            return face
        words = f"the reader knows no side of a card (faces = false) and says up in {zone}: taken for face down"
        self._doubts[zone] = read.fault("face", words, _SIDE_REMEDY)
        return "down"

    def doubts(self) -> list[DeviceMessageError]:
        found, self._doubts = list(self._doubts.values()), {}
        return found

    def _turned(self, read: Fields, t: float) -> Event:
        return CardTurned(t=t, zone=self._zone(read), card=read.card("card"), face=read.face("face"))

    def _exposed(self, read: Fields, t: float) -> Event:
        by = read.choice("by", EXPOSERS)
        return CardExposed(t=t, zone=self._zone(read), card=read.card("card"), by=by)

    def _left_table(self, read: Fields, t: float) -> Event:
        zone = read.optional("zone", lambda key: read.zone(key, self._zones))
        return CardLeftTable(t=t, zone=zone, card=read.card("card"), by=read.choice("by", CARRIERS))

    def _looked(self, read: Fields, t: float) -> Event:
        zone = self._zone(read)
        if not zone.startswith("seat:"):
            raise read.fault("zone", f"a player looks at cards in a seat's zone, and {zone} is none", PLACE_REMEDY)
        return HandLooked(t=t, seat=int(zone.removeprefix("seat:")))

    def _compare(self, read: Fields, t: float) -> list[Event]:
        zones = read.map_at("zones")
        read.yes_no("collecting")
        self._take_sides(read)
        there = Fields(self.name, "state", zones)
        present = {zone: self._cards_in_state(there, zone) for zone in self._lying}
        there.done()
        if self._collecting:
            return []  # between rounds, cards that lie uncollected are no placement
        found = [event for zone, cards in present.items() for event in _differences(zone, self._lying[zone], cards, t)]
        return [event for event in found if self._knows_sides or not isinstance(event, CardTurned)]

    def _take_sides(self, read: Fields) -> None:
        """Take the reader's own word that it knows no side of a card. It never takes away what the settings say."""
        told = read.optional("faces", read.yes_no)
        self._knows_sides = self.settings.faces and told is not False
        if self.settings.faces and not self._knows_sides and any(zone in SEAT_OF for zone in self.settings.zones):
            words = "the reader knows no side of a card, and its settings in the table's configuration say that it does"
            self._doubts["faces"] = read.fault("faces", words, _FACES_REMEDY)

    def _cards_in_state(self, there: Fields, zone: str) -> list[_Lying]:
        return [self._card_in_state(zone, entry) for entry in there.array(zone, ZONE_CARDS_MAX)]

    def _card_in_state(self, zone: str, entry: object) -> _Lying:
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            nothing = Fields(self.name, "state", {})
            raise nothing.fault(zone, "each card there is an array of two: its name or null, and its face")
        card = Fields(self.name, "state", {"card": entry[0], "face": entry[1]})
        return _Lying(card.card("card"), self._side(card, zone))

    def observe(self, event: Event) -> None:
        match event:
            case CardPlaced(zone=zone) if zone in self._lying:
                self._collecting = False
                self._lying[zone].append(_Lying(event.card, event.face))
            case CardTurned(zone=zone) if zone in self._lying:
                self._turn(zone, event.card, event.face)
            case CardRemoved(zone=zone) if zone in self._lying:
                self._take(zone, event.card)
            case CardLeftTable(zone=str(zone)) if zone in self._lying:
                self._take(zone, event.card)
            case HandEnd() | ShoeShuffled() | TableOpen() | TableClose():
                self._collecting = True
                for lying in self._lying.values():
                    lying.clear()
            case _:
                pass

    def _turn(self, zone: str, card: str | None, face: str) -> None:
        lying = self._lying[zone]
        known = [entry for entry in lying if card is not None and entry.card == card]
        unread = [entry for entry in lying if entry.card is None or card is None]
        for entry in (known or [entry for entry in unread if entry.face != face] or unread)[:1]:
            entry.face = face
            entry.card = entry.card or card

    def _take(self, zone: str, card: str | None) -> None:
        lying = self._lying[zone]
        for wanted in (card, None):
            for entry in lying:
                if entry.card == wanted:
                    lying.remove(entry)
                    return
        if card is None and lying:
            lying.pop()

    def commands(self, output: Mapping[str, Any]) -> list[Command]:
        prompt = output.get("prompt")
        if isinstance(prompt, Mapping) and prompt.get("collect") is True:
            return [("collect", {"on": True})]
        phase = output.get("phase")
        if phase is None:
            return []
        if not isinstance(phase, str):
            raise self.bad_output("phase", "it must be a text")
        if phase not in COLLECTING | IN_PLAY:
            return []  # `halted` and `settling` change nothing
        return [("collect", {"on": phase in COLLECTING})]


def _differences(zone: str, known: list[_Lying], present: list[_Lying], t: float) -> list[Event]:
    """The events that lead from the known cards of a zone to the cards found."""
    pairs, gone, come = _paired(known, present)
    turned = [(now.card or before.card, now.face) for before, now in pairs if before.face != now.face]
    return [
        *(CardRemoved(t=t, zone=zone, card=entry.card) for entry in gone),
        *(CardTurned(t=t, zone=zone, card=card, face=face) for card, face in turned),
        *(CardPlaced(t=t, zone=zone, card=entry.card, face=entry.face) for entry in come),
    ]


def _paired(
    known: list[_Lying], present: list[_Lying]
) -> tuple[list[tuple[_Lying, _Lying]], list[_Lying], list[_Lying]]:
    """Match known and found cards; the rest is (gone, come).

    Named cards are matched by name first, then an unread card with any that is left, the same face preferred.
    """
    before, now = list(known), list(present)
    pairs: list[tuple[_Lying, _Lying]] = []
    for fits in (_same_card_and_face, _same_card, _unread_same_face, _unread):
        for entry in list(before):
            other = next((candidate for candidate in now if fits(entry, candidate)), None)
            if other is not None:
                pairs.append((entry, other))
                before = [each for each in before if each is not entry]
                now = [each for each in now if each is not other]
    return pairs, before, now


def _same_card_and_face(known: _Lying, other: _Lying) -> bool:
    return known.card is not None and known.card == other.card and known.face == other.face


def _same_card(known: _Lying, other: _Lying) -> bool:
    return known.card is not None and known.card == other.card


def _unread_same_face(known: _Lying, other: _Lying) -> bool:
    return _unread(known, other) and known.face == other.face


def _unread(known: _Lying, other: _Lying) -> bool:
    return known.card is None or other.card is None
