"""Chip races between two rounds, with open cards of the pack at seats with odd chips.

ACT 2001, 4.8; The Star 7.42; Onyx, Chip Races. The method is the book's (`races`). The pack must be shuffled again
before the next round. No source asks for a shuffle before a race: the prompt does, and its lack is no fault (ours).
"""

from typing import Final

from table_fsm import outputs
from table_fsm.core import alarms
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import CardPlaced, CardRemoved, CardTurned, RaceStart, ShoeCard
from table_fsm.felt import RACES, SEATS, AlarmKind
from table_fsm.play.tournament import clock, moves
from table_fsm.poker.cards.places import Doubt, Origin
from table_fsm.poker.cards.tracker import CardTracker
from table_fsm.poker.tournament.races import Race, RaceMethod, start_race
from table_fsm.rulebook.irregularities import Irregularity

SEAT_OF_RACE: Final = dict(zip(RACES, SEATS, strict=True))

_IDENTITY: Final = {"found": "identity"}
_DOUBTS: Final = {
    Doubt.DUPLICATE: (Irregularity.DUPLICATE_CARD, _IDENTITY),
    Doubt.FOREIGN: (Irregularity.FOREIGN_CARD, _IDENTITY),
    Doubt.UNEXPECTED: (Irregularity.CARD_NOT_FROM_SHOE, {}),
}


def on_race_start(core: Core, event: RaceStart) -> None:
    """Begin a chip race; raise Refused where none may begin."""
    clock.needs_tournament(core, event.ev)
    method = core.book.tournament.race
    if method is None:
        raise Refused(f"race.start has no meaning under {core.standing.rulebook}: it races no chips")
    if core.in_round or core.collecting():
        raise Refused("race.start: a race is between two rounds, when the cards have been collected")
    record = core.standing.tournament
    if record.race is not None and record.race.due is not None:
        raise Refused(f"race.start: a race is in progress, seat {record.race.due} is due a card")
    race = start_race(RaceMethod(method), event.chip, event.new_chip, _odd(core, event), event.last)
    _alarms_over(core)
    record.race = race
    core.round.tournament.forget_race()
    core.round.rulings.forget_race()
    _decide(core)


def _odd(core: Core, event: RaceStart) -> dict[int, int]:
    odd: dict[int, int] = {}
    for name, count in event.odd.items():
        if not name.isdecimal() or int(name) not in core.standing.seats:
            raise Refused(f"race.start: odd: seat {name!r} has no player")
        odd[int(name)] = count
    return odd


def _cards(core: Core) -> CardTracker:
    cards = core.round.tournament.race_cards
    if cards is None:
        cards = CardTracker(core.deck_cards)
        core.round.tournament.deal_race(cards)
    return cards


def _race(core: Core, zone: str) -> Race:
    race = core.standing.tournament.race
    if race is None or core.in_round:
        raise Refused(f"zone {zone!r}: no chip race is in progress; race.start begins one")
    return race


def takes_shoe_card(core: Core, event: ShoeCard) -> bool:
    """Take a card from the shoe for the race; return whether a race was due one."""
    race = core.standing.tournament.race
    if race is None or race.due is None or core.in_round:
        return False
    _rule(core, _cards(core).leave_shoe(event.card, event.deck, event.face == "up"), event.deck)
    return True


def on_card_placed(core: Core, event: CardPlaced) -> None:
    """Take a card of the race that came to a seat.

    Raises Refused where the seat is due none and the book has no row for that, and changes nothing then.
    """
    race, seat, cards = _race(core, event.zone), SEAT_OF_RACE[event.zone], _cards(core)
    up = event.face == "up"
    if seat not in race.owed and core.has_row(Irregularity.RACE_OUT_OF_ORDER):
        _lies_astray(core, event, cards)
        return
    name = event.card
    if name is None and cards.mouth:
        name = cards.mouth[0].card
    race.deal(seat, name if up else None)
    passed_over = race.passed_over(seat, each_whole=race.method is RaceMethod.PLAYERS_FAVOUR)
    if passed_over is not None and core.has_row(Irregularity.RACE_OUT_OF_ORDER):
        core.find(Irregularity.RACE_OUT_OF_ORDER, {"due": "later"}, seat=seat, once=(Matter.RACE, passed_over))
    placement = cards.place(event.zone, event.card, up)
    core.deck(event.deck).shuffled = False
    core.standing.tournament.race = race.deal(seat, placement.card if up else None)
    _rule(core, placement.doubt, event.deck)
    if placement.origin is Origin.NOWHERE and core.standing.shoe_gives_cards:
        core.find(Irregularity.CARD_NOT_FROM_SHOE, seat=seat)
    _decide(core)


def _lies_astray(core: Core, event: CardPlaced, cards: CardTracker) -> None:
    """Rule on a card at a seat that is due none: it lies there, and the race goes on without it."""
    placement = cards.place(event.zone, event.card, event.face == "up")
    core.deck(event.deck).shuffled = False
    core.find(Irregularity.RACE_OUT_OF_ORDER, {"due": "none"}, seat=SEAT_OF_RACE[event.zone])
    _rule(core, placement.doubt, event.deck)


def on_card_turned(core: Core, event: CardTurned) -> None:
    """Take a card of the race that was turned or read again."""
    race, seat, cards = _race(core, event.zone), SEAT_OF_RACE[event.zone], _cards(core)
    if not cards.holds(event.zone):
        raise Refused(f"no card lies in {event.zone}: nothing has been placed there in this race")
    before = set(cards.shown(event.zone))
    if (seat, None) in race.cards and event.face == "up" and cards.ups(event.zone) == cards.holds(event.zone):
        cards.turn(event.zone, None, False)  # the card shows its face a second time, to be read
    _rule(core, cards.turn(event.zone, event.card, event.face == "up"), None)
    new = [card for card in cards.shown(event.zone) if card not in before]
    if new and (seat, None) in race.cards:
        core.standing.tournament.race = race.read(seat, new[0])
        _decide(core)


def on_card_removed(core: Core, event: CardRemoved) -> None:
    """Take a card back from a race in progress; after a race cards are collected.

    Where more cards lie than the race has of the seat, the one that is not the race's goes.
    """
    race, cards = core.standing.tournament.race, core.round.tournament.race_cards
    if race is None or core.in_round or cards is None or not cards.holds(event.zone):
        return
    seat = SEAT_OF_RACE[event.zone]
    cards.lift(event.zone, event.card)
    if cards.holds(event.zone) < sum(owner == seat for owner, _ in race.cards):
        core.standing.tournament.race = race.take_back(seat)


def _rule(core: Core, doubt: Doubt | None, deck: str | None) -> None:
    if doubt is not None:
        irregularity, facts = _DOUBTS[doubt]
        core.find(irregularity, facts, deck=core.deck_key(deck) or None)


def _decide(core: Core) -> None:
    """Announce the result of the race, or that a person must decide."""
    record = core.standing.tournament
    race = record.race
    assert race is not None
    result = race.result
    if result is not None:
        record.race = None
        record.raced.append(race.chip)
        core.emit(outputs.Race(result.chips, result.removed))
        moves.raced(core, race.chip)
        _alarms_over(core)
    elif race.undecided is not None and not any(
        alarm.kind == AlarmKind.RACE_UNDECIDED for alarm in core.standing.alarms
    ):
        alarms.raise_alarm(core, AlarmKind.RACE_UNDECIDED)


def settled(core: Core) -> None:
    """End a race that the cards could not decide, because a person has decided it."""
    record = core.standing.tournament
    if record.race is not None and record.race.due is None:
        chip, record.race = record.race.chip, None
        record.raced.append(chip)
        moves.raced(core, chip)
        _alarms_over(core)


def _alarms_over(core: Core) -> None:
    for alarm in [alarm for alarm in core.standing.alarms if alarm.kind == AlarmKind.RACE_UNDECIDED]:
        alarms.over(core, alarm)


def round_begins(core: Core) -> None:
    """Drop an unfinished race because a round begins; the shoe's cards are the round's."""
    given = core.round.tournament.race_cards
    if core.standing.tournament.race is None:
        return
    core.standing.tournament.race = None
    _alarms_over(core)
    for out in given.mouth if given is not None else ():
        core.round.tracker.leave_shoe(out.card, out.deck, out.boxed)
    core.round.tournament.forget_race()
