"""Phases, zones, amounts and alarms in the words of the trade, for people who look at the page."""

from collections.abc import Mapping
from typing import Any, Final

from table_fsm.felt import BOARD, BOARD2, RACES, SEATS

PHASES: Final[Mapping[str, str]] = {
    "closed": "Table closed",
    "checking_cards": "Checking the cards",
    "waiting": "Waiting for the round",
    "shuffling": "Shuffling",
    "cutting": "Cutting",
    "dealing": "Dealing",
    "betting": "Betting",
    "board": "Dealing the board",
    "draw": "Draw",
    "showdown": "Showdown",
    "settling": "Settling",
    "complete": "Round complete",
    "halted": "Halted",
    "misdeal": "Misdeal",
    "void": "Round void",
}
STREETS: Final[Mapping[str, str]] = {
    "pre_flop": "pre-flop",
    **{nth: f"{nth} street" for nth in ("third", "fourth", "fifth", "sixth", "seventh")},
    **{number: f"round {number}" for number in "12345"},
}
"""Streets whose name alone does not say what they are."""


def phase_in_words(phase: str, street: str | None) -> str:
    """Return a phase and its street, None for a phase without one.

    >>> phase_in_words("betting", "pre_flop"), phase_in_words("draw", "2")
    ('Betting, pre-flop', 'Draw, round 2')
    """
    words = PHASES.get(phase, plain(phase))
    return words if street is None else f"{words}, {STREETS.get(street, street)}"


def plain(word: str) -> str:
    """Return a name of the vocabulary as words.

    >>> plain("dealt_out_of_turn")
    'Dealt out of turn'
    """
    return word.replace("_", " ").replace(".", " ").capitalize()


def money(cents: int | None) -> str:
    """Return cents as dollars; a dash where no amount is known.

    >>> money(250), money(20000), money(None)
    ('$2.50', '$200', '–')
    """
    if cents is None:
        return "–"
    dollars, rest = divmod(cents, 100)
    return f"${dollars:,}.{rest:02d}" if rest else f"${dollars:,}"


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
        return _ZONES[zone]
    kind, _, number = zone.partition(":")
    return f"{kind} {number}".strip()


_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
_ZONES: Final[Mapping[str, str]] = {
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
    names = (("device", "{}"), ("seat", "seat {}"), ("deck", "{} deck"))
    about = [said.format(alarm[key]) for key, said in names if alarm.get(key)]
    return plain(str(alarm["kind"])) + (": " + ", ".join(about) if about else "")
