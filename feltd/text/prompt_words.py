"""Prompts in the words of the trade: what the dealer should do next, as people say it at a table."""

from collections.abc import Mapping, Sequence
from typing import Final, assert_never

from feltd.text.amounts import amount_in_words
from feltd.text.words import zone_in_words
from table_fsm.prompts import types as ask
from table_fsm.prompts.shapes import OpeningCards
from table_fsm.prompts.types import Prompt, WaitReason
from table_fsm.rulebook.denomination import Denomination


def prompt_in_words(  # noqa: C901 - one case for each kind, and assert_never
    prompt: Prompt | None, counted: Denomination | None
) -> str:
    """Return the dealer's next step as a sentence without its stop; empty without one.

    `counted`: the denomination of the table's amounts; None while it is closed.

    >>> prompt_in_words(ask.Deal("board:4", "up"), None)
    'Deal to the board, fourth card, face up'
    >>> prompt_in_words(ask.MoveToBurn("board:1"), None)
    "Move the board's first card to the burn pile"
    """
    match prompt:
        case None:
            return ""
        case ask.Deal(zone, face):
            return f"Deal to {zone_in_words(zone)}, face {face}"
        case ask.DealMixed():
            return "Lay three of the mixed cards face up as the flop: the fourth is the next burn card"
        case ask.Burn(count):
            return "Burn one card" if count == 1 else f"Burn {count} cards"
        case ask.Remove(zone):
            return f"Take back {_card_in(zone)}"
        case ask.Turn(zones):
            return _turn(zones)
        case ask.MoveToBurn(zone):
            return f"Move {_card_in(zone)} to the burn pile"
        case ask.MixFlop(zones):
            return f"Floor: mix the {_NUMBERS.get(len(zones), len(zones))} cards of the flop face down"
        case ask.CheckPack(deck):
            return f"Check {_pack(deck)}, card by card"
        case ask.Shuffle(deck):
            return f"Shuffle {_pack(deck)}"
        case ask.ShuffleStub():
            return "Shuffle the undealt cards"
        case ask.Cut(by):
            return "Cut the cards" if by is None else f"Cut the cards: {zone_in_words(by)}"
        case ask.MoveButton(seat):
            return f"Move the button to seat {seat}"
        case ask.DrawForButton():
            return "Draw for the button: deal each player one card, face up"
        case ask.Wagers():
            return "Place your wagers"
        case ask.Post(amounts):
            return f"Post: {_amounts(amounts, counted)}"
        case ask.Ante(amounts):
            return f"Antes: {_amounts(amounts, counted)}"
        case ask.Open(cards):
            return f"The {_OPENERS[cards]} showing opens"
        case ask.Act():
            return f"{_returned(prompt.return_bet, counted)}{_act(prompt, counted)}"
        case ask.Close(return_bet):
            return f"{_returned(return_bet, counted)}Close the betting"
        case ask.Decide(seats):
            return f"{_seats(seats)} to decide"
        case ask.DrawCards(seat):
            return f"Ask seat {seat} how many cards to replace"
        case ask.GiveUp(seats, count):
            return f"{_seats(seats)} to give up {'one card' if count == 1 else f'{count} cards'}, face down"
        case ask.Show(seats):
            return f"{_seats(seats)} to show" + (", in this order" if len(seats) > 1 else "")
        case ask.Collect():
            return "Settle, and collect the cards"
        case ask.Wait(reason):
            return _WAITS[reason]
        case _:
            assert_never(prompt)


_NUMBERS: Final[Mapping[int, str]] = {4: "four", 5: "five"}
_OPENERS: Final[Mapping[OpeningCards, str]] = {
    "low_card": "lowest card",
    "high_card": "highest card",
    "high_hand": "highest hand",
    "low_hand": "lowest hand",
}
_WAITS: Final[Mapping[WaitReason, str]] = {
    WaitReason.FLOOR: "Wait: a person must decide",
    WaitReason.GO: "Wait: hand for hand, the director lets it go on",
    WaitReason.PLAYERS: "Wait for players",
}


def _pack(deck: str | None) -> str:
    return "the cards" if deck is None else f"the {deck} deck"


def _card_in(zone: str) -> str:
    """Return the card that lies in a zone: `board:4` gives "the board's fourth card"."""
    where, comma, card = zone_in_words(zone).partition(", ")
    return f"{where}'s {card}" if comma and card.endswith("card") else f"the card at {zone_in_words(zone)}"


def _turn(zones: Sequence[str]) -> str:
    if zones and all(zone.startswith("board:") for zone in zones):
        return "Turn up the board, " + ("card " if len(zones) == 1 else "cards ") + ", ".join(z[6:] for z in zones)
    return "Turn up " + ", ".join(f"{zone_in_words(zone)}'s hand" for zone in zones)


def _act(prompt: ask.Act, counted: Denomination | None) -> str:
    owes = prompt.owes
    due = "" if owes is None else ": nothing to call" if owes == 0 else f": {amount_in_words(owes, counted)} to call"
    due += "" if prompt.check else ", no check"
    beats = prompt.check_beats
    check = f"; to check too they must beat the open cards of {_seats(beats).lower()}" if beats else ""
    return f"Seat {prompt.seat} to act{due}{check}"


def _returned(bet: ask.ReturnBet | None, counted: Denomination | None) -> str:
    """Return the sentence about a bet that goes back, which comes before the prompt's own."""
    if bet is None:
        return ""
    what = "the bet" if bet.cents is None else amount_in_words(bet.cents, counted)
    return f"Return {what} to seat {bet.seat}. "


def _amounts(due: Mapping[int, int | None], counted: Denomination | None) -> str:
    return ", ".join(f"seat {seat} {amount_in_words(cents, counted)}" for seat, cents in due.items())


def _seats(seats: Sequence[int]) -> str:
    return ("Seat " if len(seats) == 1 else "Seats ") + ", ".join(str(seat) for seat in seats)
