"""`device.json` and `key`: what a device is told of itself, looked at before anything is made of it.

At a desk, before it goes to a board: `python3 device_file.py device.json` says what is wrong in it. It runs under
MicroPython and CPython.
"""

import json
import sys

from chip_numbers import SIZES, digits_of, is_changing, is_whole

CHANNELS = 8  # ways of a TCA9548A
CAPACITY_MIN, CAPACITY_MAX = 64, 1024
SERIAL_MAX, KEY_BYTES = 32, 32
_COPY = "copy it to the device as the README says"
_OF_ALL = ("role", "serial", "capacity", "persistent")
_OF_ROLE = {"keys": ("buttons",), "reader": ("zones", "cards", "chip", "channels", "stickers")}
_OF_A_DESK = ("laid", "model")  # what `board_pty.py` and a reader on models are told beside it
_TEN, _FIVE = [str(n) for n in range(1, 11)], [str(n) for n in range(1, 6)]
_NUMBERED = {"seat": _TEN, "board": _FIVE, "board2": _FIVE, "race": _TEN}
_ALONE = ("dealer", "burn", "muck", "shoe")
_OF_PN532 = (4, 7)  # bytes of a number: it reads cards of ISO/IEC 14443 A
_JOKER = "Jo"
_FACES = ("down", "up")


class DeviceFileError(ValueError):
    """A device cannot be made of these settings. The message has the key and the remedy."""


def load(path):
    """The settings in the file, checked. Raises DeviceFileError, which names the file."""
    try:
        with open(path) as file:
            text = file.read()
    except OSError:
        raise DeviceFileError(f"{path}: it cannot be read: {_COPY}") from None
    try:
        # MicroPython takes a text that ends in the midst for a whole one
        if text.count("{") != text.count("}"):
            raise ValueError("it ends in the midst")
        settings = json.loads(text)
        twice = _named_twice(text)
    except (ValueError, IndexError) as fault:
        raise DeviceFileError(f"{path}: it is no JSON ({fault}): mend it and copy it anew") from None
    if twice is not None:
        named = f'"{twice}"' if digits_of(twice) is None else "a chip's number"  # it tells a card: in no message
        raise DeviceFileError(f"{path}: {named} is there twice in one map: leave one of them")
    try:
        check(settings)
    except DeviceFileError as fault:
        raise DeviceFileError(f"{path}: {fault}") from None
    return settings


def _named_twice(text):
    """A key that a map of this JSON has twice; None: there is none. Raises ValueError where a key is not set apart.

    Of two such keys either interpreter keeps the last, and MicroPython takes commas and colons for spaces.
    """
    maps, before, at = [], "", 0  # the keys of each map that is open, None for a list; what stands before
    while at < len(text):
        sign = text[at]
        at += 1
        if sign in "{[":
            maps.append(set() if sign == "{" else None)
        elif sign in "}]":
            maps.pop()
        elif sign == '"':
            end = _end_of(text, at)
            if before not in ("{", "[", ",", ":", ""):
                raise ValueError(f"no comma or colon before a text in line {_line(text, at)}")
            if maps and maps[-1] is not None and before != ":":
                key = json.loads(text[at - 1 : end])
                while text[end].isspace():
                    end += 1
                if text[end] != ":":
                    raise ValueError(f"no colon behind a key in line {_line(text, at)}")
                if key in maps[-1]:
                    return key
                maps[-1].add(key)
            at = end
        if not sign.isspace():
            before = sign
    return None


def _line(text, at):
    return text[:at].count("\n") + 1


def _end_of(text, at):
    """Where the text that goes on at this place has ended, its mark of quotation with it."""
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def load_key(path):
    """The device's key. Raises DeviceFileError, which names the file."""
    try:
        with open(path, "rb") as file:
            key = file.read()
    except OSError:
        raise DeviceFileError(f"{path}: it cannot be read: {_COPY}") from None
    if len(key) != KEY_BYTES:
        raise DeviceFileError(f"{path}: it has {len(key)} bytes, not {KEY_BYTES}: {_COPY}")
    return key


def check(settings):
    """Raise DeviceFileError where a device cannot be made of them, or would read what the file does not mean.

    The numbers in `cards` are then as a reader has them.
    """
    if not isinstance(settings, dict):
        raise DeviceFileError("it must be one map of keys: the README has examples")
    role = settings.get("role")
    if not isinstance(role, str) or role not in _OF_ROLE:
        raise DeviceFileError("role: give keys or reader")
    known = _OF_ALL + _OF_ROLE[role]
    for key in settings:
        if key not in known and key not in _OF_A_DESK:
            raise DeviceFileError(f"{key}: a device of role {role} has no such key: it knows {', '.join(known)}")
    _check_every_device(settings)
    if role == "keys":
        _check_buttons(settings.get("buttons"))
    else:
        _check_reader(settings)


def _check_every_device(settings):
    serial = settings.get("serial")
    if not isinstance(serial, str) or not 0 < len(serial) <= SERIAL_MAX or not all(" " <= one <= "~" for one in serial):
        raise DeviceFileError(f"serial: give one to {SERIAL_MAX} printable characters of ASCII")
    if "capacity" in settings and not _is_whole(settings["capacity"], CAPACITY_MIN, CAPACITY_MAX):
        raise DeviceFileError(f"capacity: give how many events it keeps, {CAPACITY_MIN} to {CAPACITY_MAX}")
    if not _is_switch(settings.get("persistent", True)):
        raise DeviceFileError("persistent: give true, or false")


def _check_buttons(buttons):
    if not isinstance(buttons, dict) or not buttons:
        raise DeviceFileError("buttons: give each button the event that its press is")
    for name, event in buttons.items():
        if not isinstance(event, dict) or not isinstance(event.get("ev"), str):
            raise DeviceFileError(
                f'buttons: {name}: give a map with "ev", the event\'s name (devices/MESSAGES.md, keys)'
            )


def _check_reader(settings):
    zones = settings.get("zones")
    if not isinstance(zones, dict) or not zones:
        raise DeviceFileError("zones: give each zone the face of its cards, down or up")
    for zone, face in zones.items():
        if not _is_zone(zone):
            raise DeviceFileError(f'zones: there is no zone "{zone}": devices/MESSAGES.md has their names')
        if face not in _FACES:
            raise DeviceFileError(f"zones: {zone}: give the face of its cards, down or up")
    if "cards" in settings:
        settings["cards"] = _numbered(settings["cards"], _OF_PN532 if "chip" in settings else SIZES)
    if "chip" in settings:
        if settings["chip"] != "pn532":
            raise DeviceFileError("chip: give pn532, the one that this firmware drives; leave it out for a module")
        check_channels(zones, settings.get("channels"))
    elif "channels" in settings:
        raise DeviceFileError('channels: only a reader with "chip" has them: a module knows its own antennas')
    _check_stickers(settings, zones)


def check_channels(zones, channels):
    """That each zone has a PN532 of its own. `channels`: None where there is one zone and no TCA9548A."""
    if channels is None:
        if len(zones) > 1:
            raise DeviceFileError("channels: give each zone its way of the TCA9548A; without it there is one zone")
        return
    if not isinstance(channels, dict):
        raise DeviceFileError("channels: give each zone its way of the TCA9548A")
    for zone, way in channels.items():
        _check_named(zone, zones, "channels")
        if not _is_whole(way, 0, CHANNELS - 1):
            raise DeviceFileError(f"channels: {zone}: give its way of the TCA9548A, 0 to {CHANNELS - 1}")
    for zone in zones:
        if zone not in channels:
            raise DeviceFileError(f"channels: {zone}: it has none: give its way of the TCA9548A")
    _check_apart(channels, "channels: {} and {}: they have one way: each zone has a chip of its own")


def _numbered(cards, sizes):
    """The same cards by their numbers as a reader has them. The numbers go into no message: they tell cards."""
    if not isinstance(cards, dict):
        raise DeviceFileError("cards: give each chip's number its card, or leave it out: then the host has the list")
    numbers = {}
    for said, card in cards.items():
        if not _is_card(card):
            raise DeviceFileError(f'cards: "{card}" is no card: As, Td and Jo are (devices/MESSAGES.md)')
        number = digits_of(said)
        if number is None or len(number) // 2 not in sizes:
            raise DeviceFileError(
                f"cards: {card}: give its chip's number, {_words(sizes)} bytes in hexadecimal digits, 04:A1:…"
            )
        if is_changing(number) or not is_whole(number):
            raise DeviceFileError(
                f"cards: {card}: its number is none that a card keeps (it begins with 08 or 88, or all its bytes are "
                "the same): read the chip anew, alone"
            )
        if number in numbers:
            first, second = sorted((numbers[number], card))
            raise DeviceFileError(f"cards: {first} and {second}: they have one number: read each chip anew")
        numbers[number] = card
    _check_packs(list(numbers.values()))
    return numbers


def _check_packs(cards):
    """That each card is there as often as the others, once for each pack: else one of them was named for another."""
    times = {card: cards.count(card) for card in cards if card != _JOKER}
    most = max(times.values()) if times else 0
    often = sorted(card for card in times if times[card] == most)
    for card in sorted(times):
        if times[card] < most:
            raise DeviceFileError(
                f"cards: {often[0]} has {most} chips and {card} has {times[card]}: give every card one of each pack"
            )


def _check_stickers(settings, zones):
    stickers = settings.get("stickers", {})
    if not isinstance(stickers, dict):
        raise DeviceFileError("stickers: give a zone the number of the sticker on its antenna")
    if stickers and "chip" not in settings:
        raise DeviceFileError(
            'stickers: a reader with "chip" knows them: a module tells a sticker as a card, so fix none to its antennas'
        )
    numbers = {}
    for zone, said in stickers.items():
        _check_named(zone, zones, "stickers")
        numbers[zone] = _sticker(zone, said)
    _check_apart(numbers, "stickers: {} and {}: they have one sticker's number: read each on its own antenna")
    cards = settings.get("cards", {})
    for zone, number in numbers.items():
        if number in cards:
            raise DeviceFileError(f"stickers: {zone}: its number is that of a card in cards: read the sticker alone")
        for other, longer in numbers.items():
            if other != zone and longer.startswith(number):
                raise DeviceFileError(
                    f"stickers: {zone}: its number is the beginning of that of {other}: give the whole number of each"
                )


def _sticker(zone, said):
    number = digits_of(said) if isinstance(said, str) else None
    if number is None or len(number) // 2 not in _OF_PN532:
        raise DeviceFileError(
            f'stickers: {zone}: "{said}" is no sticker\'s number: give its {_words(_OF_PN532)} bytes in hexadecimal '
            "digits, 04:A1:…"
        )
    if is_changing(number) or not is_whole(number):
        raise DeviceFileError(
            f"stickers: {zone}: {said} is no number of its own: take a sticker whose number stays, NTAG213 for instance"
        )
    return number


def _words(sizes):
    return ", ".join(str(size) for size in sizes[:-1]) + f" or {sizes[-1]}"


def _check_named(zone, zones, key):
    if zone not in zones:
        raise DeviceFileError(f"{key}: {zone}: zones has no such zone: name one of this reader's")


def _check_apart(of_zones, words):
    first = {}
    for zone in sorted(of_zones):
        if of_zones[zone] in first:
            raise DeviceFileError(words.format(first[of_zones[zone]], zone))
        first[of_zones[zone]] = zone


def _is_whole(value, least, most):
    return isinstance(value, int) and not _is_switch(value) and least <= value <= most


def _is_switch(value):
    return value is True or value is False


def _is_card(card):
    if not isinstance(card, str):
        return False
    return card == _JOKER or (len(card) == 2 and card[0] in "23456789TJQKA" and card[1] in "shdc")


def _is_zone(zone):
    kind, _, place = zone.partition(":")
    return zone in _ALONE or place in _NUMBERED.get(kind, ())


if __name__ == "__main__":
    try:
        load(sys.argv[1])
    except DeviceFileError as fault:
        print(fault)
        sys.exit(2)
