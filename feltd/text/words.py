"""Phases, zones and alarms in the words of the trade, for people who look at the page."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from feltd.text.catalogue import by_id, say, word
from feltd.text.language import Language, spoken
from table_fsm.felt import BOARD, BOARD2, PHASE_WORDS, RACES, SEATS, AlarmKind, FaultKind, Phase, Worded
from table_fsm.rulebook.irregularities import Irregularity

STREETS: Final[Mapping[str, str]] = {
    "pre_flop": "pre-flop",
    **{nth: f"{nth} street" for nth in ("third", "fourth", "fifth", "sixth", "seventh")},
    **{number: f"round {number}" for number in "12345"},
    **{name: name for name in ("flop", "turn", "river")},
}
"""Each street that a book of ours has, in words."""


def phase_in_words(phase: str, street: str | None) -> str:
    """Return a phase and its street, None for a phase without one.

    >>> phase_in_words("betting", "pre_flop"), phase_in_words("draw", "2")
    ('Betting, pre-flop', 'Draw, round 2')
    """
    words = by_id(f"Phase.{phase}", PHASE_WORDS.get(cast(Phase, phase), plain(phase)))
    return words if street is None else f"{words}, {street_in_words(street)}"


def street_in_words(street: str) -> str:
    """Return a street's name for people."""
    return by_id(f"Street.{street}", STREETS.get(street, street))


def plain(word: str) -> str:
    """Return a name of the vocabulary as words.

    >>> plain("dealt_out_of_turn")
    'Dealt out of turn'
    """
    return word.replace("_", " ").replace(".", " ").capitalize()


def words_of(members: type[Worded], name: str) -> str:
    """Return the words of the member with this name.

    For a name that this version does not know: the name in plain words.
    """
    try:
        return word(members(name))
    except ValueError:  # a record that another version wrote
        return plain(name)


HOUSE_RULES: Final[Mapping[str, str]] = {
    "F betting": "betting",
    "F boxed card": "boxed card",
    "F burn": "burn card",
    "F button": "dealer button",
    "F count": "card count",
    "F deck check": "deck check",
    "F forced bets": "forced bets",
    "F identity": "card identity",
    "F nothing fits": "no other rule applies",
    "F player shows own cards": "player shows own cards",
    "F shoe fault": "shoe fault",
    "F shuffle": "shuffle",
    "F start": "start of a round",
}
"""The house's own rules by the clause that a ruling names, with their words."""


def rule_in_words(rule: str) -> str:
    """Return the clause of a ruling for people: a house rule by its subject, a clause of the source by its number.

    >>> rule_in_words("F identity"), rule_in_words("19.1(d)"), rule_in_words("F 3.2")
    ('House rule: card identity', 'clause 19.1(d)', 'clause F 3.2')
    """
    if rule not in HOUSE_RULES:
        return say("clause {rule}", rule=rule)
    return say("House rule: {subject}", subject=by_id(f"HouseRule.{rule}", HOUSE_RULES[rule]))


def begin_sentence(words: str) -> str:
    """`play on` → `Play on`."""
    return words[:1].upper() + words[1:]


def in_sentence(words: str) -> str:
    """`Declare a misdeal` → `declare a misdeal`; German keeps its capitals, which nouns need."""
    return words if spoken() is Language.GERMAN else words[:1].lower() + words[1:]


DECK_COLOURS: Final = ("black", "blue", "brown", "green", "orange", "purple", "red", "white", "yellow")
"""Names of decks that are their colour; a deck has any name that its shoe gives it."""


def deck_in_words(deck: object) -> str:
    """Return a deck's name: a colour in the language that is spoken, another name as it is."""
    return by_id(f"Deck.{deck}", str(deck))


def zone_in_words(zone: str) -> str:
    """Return where on the felt a zone is.

    >>> zone_in_words("seat:3")
    'seat 3'
    >>> zone_in_words("board:4")
    'the board, fourth card'
    >>> zone_in_words("race:5")
    'the chip race, seat 5'
    """
    if zone in _ZONES:
        return by_id(f"Zone.{zone}", _ZONES[zone])
    kind, _, number = zone.partition(":")
    return f"{kind} {number}".strip()


def card_in_words(zone: str) -> str:
    """Return the card that lies in a zone.

    >>> card_in_words("board:4"), card_in_words("muck")
    ("the board's fourth card", 'the card at the discards')
    """
    english = _ZONES.get(zone, zone)
    where, comma, card = english.partition(", ")
    owned = bool(comma) and card.endswith("card")
    return by_id(f"CardIn.{zone}", f"{where}'s {card}" if owned else f"the card at {zone_in_words(zone)}")


_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
_ZONES: Final[Mapping[str, str]] = {
    **{f"seat:{seat}": f"seat {seat}" for seat in SEATS},
    "dealer": "the dealer",
    **{zone: f"the board, {nth} card" for zone, nth in zip(BOARD, _ORDINALS, strict=True)},
    **{zone: f"the second board, {nth} card" for zone, nth in zip(BOARD2, _ORDINALS, strict=True)},
    **{zone: f"the chip race, seat {seat}" for zone, seat in zip(RACES, SEATS, strict=True)},
    "burn": "the burn pile",
    "muck": "the discards",
    "shoe": "the shoe",
}


def alarm_in_words(alarm: Mapping[str, Any]) -> str:
    """Return what an alarm is and what it is about.

    >>> alarm_in_words({"kind": "jam", "device": "shoe", "deck": "blue"})
    'Jam: shoe, blue deck'
    """
    seat, deck = alarm.get("seat"), alarm.get("deck")
    kind = str(alarm["kind"])
    device = device_in_words(str(alarm["device"])) if alarm.get("device") else ""
    about = [device] if device else []
    about += [say("seat {seat}", seat=seat)] if seat else []
    about += [say("{deck} deck", deck=deck_in_words(deck))] if deck else []
    about += [] if seat else [zone_in_words(zone) for zone in alarm.get("zones", ())]
    sets = (members for members in (AlarmKind, FaultKind, Irregularity) if kind in tuple(members))
    return begin_sentence(words_of(next(sets, AlarmKind), kind)) + (": " + ", ".join(about) if about else "")


def alarms_in_words(kind: str, devices: Iterable[str], seat: int | None, deck: str | None) -> str:
    """Return alarms of one kind, with their devices.

    >>> alarms_in_words("device_offline", ["badge", "shoe"], None, None)
    'Device offline: badge, shoe'
    >>> alarms_in_words("device_offline", ["badge", "keys", "markers", "shoe"], None, None)
    'Device offline: badge, keys, markers and 1 more'
    """
    names = list(devices)
    device, left = ", ".join(map(device_in_words, names[:_NAMED_MOST])), len(names) - _NAMED_MOST
    if left > 0:
        device = say("{devices} and {count} more", devices=device, count=left)
    return alarm_in_words({"kind": kind, "device": device, "seat": seat, "deck": deck})


_NAMED_MOST: Final = 3


DEVICES: Final = (
    *("shoe", "reader:seats", "reader:board", "reader:dealer", *(f"reader:seat-{seat}" for seat in SEATS)),
    *("markers", "dropbox", "indicators", "keys", "badge"),
)
"""Names of devices that other languages have a word for: those of the examples and of a simulated table."""


def device_in_words(name: str) -> str:
    """Return the name that the table's file gave a device; in another language its word, where the name is a usual one.

    >>> device_in_words("reader:board")
    'reader:board'
    """
    return by_id(f"Device.{name}", name)
