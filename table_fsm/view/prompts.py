"""What the dealer should do next, from the state alone."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.standing import DeckRecord
from table_fsm.felt import BOARD, SEAT_ZONE, clockwise
from table_fsm.play import money
from table_fsm.play.betting import forced_bets, forced_faults, stakes
from table_fsm.play.button import button as button_button
from table_fsm.play.button import draw as button_draw
from table_fsm.play.deal import order
from table_fsm.play.deck import cutting
from table_fsm.play.tournament import hand_for_hand
from table_fsm.poker.dealing import Deal
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt

_CONTEST = 2
"""Players that a round takes."""


def prompt(core: Core) -> Prompt | None:
    """The next thing to do; None where there is nothing to say."""
    standing = core.standing
    if not standing.open:
        return None
    if standing.pending and waits_for_person(core):
        return ask.Wait(ask.WaitReason.FLOOR)
    round_ = core.round
    if not round_.started:
        return _between(core)
    if standing.tournament.hand_for_hand and hand_for_hand.showdown_held(core):
        return ask.Wait(ask.WaitReason.GO) if round_.betting is None or not round_.betting.open else ask.Close()
    return core.stage().prompt()


def waits_for_person(core: Core) -> bool:
    """Tell whether play stops until a person has decided.

    A stop about the pack that is not in play takes effect when that pack is.
    """
    return not all(map(core.of_other_pack, core.standing.pending))


def gate_locked(core: Core) -> bool:
    """Whether the shoe's gate must stay shut."""
    standing = core.standing
    if not standing.open:
        return True
    if standing.pending and waits_for_person(core):
        return True
    boxed = (standing.box_present and standing.box_locked) or money.box_safe(core)  # hot path: mostly it is in place
    if standing.test_mode or not boxed or (standing.offline and questions.needed_offline(core)):
        return True
    round_ = core.round
    if standing.tournament.hand_for_hand and _held(core):
        return True
    round_deck = round_.deck if round_.started else None
    if standing.faults and any(fault.deck in {None, round_deck} or round_deck is None for fault in standing.faults):
        return True
    fouled = standing.decks.get(round_deck or core.deck_key(None))  # hot path: most rounds know their pack
    return fouled is not None and fouled.fouled


def _held(core: Core) -> bool:
    return hand_for_hand.showdown_held(core) if core.round.started else hand_for_hand.hand_held(core)


def _next_pack(core: Core) -> str | None:
    """The pack whose turn it is, where two take turns."""
    standing = core.standing
    if core.book.deck.packs > 1 and standing.last_deck is not None:
        return next((name for name in standing.decks if name and name != standing.last_deck), None)
    return standing.last_shuffled


def _to_check(core: Core, record: DeckRecord) -> bool:
    """Whether the pack may not be dealt before it is checked: it was found wrong, or new cards came in."""
    return record.fouled or (core.book.deck.check == "required" and not record.checked)


def _between(core: Core) -> Prompt:
    standing = core.standing
    pack = _next_pack(core)
    record = standing.decks.get(pack or "")
    if core.rounds.phase == "checking_cards" or (record is not None and _to_check(core, record)):
        return ask.CheckPack(pack)
    if standing.tournament.race is not None and (raced := _race(core, record)) is not None:
        return raced
    if standing.collecting or record is None or not record.shuffled:
        return ask.Shuffle(pack)
    if core.rounds.phase == "cutting":
        cutters = cutting.who_cuts(core)
        return ask.Cut(SEAT_ZONE[cutters[0]] if cutters else None)
    if core.book.banked == "house":
        return ask.Wagers() if not core.round.deal_announced else ask.deal(BOARD[0], "down")
    if len(core.players()) < _CONTEST:
        return ask.Wait(ask.WaitReason.PLAYERS)
    if (drawn := button_draw.prompt(core)) is not None:
        return drawn
    expected = button_button.expected_button(core)
    if standing.button_seen is not None and expected is not None and standing.button_seen != expected:
        return ask.MoveButton(expected)
    deal = order.make_deal(core, 0)
    if not core.round.deal_announced and (forced := _forced_bets(core, deal)) is not None:
        return forced
    first = deal.due()
    if first is not None and hand_for_hand.hand_held(core):
        return ask.Wait(ask.WaitReason.GO)
    return ask.deal(SEAT_ZONE[first], "down") if first is not None else ask.Wait(ask.WaitReason.PLAYERS)


def _race(core: Core, record: DeckRecord | None) -> Prompt | None:
    """The next card of a chip race. None while the pack is to be shuffled for it."""
    race = core.standing.tournament.race
    assert race is not None
    if race.due is None:
        return ask.Wait(ask.WaitReason.FLOOR)
    ready = core.round.tournament.race_cards is not None or (record is not None and record.shuffled)
    return ask.deal(f"race:{race.due}", "up") if ready else None


def _forced_bets(core: Core, deal: Deal) -> Prompt | None:
    """Blinds and antes not yet put in, where the amounts are known: which of them first, the book says.

    Those of the level before are asked for again while the deal has not begun: the new limits apply (The Star 7.20).

    A player who is not there, and may be passed over, owes nothing until they are dealt in.
    """
    ring = [seat for seat in deal.ring if seat not in deal.optional]
    due = forced_bets.blind_seats(core, ring) if stakes.of_deal(core) is not None else {}
    paid = forced_bets.posted(core, ring, due)
    owed = forced_bets.antes_due(core, ring, due)
    put_in = forced_faults.put_in(core, ante=True)
    antes = {seat: paid[seat].ante for seat in owed if seat not in put_in and paid[seat].ante}
    blinds = {s: paid[s].blind if s in paid else cents for s, cents in _posts_due(core, deal, due).items()}
    asked: list[Prompt] = [ask.Post(blinds)] if blinds else []
    if antes:
        asked.insert(0 if forced_bets.ante_first(core) else len(asked), ask.Ante(antes))
    return asked[0] if asked else None


def _posts_due(core: Core, deal: Deal, due: dict[int, int | None]) -> dict[int, int | None]:
    """Blinds not yet posted; newcomers beyond the big blind post it too."""
    due = dict(due)
    if not due:
        return {}
    last = list(due)[-1]
    button = button_button.expected_button(core) or 0
    behind = clockwise(list(deal.ring), button)
    for seat in behind[behind.index(last) + 1 :]:
        record = core.standing.seats[seat]
        if record.newcomer and record.away_since is None and seat not in due:
            due[seat] = due[last]
    put_in = forced_faults.put_in(core, ante=False)
    return {seat: cents for seat, cents in due.items() if seat not in put_in}
