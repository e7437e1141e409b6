"""Events in the words of the trade, for people who read what happened."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from feltd.text.amounts import amount_in_words
from feltd.text.catalogue import say
from feltd.text.words import alarms_in_words, begin_sentence, deck_in_words, in_sentence, plain, words_of, zone_in_words
from table_fsm.felt import JOKER, ZONE_TROUBLES, AlarmKind, Decision, FaultKind, PlayerAction
from table_fsm.rulebook.denomination import Denomination
from table_fsm.rulebook.outcomes import Outcome

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_AMOUNTS: Final = ("cents", "chip", "new_chip")
"""The fields of events that are amounts."""
Said = Mapping[str, Any]


def card_in_words(card: str | None) -> str:
    """Return `Td` as `10♦`, and `a card` for one that no reader named or nobody may see."""
    if card is None:
        return say("a card")
    if card == JOKER:
        return say("the joker")
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


def _place_told(event: Said) -> str:
    entry, first, last = event.get("entry"), event.get("first"), event.get("last")
    if first is None:
        return say("the floor tells: entry {entry} has no place any more", entry=entry)
    place = str(first) if first == last else f"{first}–{last}"
    return say("the floor tells: entry {entry} is placed {place}", entry=entry, place=place)


def _conduct_told(event: Said) -> str:
    carried = []
    if event.get("left"):
        carried.append(say("a penalty of {left}", left=event.get("left")))
    if event.get("banks") is not None:
        carried.append(say("{banks} time banks", banks=event.get("banks")))
    if event.get("absent") is not None:
        carried.append(say("away from the seat") if event.get("absent") else say("there"))
    what = ", ".join(carried) or say("nothing else")
    return say("the floor tells what entry {entry} carries: {what}", entry=event.get("entry"), what=what)


def _names(words: object) -> str:
    cards = words if isinstance(words, list) else []
    return ", ".join(card_in_words(card) for card in cards)


def _card(event: Said) -> str:
    return card_in_words(event.get("card"))


def _at(event: Said) -> str:
    zone = event.get("zone")
    return zone_in_words(str(zone)) if zone else say("the table")


def _deck(event: Said) -> str:
    deck = event.get("deck")
    return say("the {deck} deck", deck=deck_in_words(deck)) if deck else say("the deck")


def _by(event: Said) -> str:
    return zone_in_words(str(event.get("by")))


def _checked(event: Said) -> str:
    faults = [
        f"{label} {_names(event[key])}"
        for key, label in (("missing", say("missing")), ("foreign", say("foreign")), ("duplicate", say("twice")))
        if event.get(key)
    ]
    checked = say("{deck} checked: {count} cards", deck=_deck(event), count=event.get("count"))
    return checked + "".join(f", {fault}" for fault in faults)


def _action(event: Said) -> str:
    verb = in_sentence(words_of(PlayerAction, str(event.get("action"))))
    who = say("seat {seat}", seat=event.get("seat"))
    return f"{who} {verb}" + ("" if event.get("cents") is None else f" {_amount(event)}")


def _wager(event: Said) -> str:
    marked = say(", with a marker") if event.get("marker") else ""
    told = {"seat": event.get("seat"), "amount": _amount(event), "box": event.get("box")}
    return say("seat {seat} wagers {amount}, {box}", **told) + marked


def _supervisor(event: Said) -> str:
    about = "" if event.get("ruling") is None else say(" ruling {ruling}", ruling=event["ruling"])
    outcome = event.get("outcome")
    instead = "" if outcome is None else say(" with {outcome}", outcome=in_sentence(words_of(Outcome, str(outcome))))
    why = "" if not event.get("reason") else f": {event['reason']}"
    decided = in_sentence(words_of(Decision, str(event.get("decision"))))
    if event.get("alarm") is not None:
        devices = event.get("devices") or filter(None, [event.get("device")])
        about += f" {in_sentence(alarms_in_words(str(event['alarm']), devices, event.get('seat'), event.get('deck')))}"
    if event.get("minutes") is not None:
        about += say(" for {minutes} min", minutes=event["minutes"])
    of_player = event.get("seat") is not None and event.get("alarm") is None
    whom = say(", seat {seat}", seat=event["seat"]) if of_player else ""
    who = say("{staff} decides: {decided}", staff=event.get("staff"), decided=decided)
    return f"{who}{whom}{about}{instead}{why}"


def _fault(event: Said) -> str:
    deck = f", {_deck(event)}" if event.get("deck") else ""
    return f"{in_sentence(words_of(FaultKind, str(event.get('kind'))))}{deck}"


def _opens(event: Said) -> str:
    seats = ", ".join(map(str, event.get("seats", [])))
    return say("the table opens under {rulebook}, seats {seats}", rulebook=event.get("rulebook"), seats=seats)


def _device(event: Said) -> str:
    if event.get("online"):
        return say("device {device} is online", device=event.get("device"))
    return say("device {device} is offline", device=event.get("device"))


def _zone_read(event: Said) -> str:
    device, zone, trouble = event.get("device"), _at(event), event.get("trouble")
    if trouble is None:
        return say("{device} reads {zone} again", device=device, zone=zone)
    kind = ZONE_TROUBLES.get(str(trouble))
    why = str(trouble) if kind is None else in_sentence(words_of(AlarmKind, kind.value))
    return say("{device} does not read {zone} whole: {why}", device=device, zone=zone, why=why)


def _shuffled(event: Said) -> str:
    count = event.get("count")
    return say("{deck} shuffled", deck=_deck(event)) + ("" if count is None else say(", {count} cards", count=count))


def _cut(event: Said) -> str:
    exposed = event.get("exposed")
    return say("cut by {who}", who=_by(event)) + (say(", {count} cards shown", count=exposed) if exposed else "")


def _given(event: Said) -> str:
    up = event.get("face") == "up"
    return say("the shoe gives {card}", card=_card(event)) + (say(", face up") if up else "")


def _placed(event: Said) -> str:
    told = {"card": _card(event), "zone": _at(event)}
    if event.get("face", "down") == "down":
        return say("{card} comes to {zone}, face down", **told)
    return say("{card} comes to {zone}, face up", **told)


def _turned(event: Said) -> str:
    told = {"card": _card(event), "zone": _at(event)}
    if event.get("face", "up") == "up":
        return say("{card} at {zone} is turned face up", **told)
    return say("{card} at {zone} is turned face down", **told)


def _box(event: Said) -> str:
    there = say("the drop box is there") if event.get("present") else say("the drop box is missing")
    return there + (say(", locked") if event.get("locked") else say(", unlocked"))


_WORDS: Final[Mapping[str, Callable[[Said], str]]] = {
    "table.open": _opens,
    "table.close": lambda e: say("the table closes"),
    "seat.in": lambda e: say("a player takes seat {seat}", seat=e.get("seat")),
    "seat.out": lambda e: say("seat {seat} leaves", seat=e.get("seat")),
    "seat.away": lambda e: say("seat {seat} steps away", seat=e.get("seat")),
    "seat.back": lambda e: say("seat {seat} is back", seat=e.get("seat")),
    "stack": lambda e: say("seat {seat}'s stack is counted: {amount}", seat=e.get("seat"), amount=_amount(e)),
    "penalty": lambda e: say("seat {seat} is given a penalty", seat=e.get("seat")),
    "badge": lambda e: say("badge of {staff}, {role}", staff=e.get("staff"), role=e.get("role")),
    "supervisor": _supervisor,
    "device.state": _device,
    "zone.state": _zone_read,
    "test.mode": lambda e: say("devices are being tested") if e.get("on") else say("devices are no longer tested"),
    "tick": lambda e: say("time passes"),
    "counts.lost": lambda e: say("the count of cards seen over rounds begins anew"),
    "shoe.deck_checked": _checked,
    "deck.changed": lambda e: say("new cards for {deck}", deck=_deck(e)),
    "shoe.shuffled": _shuffled,
    "cut": _cut,
    "cut.offered": lambda e: say("the cut is offered to {who}", who=zone_in_words(str(e.get("to")))),
    "shoe.card": _given,
    "shoe.fault": lambda e: say("the shoe reports: {fault}", fault=_fault(e)),
    "shoe.cleared": lambda e: say("the shoe says cleared: {fault}", fault=_fault(e)),
    "card.placed": _placed,
    "card.turned": _turned,
    "card.exposed": lambda e: say("{card} at {zone} is seen, by {who}", card=_card(e), zone=_at(e), who=_by(e)),
    "card.removed": lambda e: say("{card} leaves {zone}", card=_card(e), zone=_at(e)),
    "card.left_table": lambda e: say("{card} leaves the table, by {who}", card=_card(e), who=_by(e)),
    "stub.shuffled": lambda e: say("the undealt cards are shuffled"),
    "hand.looked": lambda e: say("seat {seat} looks at their cards", seat=e.get("seat")),
    "hand.shown": lambda e: say("seat {seat}'s hand lies open, by the dealer's key", seat=e.get("seat")),
    "marker.placed": lambda e: say("the {marker} comes to seat {seat}", marker=e.get("marker"), seat=e.get("seat")),
    "button.draw": lambda e: say("a card to each seat, for the button"),
    "deal.start": lambda e: say("the deal begins"),
    "wager": _wager,
    "action": _action,
    "betting.closed": lambda e: say("the betting is closed"),
    "draw": lambda e: say("seat {seat} draws {count}", seat=e.get("seat"), count=e.get("count")),
    "run_twice": lambda e: say("it is agreed to run the board twice"),
    "floor.called": lambda e: say("the floor is called, by {who}", who=_by(e)),
    "clock.called": lambda e: say("a clock on seat {seat}, by {who}", seat=e.get("seat"), who=_by(e)),
    "clock.start": lambda e: say("seat {seat}'s clock starts", seat=e.get("seat")),
    "clock.stop": lambda e: say("seat {seat}'s clock stops", seat=e.get("seat")),
    "pot": lambda e: say("pot {pot} is counted: {amount}", pot=e.get("pot", 1), amount=_amount(e)),
    "hand.end": lambda e: say("the pots are pushed, the cards collected"),
    "dropbox.chip": lambda e: say("a chip through the slot: {amount}", amount=_amount(e)),
    "dropbox.state": _box,
    "float.commission": lambda e: say("commission laid aside: {amount}", amount=_amount(e)),
    "float.colour_change": lambda e: say("commission changed up: {amount}", amount=_amount(e)),
    "tournament.clock": lambda e: (
        say("the tournament's clock runs") if e.get("running") else say("the tournament's clock is paused")
    ),
    "tournament.hand_for_hand": lambda e: say("hand for hand begins") if e.get("on") else say("hand for hand ends"),
    "tournament.go": lambda e: say("the director lets play proceed"),
    "tournament.field": lambda e: say(
        "the floor tells: {remaining} of {entrants} players are left",
        remaining=e.get("remaining"),
        entrants=e.get("entrants"),
    ),
    "tournament.moves": lambda e: say(
        "the floor tells who moves: to seats {comes}, from seats {goes}",
        comes=", ".join(map(str, e.get("comes", ()))) or "–",
        goes=", ".join(map(str, e.get("goes", ()))) or "–",
    ),
    "seat.entry": lambda e: say(
        "the floor tells: entry {entry} sits at seat {seat}", entry=e.get("entry"), seat=e.get("seat")
    ),
    "seat.conduct": _conduct_told,
    "tournament.placed": _place_told,
    "tournament.race": lambda e: (
        say("the floor orders no race any more")
        if e.get("chip") is None
        else say(
            "the floor orders a race of chips of {chip} for {new_chip}",
            chip=_amount(e, "chip"),
            new_chip=_amount(e, "new_chip"),
        )
    ),
    "race.start": lambda e: say(
        "a race of chips of {chip} for {new_chip}", chip=_amount(e, "chip"), new_chip=_amount(e, "new_chip")
    ),
}
