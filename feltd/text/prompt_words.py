"""Prompts in the words of the trade: what the dealer should do next, as people say it at a table."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import say
from feltd.text.words import card_in_words, deck_in_words, zone_in_words
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
            if face == "up":
                return say("Deal to {zone}, face up", zone=zone_in_words(zone))
            return say("Deal to {zone}, face down", zone=zone_in_words(zone))
        case ask.DealMixed():
            return say("Lay three of the mixed cards face up as the flop: the fourth is the next burn card")
        case ask.Burn(count):
            return say("Burn one card") if count == 1 else say("Burn {count} cards", count=count)
        case ask.Remove(zone):
            return say("Take back {card}", card=card_in_words(zone))
        case ask.Turn(zones):
            return _turn(zones)
        case ask.MoveToBurn(zone):
            return say("Move {card} to the burn pile", card=card_in_words(zone))
        case ask.MixFlop(zones):
            return _mix(len(zones))
        case ask.CheckPack(deck):
            return say("Check {pack}, card by card", pack=_pack(deck))
        case ask.Shuffle(deck):
            return say("Shuffle {pack}", pack=_pack(deck))
        case ask.ShuffleStub():
            return say("Shuffle the undealt cards")
        case ask.Cut(by):
            return say("Cut the cards") if by is None else say("Cut the cards: {who}", who=zone_in_words(by))
        case ask.MoveButton(seat):
            return say("Move the button to seat {seat}", seat=seat)
        case ask.DrawForButton():
            return say("Draw for the button: deal each player one card, face up")
        case ask.Wagers():
            return say("Place your wagers")
        case ask.Post(amounts):
            return say("Post: {amounts}", amounts=_amounts(amounts, counted))
        case ask.Ante(amounts):
            return say("Antes: {amounts}", amounts=_amounts(amounts, counted))
        case ask.Open(cards):
            return _opens(cards)
        case ask.Act():
            return f"{_returned(prompt.return_bet, counted)}{_act(prompt, counted)}"
        case ask.Close(return_bet):
            return _returned(return_bet, counted) + say("Close the betting")
        case ask.Decide(seats):
            return say("{seats} to decide", seats=_seats(seats))
        case ask.DrawCards(seat):
            return say("Ask seat {seat} how many cards to replace", seat=seat)
        case ask.GiveUp(seats, count):
            if count == 1:
                return say("{seats} to give up one card, face down", seats=_seats(seats))
            return say("{seats} to give up {count} cards, face down", seats=_seats(seats), count=count)
        case ask.Show(seats, by_key):
            return _show(seats, by_key=by_key)
        case ask.Collect():
            return say("Settle, and collect the cards")
        case ask.Wait(reason):
            return _waits(reason)
        case _:
            assert_never(prompt)


def _show(seats: Sequence[int], *, by_key: bool) -> str:
    shown = _seats(seats)
    said = say("{seats} to show, in this order", seats=shown) if len(seats) > 1 else say("{seats} to show", seats=shown)
    return said + (say(": press the key for each hand that lies open") if by_key else "")


def _mix(cards: int) -> str:
    match cards:
        case 4:
            return say("Floor: mix the four cards of the flop face down")
        case 5:
            return say("Floor: mix the five cards of the flop face down")
    return say("Floor: mix the {cards} cards of the flop face down", cards=cards)


def _opens(cards: OpeningCards) -> str:
    match cards:
        case "low_card":
            return say("The lowest card showing opens")
        case "high_card":
            return say("The highest card showing opens")
        case "high_hand":
            return say("The highest hand showing opens")
        case "low_hand":
            return say("The lowest hand showing opens")
        case _:
            assert_never(cards)


def _waits(reason: WaitReason) -> str:
    match reason:
        case WaitReason.FLOOR:
            return say("Wait: a person must decide")
        case WaitReason.GO:
            return say("Wait: hand for hand, the director lets it go on")
        case WaitReason.PLAYERS:
            return say("Wait for players")
        case _:
            assert_never(reason)


def _pack(deck: str | None) -> str:
    return say("the cards") if deck is None else say("the {deck} deck", deck=deck_in_words(deck))


def _turn(zones: Sequence[str]) -> str:
    if zones and all(zone.startswith("board:") for zone in zones):
        cards = ", ".join(zone[6:] for zone in zones)
        if len(zones) == 1:
            return say("Turn up the board, card {card}", card=cards)
        return say("Turn up the board, cards {cards}", cards=cards)
    return say("Turn up {hands}", hands=", ".join(say("{who}'s hand", who=zone_in_words(zone)) for zone in zones))


def _act(prompt: ask.Act, counted: Denomination | None) -> str:
    owes = prompt.owes
    said = say("Seat {seat} to act", seat=prompt.seat)
    if owes is not None:
        said += say(": nothing to call") if owes == 0 else say(": {owes} to call", owes=amount_in_words(owes, counted))
    said += "" if prompt.check else say(", no check")
    if prompt.check_beats:
        seats = ", ".join(str(seat) for seat in prompt.check_beats)
        if len(prompt.check_beats) == 1:
            said += say("; to check too they must beat the open cards of seat {seat}", seat=seats)
        else:
            said += say("; to check too they must beat the open cards of seats {seats}", seats=seats)
    return said


def _returned(bet: ask.ReturnBet | None, counted: Denomination | None) -> str:
    """Return the sentence about a bet that goes back, which comes before the prompt's own."""
    if bet is None:
        return ""
    if bet.cents is None:
        return say("Return the bet to seat {seat}. ", seat=bet.seat)
    return say("Return {amount} to seat {seat}. ", amount=amount_in_words(bet.cents, counted), seat=bet.seat)


def _amounts(due: Mapping[int, int | None], counted: Denomination | None) -> str:
    return ", ".join(
        say("seat {seat} {amount}", seat=seat, amount=amount_in_words(cents, counted)) for seat, cents in due.items()
    )


def _seats(seats: Sequence[int]) -> str:
    numbers = ", ".join(str(seat) for seat in seats)
    return say("Seat {seat}", seat=numbers) if len(seats) == 1 else say("Seats {seats}", seats=numbers)
