"""Cards that a reader or shoe tells by their chips' numbers: the host says which card each is.

MESSAGES.md allows a byte string where a card's name stands: the number of its chip. The list of packs stays at the host
(docs/packs.md); what goes on to the drivers has names, and no number goes into a text.

A chip is one thing, so it lies in one place. Two readers, or two zones of one, that tell the same number at once are
told of: one of the two is a copy, or an antenna sees what lies beside it.

A copy that lies in the same place never gives itself away so; it does by how it moves. No hand takes a card up and lays
it to rest elsewhere within `QUICKEST`, and no card comes out of the shoe that lies on the table. These are told, and
the event goes on to the table: a controller that was late may have stamped two events at once.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from devices.adapters.chip_numbers import SIZES, PackFault, Packs, card_in
from devices.errors import DeviceMessageError
from table_fsm.events import CardPlaced, Event, HandEnd, ShoeShuffled, TableClose, TableOpen

QUICKEST: Final = 0.2
"""Seconds between two places where a chip comes to rest: a hand needs half a second at least, and a reader tells a card
within three tenths of one."""
_MOUTH: Final = "the shoe's mouth"
_GONE: Final = frozenset({"removed", "left_table"})
_LYING: Final = frozenset({"turned", "exposed"})
_COME: Final = frozenset({"placed", "mucked"})
_MUCK: Final = "muck"
_ROUND_OVER: Final = (HandEnd, ShoeShuffled, TableOpen, TableClose)
_FIRMWARE: Final = "update the device's firmware to follow devices/MESSAGES.md"
_NO_STICKER: Final = (
    "a card of a pack is named as the sticker of this antenna, which so tells it to nobody",
    "give the reader the number of the sticker that is fixed there",
)
_MOVED: Final = "there are two of it, and one is a copy: call the floor, and check the pack"
_COPIED: Final = "one of them is a copy, or lies where two antennas see it: call the floor, and take both cards"


class ChipNames:
    """The names of the chips of one table, and where each lies."""

    def __init__(self, packs: Callable[[], Packs | None]) -> None:
        """`packs`: gives the list as it is now, None where no pack is enrolled; it is asked after each `renew`."""
        self._ask = packs
        self._packs: Packs | None = None
        self._asked = False
        self._lies: dict[bytes, set[tuple[str, str]]] = {}  # device and zone
        self._silent: set[str] = set()  # devices that tell no card which goes away
        self._came: dict[bytes, tuple[str, float]] = {}  # the zone where it came to rest last, and when
        self._doubts: list[str] = []
        self._marks: dict[str, tuple[Mapping[str, bytes], list[str]]] = {}  # by device: of the list as it is now
        self._collecting = True

    def renew(self, device: str, *, tells_leaving: bool = True) -> None:
        """A device has come up: the list is read anew, and its state says what lies there.

        `tells_leaving`: whether it tells a card that goes away. Of one that does not, no chip counts as lying there:
        each card that is carried on would be a copy.
        """
        self._asked = False
        self._silent.discard(device)
        if not tells_leaving:
            self._silent.add(device)
        for places in self._lies.values():
            places.difference_update([place for place in places if place[0] == device])

    def read_anew(self) -> None:
        """The list has changed: it is read before the next chip is named."""
        self._asked = False

    def observe(self, event: Event) -> None:
        """Note an event that the table has taken: cards that are collected lie nowhere."""
        if isinstance(event, _ROUND_OVER):
            self._collecting = True
            self._lies.clear()
            self._came.clear()
        elif isinstance(event, CardPlaced):
            self._collecting = False

    def doubts(self) -> list[str]:
        """What has been found since the last call of chips that moved as no card can: place, words, remedy."""
        found, self._doubts = self._doubts, []
        return found

    def pack_of(self, body: Mapping[str, Any]) -> str | None:
        """The pack that an event's chip is of, by its body before it was `named`; None where only one is in use."""
        number = body.get("card")
        return None if self._packs is None or not isinstance(number, bytes) else self._packs.pack_of(number)

    def check_stickers(self, device: str, marks: Mapping[str, bytes]) -> None:
        """Look whether a card is named as the sticker of an antenna: its reader would tell that card to nobody.

        `marks`: of a status, by zone (`sticker_mark`). Raises DeviceMessageError with the first such zone; what the
        list of packs raises.
        """
        if not marks:
            return
        self._renew_list()
        if self._packs is None:
            return
        known = self._marks.get(device)
        if known is None or known[0] != marks:
            wrong = sorted(zone for zone, mark in marks.items() if self._packs.has_mark(mark))
            known = self._marks[device] = dict(marks), wrong
        if known[1]:
            raise DeviceMessageError(device, "status", "mark", f"{known[1][0]}: {_NO_STICKER[0]}", _NO_STICKER[1])

    def named(self, device: str, body: Mapping[str, Any], t: float | None = None) -> Mapping[str, Any] | None:
        """An event's body with the card's name in place of its chip's number.

        `t`: seconds of the table's clock when it happened; None where nobody knows: a device tells what it kept.

        None where a chip leaves that was no card, or a copy: nothing at the table has changed. Raises
        DeviceMessageError with the zone and the remedy where the chip is none of a pack in play, or lies elsewhere;
        what the list of packs raises.
        """
        number = body.get("card")
        if not isinstance(number, bytes):
            return body
        event = str(body.get("ev"))
        zone = _MUCK if event == "mucked" else body.get("zone")
        place = device, zone if isinstance(zone, str) else _MOUTH
        self._check_number(device, event, number, place[1])
        card = self._card_of(number)
        if isinstance(card, PackFault):
            if event in _GONE:
                return None
            raise _fault(device, event, place[1], f"there is {card.value}")
        if card is None:
            pass  # what no pack has is not kept: a reader may tell any number
        elif place[1] == _MOUTH:
            self._out_of_the_shoe(number)
        elif event in _GONE and self._is_elsewhere_alone(number, place):
            return None  # a copy that was not taken, and is lifted again
        else:
            self._move(event, number, place)
            if event in _COME:
                self._arrive(number, place[1], t)
        return {**body, "card": card}

    def _is_elsewhere_alone(self, number: bytes, place: tuple[str, str]) -> bool:
        """Whether a chip lies elsewhere and not here. In the discards it may be told before it has left."""
        lies = self._lies.get(number, set())
        elsewhere = place not in lies and any(zone != _MUCK for _, zone in lies)
        return elsewhere and not self._collecting

    def _out_of_the_shoe(self, number: bytes) -> None:
        """Doubt a chip that the shoe tells while it lies on the table: the discards may have gone back into it."""
        lies = sorted(zone for _, zone in self._lies.get(number, ()) if zone != _MUCK)
        if lies and not self._collecting:
            self._doubts.append(f"{_MOUTH}: a chip is told there, and lies at {lies[0]}: {_MOVED}")

    def _arrive(self, number: bytes, zone: str, t: float | None) -> None:
        """Doubt a chip that comes to rest in a zone sooner after another one than a hand can carry it."""
        before = self._came.pop(number, None)
        if t is None or self._collecting:
            return
        if before is not None and before[0] != zone and 0.0 <= t - before[1] < QUICKEST:
            words = f"a chip came to {before[0]} and to {zone} within {QUICKEST:g} s, as no hand moves a card"
            self._doubts.append(f"{zone}: {words}: {_MOVED}")
        self._came[number] = zone, t

    def named_state(self, device: str, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """A reader's state with names in place of numbers. Raises as `named` does."""
        zones = state.get("zones")
        if not isinstance(zones, Mapping):
            return state
        return {**state, "zones": {zone: self._zone_named(device, zone, cards) for zone, cards in zones.items()}}

    def _zone_named(self, device: str, zone: str, cards: object) -> object:
        if not isinstance(cards, Sequence) or isinstance(cards, str | bytes):
            return cards
        return [self._entry_named(device, zone, entry) for entry in cards]

    def _entry_named(self, device: str, zone: str, entry: object) -> object:
        if not isinstance(entry, Sequence) or len(entry) != 2 or not isinstance(entry[0], bytes):
            return entry
        self._check_number(device, "state", entry[0], zone)
        card = self._card_of(entry[0])
        if isinstance(card, PackFault):
            raise _fault(device, "state", zone, f"there is {card.value}")
        if card is not None:
            self._move("state", entry[0], (device, zone))
        return [card, entry[1]]

    def _check_number(self, device: str, event: str, number: bytes, zone: str) -> None:
        if len(number) not in SIZES:
            words = f"a chip's number was not read whole: it has {len(number)} bytes, not {', '.join(map(str, SIZES))}"
            raise DeviceMessageError(device, event, "card", f"{zone}: {words}", _FIRMWARE)

    def _card_of(self, number: bytes) -> str | PackFault | None:
        self._renew_list()
        if self._packs is None:
            return None  # a card lies there, and nobody knows which
        return card_in(self._packs, number)

    def _renew_list(self) -> None:
        if not self._asked:
            self._packs, self._asked = self._ask(), True
            self._marks.clear()

    def _move(self, event: str, number: bytes, place: tuple[str, str]) -> None:
        """Note where a chip lies now. Raises DeviceMessageError where it lies elsewhere too.

        A card may reach the discards before the reader that it left is sure that it has gone. As cards are collected
        they pass over antennas.
        """
        lies = self._lies.setdefault(number, set())
        if event in _GONE:
            lies.discard(place)
            return
        others = sorted(zone for device, zone in lies if (device, zone) != place and zone != _MUCK)
        if others and not self._collecting and place[1] != _MUCK:
            what = "lies at" if event in _LYING else "comes to" if event in _COME else "is told at"
            raise _fault(place[0], event, place[1], f"a chip {what} {place[1]}, and lies at {others[0]} too: {_COPIED}")
        if self._collecting or place[1] == _MUCK:
            lies.clear()
        if place[0] not in self._silent:
            lies.add(place)


def _fault(device: str, event: str, zone: str, words: str) -> DeviceMessageError:
    problem, _, remedy = words.partition(": ")
    return DeviceMessageError(device, event, "card", f"{zone}: {problem}", remedy)
