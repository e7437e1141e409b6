"""The start of a round: what must be in order before a card is dealt."""

from typing import TypeAlias

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.core.standing import DeckRecord, SeatRecord
from table_fsm.errors import Refused
from table_fsm.events import Action, DealStart
from table_fsm.felt import PlayerAction
from table_fsm.play import money
from table_fsm.play.betting import actions, antes, forced_faults
from table_fsm.play.button import button as button_button
from table_fsm.play.button import dead
from table_fsm.play.deck import cutting
from table_fsm.play.house import wagers
from table_fsm.play.tournament import clock, freeze_out, hand_for_hand, races
from table_fsm.poker.betting.acting import AGGRESSIVE
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity

_AT_START = {"noticed": "start"}
_DECK_MATTERS = frozenset(
    {
        Irregularity.DECK_UNCHECKED.value,
        Irregularity.SHORT_DECK.value,
        Irregularity.FOREIGN_CARD.value,
        Irregularity.DUPLICATE_CARD.value,
    }
)
Fault: TypeAlias = tuple[Irregularity, dict[str, str]]
"""A fault that prevents the start of a round, with its facts."""
_PLAYS_ON = AGGRESSIVE | {PlayerAction.CHECK, PlayerAction.CALL, PlayerAction.ALL_IN}
"""Actions that nobody keys while cards are collected; a fold may be keyed for a hand that is thrown away."""
_NOT_DRAWN = {"moved": "not_drawn", "sufficient": "no"}
_HELD_RACE = {"held": "race"}
_HELD_BREAK = {"held": "break"}


def on_deal_start(core: Core, event: DealStart) -> None:
    """Take the dealer's announcement of the deal: no more bets."""
    core.need_open()
    if core.in_round:
        raise Refused("a round is in progress: it ends with hand.end")
    _check_start(core, None, first_card=False)
    if core.will_end():
        return
    clock.deal_begins(core, "card")
    wagers.judge_wagers(core)
    core.round.deal_announced = True


def judge_unshuffled(core: Core, deck: str | None) -> None:
    """Rule on play after a round was ended, before the pack is shuffled: a card from the shoe, or a player's action.

    Collected cards do not leave the shoe, so the card is dealt.
    """
    if not any(record.shuffled for record in _records(core, deck)):
        _find_once(core, Irregularity.NOT_SHUFFLED, _unshuffled_facts(core), deck)


def on_action(core: Core, event: Action) -> None:
    """Take a player's action; after a round was ended, one shows that the round is played on all the same."""
    ended = core.collecting()
    actions.on_action(core, event)
    if ended and event.action in _PLAYS_ON:
        judge_unshuffled(core, None)


def first_card(core: Core, deck: str | None) -> None:
    """Begin the round at its first card, out of the shoe or at rest."""
    core.round.play_with(deck if deck is not None else core.standing.last_shuffled)
    _check_start(core, deck, first_card=True)
    wagers.judge_wagers(core)
    forced_faults.judge_start(core)
    core.judge()  # before the round begins: a stop for the pack is none of its rulings
    if core.collecting():
        return
    clock.deal_begins(core, "card")
    hand_for_hand.hand_begins(core)
    races.round_begins(core)
    standing = core.standing
    standing.round_number += 1
    standing.commenced = True
    if dead.used(core):
        dead.hand_begins(core)
    core.round.absent = {number for number, seat in standing.seats.items() if seat.away_since is not None}
    core.deck(deck).shuffled = False
    money.new_round(core)
    freeze_out.commence(core)
    core.round.forced.ante = antes.due(core)
    core.round.started = True
    core.boundary = False  # the same event may have ended the round before: no snapshot keeps this one's first card
    core.move("begin")


def _check_start(core: Core, deck: str | None, *, first_card: bool) -> None:
    money.judge_round(core)
    for irregularity, facts in _start_faults(core, deck, first_card=first_card):
        _find_once(core, irregularity, facts, deck)


def _find_once(core: Core, irregularity: Irregularity, facts: dict[str, str], deck: str | None) -> None:
    if not _ruled_before(core, irregularity, deck):
        matter = Matter.START, irregularity.value
        core.find(irregularity, facts, deck=core.deck_key(deck) or None, once=matter)


def _unshuffled_facts(core: Core) -> dict[str, str]:
    """Facts of a pack that was not shuffled: of the whole pack, and whether a misdeal asked for the shuffle."""
    after = core.collecting() and core.rounds.phase == "misdeal"
    return {"pack": "deck", "after": "misdeal" if after else "other"}


def _ruled_before(core: Core, irregularity: Irregularity, deck: str | None) -> bool:
    """Whether the fault has a pending ruling, so that it is not ruled on again."""
    if irregularity is Irregularity.DECK_UNCHECKED:
        key = core.deck_key(deck)
        return any(p.irregularity in _DECK_MATTERS and (p.deck or "") == key for p in core.standing.pending)
    if irregularity is Irregularity.CUT_MISSING:
        return False
    return any(p.irregularity == irregularity.value and not p.beyond_round for p in core.standing.pending)


def _start_faults(core: Core, deck: str | None, *, first_card: bool) -> list[Fault]:
    """The faults that prevent the start."""
    standing = core.standing
    records = _records(core, deck)
    faults: list[Fault] = []
    if standing.faults or standing.test_mode or questions.needed_offline(core):
        faults.append((Irregularity.SHOE_UNAVAILABLE, _AT_START))
    if not any(record.checked and not record.fouled for record in records):
        replaced = "yes" if any(record.replaced_at is not None for record in records) else "no"
        faults.append((Irregularity.DECK_UNCHECKED, {"replaced": replaced}))
    if not any(record.shuffled for record in records):
        faults.append((Irregularity.NOT_SHUFFLED, _unshuffled_facts(core)))
    if (deal := too_few_players(core)) is not None:
        faults.append((Irregularity.TOO_FEW_PLAYERS, {"deal": deal}))
    if not first_card:
        return faults
    if core.standing.tournament.race is not None:
        faults.append((Irregularity.NOT_RELEASED, _HELD_RACE))
    if hand_for_hand.hand_held(core):
        faults.append((Irregularity.NOT_RELEASED, hand_for_hand.HELD_HAND))
    if clock.in_break(core) and core.row(Irregularity.NOT_RELEASED, _HELD_BREAK).irregularity != ANY_IRREGULARITY:
        faults.append((Irregularity.NOT_RELEASED, _HELD_BREAK))
    return faults + _first_card_faults(core, deck)


def _first_card_faults(core: Core, deck: str | None) -> list[Fault]:
    book = core.book
    faults: list[Fault] = []
    if book.deck.packs > 1 and _same_pack_again(core, deck):
        faults.append((Irregularity.WRONG_DECK, {}))
    if book.button.first == "drawn" and core.standing.button is None:
        faults.append((Irregularity.BUTTON_WRONG, _NOT_DRAWN))
    if book.button.used and _button_elsewhere(core):
        assert core.round.button.choice is not None
        faults.append((Irregularity.BUTTON_WRONG, button_button.facts_of(core, core.round.button.choice[1])))
    return faults + cutting.faults(core)


def too_few_players(core: Core) -> str | None:
    """The reason why there are too few players for a deal; None where there are enough.

    "first" or "later": too few for the table's first deal or a later one. "unbalanced": a player must be moved here
    from another table.
    """
    standing, rules = core.standing, core.book.seats
    deal = "later" if standing.commenced else "first"
    if len(core.players()) < freeze_out.least_players(core):
        return deal
    if dead.must_halt(core):
        return "unbalanced"
    there = sum(not seat.leaving and (seat.away_since is None or _sent_away(seat)) for seat in standing.seats.values())
    short = not standing.commenced and rules.least_to_begin is not None and there < rules.least_to_begin
    return deal if short else None


def _sent_away(seat: SeatRecord) -> bool:
    """Whether the player had taken the seat and the floor has sent them away."""
    return seat.penalty is not None and not seat.penalty.away_before


def _records(core: Core, deck: str | None) -> list[DeckRecord]:
    """The pack about to be dealt; while it is not known, all known packs."""
    decks = core.standing.decks
    key = core.deck_key(deck)
    return list(decks.values()) if not key and "" not in decks else [core.deck(deck)]


def _same_pack_again(core: Core, deck: str | None) -> bool:
    standing = core.standing
    used = core.deck_key(deck)
    if not used or used != standing.last_deck:
        return False
    others = [(name, record) for name, record in standing.decks.items() if name and name != used]
    out_of_service = {fault.deck for fault in standing.faults}
    if not others:
        return True
    return any(record.checked and not record.fouled and name not in out_of_service for name, record in others)


def _button_elsewhere(core: Core) -> bool:
    seen = core.standing.button_seen
    expected = button_button.expected_button(core)
    if seen is None or expected is None or seen == expected:
        return False
    core.round.button.choice = (expected, seen)
    return True
