"""Running it twice: the rest of the board is dealt twice, each for half of each pot.

Onyx, Cash 17. All in, agreed and approved. The cards on the board when it is agreed belong to both; the second board's
own lie in `board2`. Burns as before any card of the board. The dealer chooses which of the two is dealt first, or leg
by leg.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from table_fsm.core import alarms
from table_fsm.core.board_state import SecondBoard
from table_fsm.core.core import Core
from table_fsm.core.questions import cards_before, cards_of_a_hand, hands_unseen, unseen_zones
from table_fsm.errors import Refused
from table_fsm.events import RunTwice
from table_fsm.felt import BOARD, BOARD2, SEAT_ZONE, AlarmKind
from table_fsm.play.board import corrections
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.poker.pots import build_pots
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity


def on_run_twice(core: Core, event: RunTwice) -> None:
    """Begin a second board, because the players have agreed.

    Raises Refused with the reason where they may not.
    """
    rules = core.book.run_twice
    if not rules.used:
        raise Refused(f"run_twice has no meaning under {core.standing.rulebook}: the board is dealt once")
    if core.collecting():
        return
    _check_all_in(core)
    pot, least = _pot(core), _least(core)
    if pot is not None and least is not None and pot <= least:
        raise Refused(
            f"run_twice: a pot of {pot} cents is not above {rules.above_big_blinds} big blinds ({least} cents)"
        )
    badges = [core.standing.badges[role] for role in rules.roles if role in core.standing.badges]
    if not badges or core.t - max(badges) > rules.witness_seconds:
        raise Refused(f"run_twice: a supervisor approves it; badge ({', '.join(rules.roles)}) first, then agree again")
    core.round.second_board = SecondBoard(core.round.board.shown)


def _check_all_in(core: Core) -> None:
    betting = core.round.betting
    if core.round.second_board is not None:
        raise Refused("run_twice: it has been agreed already")
    if betting is None or core.round.showdown.decided or len(betting.live) < 2:
        raise Refused("run_twice: no pot is contested")
    if core.round.board.shown >= _whole(core):
        raise Refused("run_twice: the board is complete")
    bets_to_come = betting.contested if betting.open else len(betting.able) > 1
    if betting.ever_keyed and (bets_to_come or not any(betting.players[seat].all_in for seat in betting.live)):
        raise Refused("run_twice: there are bets to come; it is for players who are all in")


def _whole(core: Core) -> int:
    return cards_before(core, len(core.book.streets) - 1)


def _pot(core: Core) -> int | None:
    """Cents in the pots, as keyed or counted; None where nobody knows."""
    betting = core.round.betting
    assert betting is not None
    totals = {seat: player.total for seat, player in betting.players.items()}
    known = {seat: total for seat, total in totals.items() if total is not None}
    if betting.ever_keyed and betting.trusted and len(known) == len(totals):
        return sum(pot.cents for pot in build_pots(known, betting.live, betting.dead))
    return sum(core.round.showdown.pots.values()) if core.round.showdown.pots else None


def _least(core: Core) -> int | None:
    betting = core.round.betting
    assert betting is not None
    return None if betting.terms.blind is None else betting.terms.blind * core.book.run_twice.above_big_blinds


# -- the second board


def _shown(core: Core, second: SecondBoard) -> int:
    """Cards of the second board alone that show, but for those that a ruling made burns."""
    tracker = core.round.tracker
    lying = sum(tracker.ups(zone) for zone in BOARD2)
    if not second.made_burns:
        return lying
    return lying - sum(card in second.made_burns for zone in BOARD2 for card in tracker.shown(zone))


def dealing(core: Core) -> SecondBoard | None:
    """The second board while cards of it are to come; else None."""
    second = core.round.second_board
    return second if second is not None and second.shared + _shown(core, second) < _whole(core) else None


def burns_allowed(core: Core) -> int:
    """Burns allowed for the second board."""
    if dealing(core) is None or core.options.burn is None or "burn" in unseen_zones(core):
        return 0
    return int(core.options.burn)


def check_agreed(core: Core, zone: str) -> None:
    """Raise Refused for a card on a second board that nobody agreed to."""
    if core.round.second_board is None:
        raise Refused(f"{zone}: nobody has agreed to run it twice (run_twice); take the card back and call the floor")


def card_came(core: Core, placement: Placement, up: bool) -> None:
    """Take a card that came to the second board; it counts as shown when its face shows."""
    second = core.round.second_board
    assert second is not None
    if placement.origin is Origin.LIFTED and placement.zone_before != "burn":
        if placement.zone_before is not None and not placement.zone_before.startswith("board"):
            corrections.hand_card_came(core, placement.card, placement.zone_before)
        elif placement.zone_before in BOARD:
            moved_across(core, second, placement.card)
        judge_if_whole(core)  # straightened, while the hands were tabled
        return
    if up:
        card_shown(core, placement.card)


def card_shown(core: Core, card: str | None) -> None:
    """Take a card of the second board whose face shows."""
    second = core.round.second_board
    assert second is not None
    core.flow.end_idle_street()
    if card is not None and card in second.made_burns:
        return  # a burn that is laid straight where it lies
    number = second.shared + _shown(core, second)
    if number > _whole(core):
        facts = corrections.facts_of(core, Irregularity.BOARD_OVERDEALT, Origin.SHOE)
        core.find(Irregularity.BOARD_OVERDEALT, {**facts, "board": "later"})
        if card is not None and core.rounds.phase != "showdown":
            second.deal_too_many(card)
        return
    _judge_burn(core, second, number, card)
    if not core.collecting():
        judge_if_whole(core)


def one_too_many(core: Core, card: str | None) -> None:
    """Note a card too many of the first board that the second may lack: laid there, it is no new fault."""
    second = dealing(core)
    if second is not None and card is not None:
        second.deal_too_many(card)


def came_over(core: Core, card: str | None) -> bool:
    """Take a card of the second board that is laid on the first.

    Returns whether it is the first's own, which was dealt to the second as one too many and was not counted yet.
    """
    second = core.round.second_board
    if second is None or card is None:
        return False
    if second.goes_to_its_own(card):
        return True
    moved_across(core, second, card)
    return False


def moved_across(core: Core, second: SecondBoard, card: str | None) -> None:
    """Rule on a card of one board that is laid on the other, unless it comes back to its own.

    A card without a name may be one of either board. Once the round is over the dealer sweeps both boards together.
    """
    if card is None or second.goes_to_its_own(card) or second.comes_back(card) or _swept(core, second):
        return
    second.go_astray(card)
    facts = corrections.facts_of(core, Irregularity.BOARD_OVERDEALT, Origin.LIFTED)
    core.find(Irregularity.BOARD_OVERDEALT, {**facts, "board": "later"})
    core.judge()  # before the winners are looked for


def _swept(core: Core, second: SecondBoard) -> bool:
    """Whether the dealer has only to collect: the winners are told, or both boards lay whole and no hand is to be read.

    Without readers before the players, or where a hand has no names, no showdown is ever decided.
    """
    if core.round.showdown.decided:
        return True
    betting = core.round.betting
    if not second.dealt or core.rounds.phase != "showdown" or core.has_pending(Irregularity.BOARD_OVERDEALT):
        return False
    if betting is None or hands_unseen(core):
        return True
    own, tracker = cards_of_a_hand(core)[0], core.round.tracker
    return all(tracker.ups(SEAT_ZONE[seat]) >= own for seat in betting.live)


def card_left(core: Core) -> None:
    """Take a card that left the second board: one too many may have kept it from being judged."""
    judge_if_whole(core)


def judge_if_whole(core: Core) -> None:
    """Name the winners of both boards, where the hands are tabled and no card is to come or to be decided on."""
    second = core.round.second_board
    if second is not None and dealing(core) is None:
        second.dealt = True
        core.flow.judge_showdown()


def _judge_burn(core: Core, second: SecondBoard, number: int, card: str | None) -> None:
    """Rule on the missing burn before the first card of a leg, once for each leg. `number`: the card's on the board."""
    if number not in _firsts(core) or number in second.burnt:
        return
    second.burnt.add(number)
    if core.round.board.burns:
        core.round.board.use_burn()
        return
    facts = corrections.facts_of(core, Irregularity.BURN_MISSING, Origin.SHOE)
    about = {**facts, "board": "flop" if number == 1 else "later"}
    second.judge(card)
    core.find(Irregularity.BURN_MISSING, about, then=lambda ruling, _: second.ruled(ruling))
    core.judge()
    second.judged_it()


def _firsts(core: Core) -> set[int]:
    """Numbers on the board of the first card of each leg."""
    return {cards_before(core, street) + 1 for street in range(len(core.book.streets) - 1)}


@contextmanager
def deciding(core: Core, ruling: int) -> Iterator[None]:
    """A person decides on a ruling: what is undone and carried out is about the board that it was about."""
    first, second = core.round.board, core.round.second_board
    if second is None or ruling not in second.of_rulings:
        first.decide(ruling)
        yield
        first.decide(None)
        return
    second.judge(second.of_rulings[ruling])
    yield
    second.judged_it()
    judge_if_whole(core)


def cards(core: Core, first: list[str]) -> list[str]:
    """The cards of the second board: the shared ones of `first`, and its own."""
    second = core.round.second_board
    assert second is not None
    own = [card for zone in BOARD2 for card in core.round.tracker.shown(zone) if card not in second.made_burns]
    return first[: second.shared] + own


def is_whole(core: Core, first: list[str]) -> bool:
    """Whether each card of the second board can be read, and none lies there too many. `first`: the first board's.

    Not while a person decides on a card that lies on the other board: cards that were exchanged would win pots.
    """
    second = core.round.second_board
    waits = second is not None and bool(second.astray) and core.has_pending(Irregularity.BOARD_OVERDEALT)
    return not waits and len(cards(core, first)) == _whole(core)


def to_be_burnt(core: Core) -> ask.MoveToBurn | None:
    """The prompt to move a card that a ruling made a burn, and that still lies on the second board; or None."""
    second = core.round.second_board
    if second is None or not second.made_burns:
        return None
    tracker = core.round.tracker
    lying = (zone for zone in BOARD2 if second.made_burns.intersection(tracker.shown(zone)))
    zone = next(lying, None)
    return None if zone is None else ask.MoveToBurn(zone)


def prompt(core: Core) -> ask.Burn | ask.Deal | None:
    """The next burn or card of the second board, once the first board is complete."""
    second = dealing(core)
    if second is None or core.rounds.phase != "showdown":
        return None
    number = second.shared + _shown(core, second) + 1
    if number in _firsts(core) and number not in second.burnt and not core.round.board.burns:
        return ask.Burn(1)
    free = (zone for zone in BOARD2[second.shared :] if not core.round.tracker.holds(zone))
    return ask.deal(next(free, BOARD2[number - 1]), "up")


def judge_end(core: Core) -> None:
    """Raise an alarm if the cards are collected and the agreed second board was not dealt."""
    if dealing(core) is not None and not core.round.showdown.decided:
        alarms.raise_alarm(core, AlarmKind.RUN_TWICE_UNFINISHED)
