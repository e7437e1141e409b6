"""Phases, prompts, alarms and states in the words of the trade, for people who look at the page."""

from collections.abc import Callable, Mapping
from typing import Any, Final

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
STREETS: Final[Mapping[str, str]] = {"pre_flop": "pre-flop"}


def phase_in_words(phase: str, street: str | None) -> str:
    """`betting`, `pre_flop` → `Betting, pre-flop`."""
    words = PHASES.get(phase, plain(phase))
    return words if street is None else f"{words}, {STREETS.get(street, street)}"


def plain(word: str) -> str:
    """A name of the vocabulary as words: `dealt_out_of_turn` → `Dealt out of turn`."""
    return word.replace("_", " ").replace(".", " ").capitalize()


def money(cents: int | None) -> str:
    """Cents as dollars: 250 → `$2.50`, 20000 → `$200`. A dash where no amount is known."""
    if cents is None:
        return "–"
    dollars, rest = divmod(cents, 100)
    return f"${dollars:,}.{rest:02d}" if rest else f"${dollars:,}"


def prompt_in_words(prompt: Mapping[str, Any] | None) -> str:
    """What the dealer should do next, as one says it at a table; empty where there is nothing to do."""
    if not prompt:
        return ""
    for key, say in _PROMPTS.items():
        if key in prompt:
            return say(prompt)
    return ", ".join(f"{plain(key)}: {value}" for key, value in prompt.items())


def zone_in_words(zone: str) -> str:
    """`seat:3` → `seat 3`, `board:4` → `the turn`."""
    if zone in _ZONES:
        return _ZONES[zone]
    kind, _, number = zone.partition(":")
    return f"{kind} {number}".strip()


_ZONES: Final[Mapping[str, str]] = {
    "dealer": "the dealer",
    "board:1": "the board, first card",
    "board:2": "the board, second card",
    "board:3": "the board, third card",
    "board:4": "the board, fourth card",
    "board:5": "the board, fifth card",
    "burn": "the burn pile",
    "muck": "the discards",
    "shoe": "the shoe",
}


def _pack(name: object) -> str:
    return "the cards" if name is None else f"the {name} deck"


def _deal(prompt: Mapping[str, Any]) -> str:
    return f"Deal to {zone_in_words(str(prompt['deal']))}, face {prompt.get('face') or 'down'}"


def _burn(prompt: Mapping[str, Any]) -> str:
    return "Burn one card" if prompt["burn"] == 1 else f"Burn {prompt['burn']} cards"


def _act(prompt: Mapping[str, Any]) -> str:
    owes = prompt.get("owes")
    due = "" if owes is None else ": nothing to call" if owes == 0 else f": {money(owes)} to call"
    due += ", no check" if prompt.get("check") is False else ""
    beats = prompt.get("check_beats")
    check = f"; to check too they must beat the open cards of {_seats(beats).lower()}" if beats else ""
    return f"Seat {prompt['act']} to act{due}{check}"


def _post(prompt: Mapping[str, Any]) -> str:
    return f"Post: {_amounts(prompt['post'])}"


def _amounts(due: Mapping[str, int | None]) -> str:
    return ", ".join(f"seat {seat} {money(cents)}" for seat, cents in due.items())


def _seats(seats: object) -> str:
    numbers = [str(seat) for seat in seats] if isinstance(seats, list) else []
    word = "Seat" if len(numbers) == 1 else "Seats"
    return f"{word} {', '.join(numbers)}"


def _turn(prompt: Mapping[str, Any]) -> str:
    zones = [str(zone) for zone in prompt["turn"]]
    if zones and all(zone.startswith("board:") for zone in zones):
        return "Turn up the board, " + ("card " if len(zones) == 1 else "cards ") + ", ".join(z[6:] for z in zones)
    return "Turn up " + ", ".join("the dealer's hand" if zone == "dealer" else zone_in_words(zone) for zone in zones)


_OPENERS: Final = {"low_card": "lowest card", "high_card": "highest card", "high_hand": "highest hand"}
_WAITS: Final = {
    "floor": "Wait: a person must decide",
    "go": "Wait: hand for hand, the director lets it go on",
    "players": "Wait for players",
}

_PROMPTS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "check": lambda prompt: f"Check {_pack(prompt['check'])}, card by card",
    "shuffle": lambda prompt: f"Shuffle {_pack(prompt['shuffle'])}",
    "cut": lambda prompt: f"Cut the cards: {zone_in_words(prompt['by'])}" if "by" in prompt else "Cut the cards",
    "post": _post,
    "ante": lambda prompt: f"Antes: {_amounts(prompt['ante'])}",
    "wagers": lambda prompt: "Place your wagers",
    "move": lambda prompt: f"Move the {prompt['move']} to seat {prompt.get('to')}",
    "deal": _deal,
    "burn": _burn,
    "act": _act,
    "open": lambda prompt: f"The {_OPENERS[str(prompt['open'])]} showing opens",
    "draw": lambda prompt: f"Ask seat {prompt['draw']} how many cards to replace",
    "close": lambda prompt: "Close the betting",
    "decide": lambda prompt: f"{_seats(prompt['decide'])} to decide",
    "turn": _turn,
    "show": lambda prompt: f"{_seats(prompt['show'])} to show, in this order",
    "collect": lambda prompt: "Settle, and collect the cards",
    "remove": lambda prompt: f"Take back the card at {zone_in_words(str(prompt['remove']))}",
    "shuffle_stub": lambda prompt: "Shuffle the undealt cards",
    "wait": lambda prompt: _WAITS.get(str(prompt["wait"]), f"Wait: {prompt['wait']}"),
}


def alarm_in_words(alarm: Mapping[str, Any]) -> str:
    """`Device offline: shoe`."""
    about = [
        str(alarm[key]) if key != "seat" else f"seat {alarm[key]}"
        for key in ("device", "deck", "seat")
        if alarm.get(key)
    ]
    return plain(str(alarm["kind"])) + (": " + ", ".join(about) if about else "")
