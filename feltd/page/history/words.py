"""Events in the words of the trade, for people who read what happened."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from feltd.text.amounts import amount_in_words
from feltd.text.words import begin_sentence, in_sentence, plain, words_of, zone_in_words
from table_fsm.felt import JOKER, Decision, FaultKind, PlayerAction
from table_fsm.rulebook.denomination import Denomination
from table_fsm.rulebook.irregularities import Outcome

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_AMOUNTS: Final = ("cents", "chip", "new_chip")
"""The fields of events that are amounts."""
Said = Mapping[str, Any]


def card_in_words(card: str | None) -> str:
    """Return `Td` as `10♦`, and `a card` for one that no reader named or nobody may see."""
    if card is None:
        return "a card"
    if card == JOKER:
        return "the joker"
    return ("10" if card[0] == "T" else card[0]) + _SUITS[card[1]]


def event_in_words(event: Said, counted: Denomination | None) -> str:
    """Return one event as a sentence.

    An event without words of its own is named. `counted`: the denomination of the table's amounts; None while it is
    closed.
    """
    amounts = {key: amount_in_words(event[key], counted) for key in _AMOUNTS if event.get(key) is not None}
    words = _WORDS.get(str(event.get("ev")))
    sentence = words({**event, **amounts}) if words is not None else plain(str(event.get("ev")))
    return begin_sentence(sentence)


def _amount(event: Said, key: str = "cents") -> str:
    return str(event.get(key, amount_in_words(None, None)))


def _names(words: object) -> str:
    cards = words if isinstance(words, list) else []
    return ", ".join(card_in_words(card) for card in cards)


def _card(event: Said) -> str:
    return card_in_words(event.get("card"))


def _at(event: Said) -> str:
    zone = event.get("zone")
    return zone_in_words(str(zone)) if zone else "the table"


def _deck(event: Said) -> str:
    deck = event.get("deck")
    return f"the {deck} deck" if deck else "the deck"


def _by(event: Said) -> str:
    return zone_in_words(str(event.get("by")))


def _checked(event: Said) -> str:
    faults = [
        f"{label} {_names(event[key])}"
        for key, label in (("missing", "missing"), ("foreign", "foreign"), ("duplicate", "twice"))
        if event.get(key)
    ]
    return f"{_deck(event)} checked: {event.get('count')} cards" + "".join(f", {fault}" for fault in faults)


def _action(event: Said) -> str:
    verb = in_sentence(words_of(PlayerAction, str(event.get("action"))))
    return f"seat {event.get('seat')} {verb}" + ("" if event.get("cents") is None else f" {_amount(event)}")


def _wager(event: Said) -> str:
    marked = ", with a marker" if event.get("marker") else ""
    return f"seat {event.get('seat')} wagers {_amount(event)}, {event.get('box')}{marked}"


def _supervisor(event: Said) -> str:
    about = "" if event.get("ruling") is None else f" ruling {event['ruling']}"
    instead = "" if event.get("outcome") is None else f" with {in_sentence(words_of(Outcome, str(event['outcome'])))}"
    why = "" if not event.get("reason") else f": {event['reason']}"
    decided = in_sentence(words_of(Decision, str(event.get("decision"))))
    whom = "" if event.get("seat") is None else f", seat {event['seat']}"
    return f"{event.get('staff')} decides: {decided}{whom}{about}{instead}{why}"


def _fault(event: Said) -> str:
    deck = f", {_deck(event)}" if event.get("deck") else ""
    return f"{in_sentence(words_of(FaultKind, str(event.get('kind'))))}{deck}"


_WORDS: Final[Mapping[str, Callable[[Said], str]]] = {
    "table.open": lambda e: (
        f"the table opens under {e.get('rulebook')}, seats {', '.join(map(str, e.get('seats', [])))}"
    ),
    "table.close": lambda e: "the table closes",
    "seat.in": lambda e: f"a player takes seat {e.get('seat')}",
    "seat.out": lambda e: f"seat {e.get('seat')} leaves",
    "seat.away": lambda e: f"seat {e.get('seat')} steps away",
    "seat.back": lambda e: f"seat {e.get('seat')} is back",
    "stack": lambda e: f"seat {e.get('seat')}'s stack is counted: {_amount(e)}",
    "penalty": lambda e: f"seat {e.get('seat')} is given a penalty",
    "badge": lambda e: f"badge of {e.get('staff')}, {e.get('role')}",
    "supervisor": _supervisor,
    "device.state": lambda e: f"{e.get('device')} is {'there' if e.get('online') else 'gone'}",
    "test.mode": lambda e: f"devices are {'being' if e.get('on') else 'no longer'} tested",
    "tick": lambda e: "time passes",
    "counts.lost": lambda e: "the count of cards seen over rounds begins anew",
    "shoe.deck_checked": _checked,
    "deck.changed": lambda e: f"new cards for {_deck(e)}",
    "shoe.shuffled": lambda e: f"{_deck(e)} shuffled" + ("" if e.get("count") is None else f", {e['count']} cards"),
    "cut": lambda e: f"cut by {_by(e)}" + ("" if not e.get("exposed") else f", {e['exposed']} cards shown"),
    "cut.offered": lambda e: f"the cut is offered to {zone_in_words(str(e.get('to')))}",
    "shoe.card": lambda e: f"the shoe gives {_card(e)}" + (", face up" if e.get("face") == "up" else ""),
    "shoe.fault": lambda e: f"the shoe reports: {_fault(e)}",
    "shoe.cleared": lambda e: f"the shoe says cleared: {_fault(e)}",
    "card.placed": lambda e: f"{_card(e)} comes to {_at(e)}, face {e.get('face', 'down')}",
    "card.turned": lambda e: f"{_card(e)} at {_at(e)} is turned face {e.get('face', 'up')}",
    "card.exposed": lambda e: f"{_card(e)} at {_at(e)} is seen, by {_by(e)}",
    "card.removed": lambda e: f"{_card(e)} leaves {_at(e)}",
    "card.left_table": lambda e: f"{_card(e)} leaves the table, by {_by(e)}",
    "stub.shuffled": lambda e: "the undealt cards are shuffled",
    "hand.looked": lambda e: f"seat {e.get('seat')} looks at their cards",
    "marker.placed": lambda e: f"the {e.get('marker')} comes to seat {e.get('seat')}",
    "button.draw": lambda e: "a card to each seat, for the button",
    "deal.start": lambda e: "the deal begins",
    "wager": _wager,
    "action": _action,
    "betting.closed": lambda e: "the betting is closed",
    "draw": lambda e: f"seat {e.get('seat')} draws {e.get('count')}",
    "run_twice": lambda e: "it is agreed to run the board twice",
    "floor.called": lambda e: f"the floor is called, by {_by(e)}",
    "clock.called": lambda e: f"a clock on seat {e.get('seat')}, by {_by(e)}",
    "clock.start": lambda e: f"seat {e.get('seat')}'s clock starts",
    "clock.stop": lambda e: f"seat {e.get('seat')}'s clock stops",
    "pot": lambda e: f"pot {e.get('pot', 1)} is counted: {_amount(e)}",
    "hand.end": lambda e: "the pots are pushed, the cards collected",
    "dropbox.chip": lambda e: f"a chip through the slot: {_amount(e)}",
    "dropbox.state": lambda e: (
        f"the drop box is {'there' if e.get('present') else 'missing'}, {'locked' if e.get('locked') else 'unlocked'}"
    ),
    "float.commission": lambda e: f"commission laid aside: {_amount(e)}",
    "float.colour_change": lambda e: f"commission changed up: {_amount(e)}",
    "tournament.clock": lambda e: f"the tournament's clock {'runs' if e.get('running') else 'stands'}",
    "tournament.hand_for_hand": lambda e: f"hand for hand {'begins' if e.get('on') else 'ends'}",
    "tournament.go": lambda e: "the director lets play proceed",
    "race.start": lambda e: f"a race of chips of {_amount(e, 'chip')} for {_amount(e, 'new_chip')}",
}
