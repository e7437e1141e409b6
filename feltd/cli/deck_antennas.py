"""`feltd deck antennas`: the stickers of a reader's antennas, read by the antennas themselves over an empty felt."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from devices.adapters.chip_numbers import chip_number, is_changing
from feltd.cli.deck_stickers import Sticker
from feltd.text.errors import FeltdError
from firmware_bridge.errors import LinkDown, LinkFault
from firmware_bridge.facts import DeviceIdentity, Jump, SessionHandler
from firmware_bridge.link import Link

COMES_UP_WITHIN: Final = 15.0
"""Seconds: a handshake of a slow device, and what it kept."""
_LOOK_EVERY: Final = 1.0
_STICKER: Final = frozenset({4, 7, 8})
"""Bytes of a sticker's number, as `settings.py` takes it."""
_Lying = Sequence[tuple[object, object]]
"""What lies in a zone: each chip, and its face."""
_Look = Mapping[str, _Lying]


class AntennasError(FeltdError):
    """The stickers cannot be told; the message has the zone and the remedy."""


async def stickers_at(
    make: Callable[[SessionHandler], Link], name: str, seconds: float, is_card: Callable[[bytes], bool]
) -> list[Sticker]:
    """The sticker of each zone of a reader: the one chip that lies there all the time.

    `make`: the reader's link, not running. `seconds`: for how long it is looked at. `is_card`: whether a number is that
    of a card. The reader keeps what it has kept for the table: nothing is acknowledged. Raises AntennasError.
    """
    handler = _Antennas()
    link = make(handler)
    running = asyncio.ensure_future(link.run())
    try:
        seen: list[_Look] = [await _first(handler, name)]
        for _ in range(max(1, round(seconds / _LOOK_EVERY))):
            await asyncio.sleep(_LOOK_EVERY)
            seen.append(_zones(await link.read_state(), name))
    except LinkDown as fault:
        raise AntennasError(f"{name}: it went away meanwhile ({fault}): look at its cable, and begin anew") from None
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    stickers = [_sticker(zone, [look.get(zone, []) for look in seen], is_card) for zone in seen[0]]
    for sticker in stickers:
        if len(both := [other.zone for other in stickers if other.number == sticker.number]) > 1:
            raise AntennasError(f"{' and '.join(both)}: they see one chip: move these antennas apart, and begin anew")
    return stickers


async def _first(handler: "_Antennas", name: str) -> _Look:
    try:
        return _zones(await asyncio.wait_for(handler.state, COMES_UP_WITHIN), name)
    except TimeoutError:
        why = "it does not answer, or has kept more than can be passed over" if handler.why is None else handler.why
        raise AntennasError(
            f"{name}: {why}. Stop feltd for as long as this looks; what the reader kept, feltd takes before that"
        ) from None


def _zones(state: Mapping[str, Any], name: str) -> _Look:
    zones = state.get("zones")
    if not isinstance(zones, Mapping):
        raise AntennasError(f"{name}: it tells no zones: name a reader")
    try:
        return {str(zone): [(card, face) for card, face in cards] for zone, cards in zones.items()}
    except (TypeError, ValueError):
        raise AntennasError(f"{name}: it tells its zones in no form that is known: update its firmware") from None


def _sticker(zone: str, looks: Sequence[_Lying], is_card: Callable[[bytes], bool]) -> Sticker:
    """The zone's sticker. Raises AntennasError."""
    first = [chip for chip, _ in looks[0] if isinstance(chip, bytes)]
    if len(first) < len(looks[0]):
        raise AntennasError(f"{zone}: its reader tells cards by name: take its own list of cards out of it")
    if any(sorted(map(repr, look)) != sorted(map(repr, looks[0])) for look in looks):
        raise AntennasError(f"{zone}: what lies there has changed meanwhile: leave the felt empty, and begin anew")
    if not first:
        raise AntennasError(
            f"{zone}: there is no chip: fix its sticker, look at the antenna, or load settings without its number"
        )
    if any(is_card(chip) for chip in first):
        raise AntennasError(f"{zone}: a card of a pack lies there: take it away")
    if len(first) > 1:
        raise AntennasError(f"{zone}: {len(first)} chips lie there: leave the sticker alone")
    if is_changing(first[0]) or len(first[0]) not in _STICKER or chip_number(first[0].hex()) is None:
        raise AntennasError(f"{zone}: that is no sticker whose number is its own and stays: take another one")
    return Sticker(zone, first[0], looks[0][0][1] == "up")


class _Antennas:
    """Takes the reader's first state, and leaves everything else with it."""

    def __init__(self) -> None:
        self.state: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self.why: str | None = None

    def on_session(self, name: str, identity: DeviceIdentity) -> None:
        """What it kept stays with it."""

    def on_jump(self, name: str, jump: Jump) -> None:
        """There is no journal here that could lack anything."""

    def on_up(self, name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        if not self.state.done():
            self.state.set_result(state)

    def on_event(self, name: str, boot_id: bytes, seq: int, body: Mapping[str, Any]) -> None:
        """Not acknowledged: the reader keeps it for the table."""

    def on_status(self, name: str, status: Mapping[str, Any]) -> None:
        """Nobody asks here."""

    def on_down(self, name: str, fault: LinkFault) -> None:
        self.why = fault.text
