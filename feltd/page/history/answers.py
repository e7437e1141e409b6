"""What the table answered to an event, in words for people who read what happened."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import refusal, ruling_text, say
from feltd.text.words import alarm_in_words, begin_sentence, rule_in_words
from table_fsm.rulebook.denomination import Denomination

Said = Mapping[str, Any]
Amount = Callable[[int | None], str]


def answer_in_words(output: Said, counted: Denomination | None) -> str | None:
    """Return an output of the table as a sentence; None for one that orders a device or repeats what is seen.

    `counted`: the denomination of the table's amounts; None while it is closed.
    """

    def amount(cents: int | None) -> str:
        return amount_in_words(cents, counted)

    for kind, words in _WORDS.items():
        if kind in output:
            return words(output[kind], amount)
    return None


def _ruling(ruling: Said, _: Amount) -> str:
    approved = str(ruling["text"])
    said = ruling_text(approved)
    text = approved if said is None else f"{said} ({say('Approved text: {text}', text=approved)})"
    return f"{begin_sentence(rule_in_words(str(ruling['rule'])))}: {text}"


def _alarm(alarm: Said, _: Amount) -> str:
    said = alarm_in_words(alarm)
    match alarm["state"]:
        case "raised":
            return say("Alarm: {alarm}", alarm=said)
        case "escalated":
            return say("Alarm escalated: {alarm}", alarm=said)
        case "cleared":
            return say("Alarm cleared: {alarm}", alarm=said)
        case "acknowledged":
            return say("Alarm acknowledged: {alarm}", alarm=said)
        case "shelved":
            return say("Alarm shelved: {alarm}", alarm=said)
        case _:
            return say("Alarm no longer shelved: {alarm}", alarm=said)


def _showdown(told: Said, _: Amount) -> str:
    pot = say("pot {pot}", pot=told["pot"])
    if told.get("board") is not None:
        pot = say("{pot}, board {board}", pot=pot, board=told["board"])
    if "low_winners" not in told:
        return _won(pot, told["winners"], told["hand"], told["odd_to"])
    high = _won(say("the high half of {pot}", pot=pot), told["winners"], told["hand"], told["odd_to"])
    half = say("the low half of {pot}", pot=pot)
    return f"{high} {_won(half, told['low_winners'], told['low_hand'], told['low_odd_to'])}"


def _won(what: str, winners: list[int], hand: str | None, odd_to: int | None) -> str:
    seats = ", ".join(map(str, winners))
    if len(winners) == 1:
        said = (
            say("Seat {seat} wins {pot}: all others folded.", seat=seats, pot=what) if hand is None
            else say("Seat {seat} wins {pot} with {hand}.", seat=seats, pot=what, hand=hand_in_words(hand))
        )  # fmt: skip
    elif hand is None:
        said = say("Seats {seats} share {pot}.", seats=seats, pot=what)
    else:
        said = say("Seats {seats} share {pot} with {hand}.", seats=seats, pot=what, hand=hand_in_words(hand))
    return said if odd_to is None else f"{said} {say('The odd chip goes to seat {seat}.', seat=odd_to)}"


def hand_in_words(hand: str) -> str:
    """Return a kind of hand in the language that is spoken.

    >>> hand_in_words("two pair")
    'two pair'
    """
    return _HANDS[hand]() if hand in _HANDS else hand


_HANDS: Final[Mapping[str, Callable[[], str]]] = {
    "high card": lambda: say("high card"),
    "one pair": lambda: say("one pair"),
    "two pair": lambda: say("two pair"),
    "three of a kind": lambda: say("three of a kind"),
    "straight": lambda: say("straight"),
    "flush": lambda: say("flush"),
    "full house": lambda: say("full house"),
    "four of a kind": lambda: say("four of a kind"),
    "straight flush": lambda: say("straight flush"),
    "five of a kind": lambda: say("five of a kind"),
    "royal flush": lambda: say("royal flush"),
}


def _settlement(told: Said, amount: Amount) -> str:
    names = (("ante", say("ante")), ("blind", say("blind")), ("trips", say("trips")), ("play", say("play")))
    parts = [f"{name} {_signed(told[key], amount)}" for key, name in names if told[key] is not None]
    seat, wagers = told["seat"], ", ".join(parts)
    if told["hand"] is None:
        return say("Settled with seat {seat}: {wagers}", seat=seat, wagers=wagers)
    hand = hand_in_words(told["hand"])
    return say("Settled with seat {seat}, {hand}: {wagers}", seat=seat, hand=hand, wagers=wagers)


def _signed(cents: int, amount: Amount) -> str:
    return f"{'−' if cents < 0 else '+' if cents else ''}{amount(abs(cents))}"


def _placing(told: Said, _: Amount) -> str:
    place = told["place"] if isinstance(told["place"], int) else f"{told['place'][0]}–{told['place'][1]}"
    if told.get("provisional"):
        return say("Seat {seat} is out: place {place} at this table", seat=told["seat"], place=place)
    return say("Seat {seat} is out: place {place}", seat=told["seat"], place=place)


def _race(told: Said, amount: Amount) -> str:
    won = ", ".join(
        say("seat {seat} wins {chips}", seat=seat, chips=chips) for seat, chips in told["winners"].items() if chips
    )
    left = say("{amount} leaves the game", amount=amount(told["removed"]))
    return say("Chip race over: {results}", results="; ".join(filter(None, (won, left))))


def _level(told: Said, amount: Amount) -> str:
    blinds = " / ".join(map(amount, told["blinds"])) or say("none")
    if told["ante"] is None:
        return say("Level {level} from the next deal: blinds {blinds}", level=told["level"], blinds=blinds)
    return say(
        "Level {level} from the next deal: blinds {blinds}, ante {ante}",
        level=told["level"], blinds=blinds, ante=amount(told["ante"]),
    )  # fmt: skip


def _button(told: Said, _: Amount) -> str:
    if "dead_seat" in told:
        return say("The next button is at the empty seat {seat}", seat=told["dead_seat"])
    return say("The next button is at seat {seat}", seat=told["seat"])


_WORDS: Final[Mapping[str, Callable[[Any, Amount], str]]] = {
    "ruling": _ruling,
    "alarm": _alarm,
    "showdown": _showdown,
    "settlement": _settlement,
    "placing": _placing,
    "race": _race,
    "penalty": lambda told, _: say("Seat {seat} has {left} left of its penalty", seat=told["seat"], left=told["left"]),
    "error": lambda told, _: say("Refused: {why}", why=refusal(told["reason"])),
    "button": _button,
    "level": _level,
}
