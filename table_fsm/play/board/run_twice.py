"""Running it twice: the rest of the board is dealt twice, each for half of each pot.

Onyx, Cash 17. All in, agreed and approved. The cards on the board when it is agreed belong to both; the second board's
own lie in `board2`. Burns as before any card of the board. The dealer chooses which of the two is dealt first, or leg
by leg.
"""

from table_fsm.core.board_state import SecondBoard
from table_fsm.core.core import Core
from table_fsm.core.questions import cards_before, unseen_zones
from table_fsm.errors import Refused
from table_fsm.events import RunTwice
from table_fsm.felt import BOARD2, AlarmKind
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


def dealing(core: Core) -> SecondBoard | None:
    """The second board while cards of it are to come; else None."""
    second = core.round.second_board
    return second if second is not None and second.shared + second.shown < _whole(core) else None


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
    if placement.origin is Origin.LIFTED and placement.zone_before != "burn":
        if placement.zone_before is not None and not placement.zone_before.startswith("board"):
            corrections.hand_card_came(core, placement.card, placement.zone_before)
        return
    if up:
        card_shown(core)


def card_shown(core: Core) -> None:
    """Take a card of the second board whose face shows."""
    round_ = core.round
    second = round_.second_board
    assert second is not None
    core.flow.end_idle_street()
    if dealing(core) is None:
        facts = corrections.facts_of(core, Irregularity.BOARD_OVERDEALT, Origin.SHOE)
        core.find(Irregularity.BOARD_OVERDEALT, {**facts, "board": "later"})
        return
    second.show()
    _judge_burn(core, second)
    if not core.collecting() and dealing(core) is None:
        core.flow.judge_showdown()


def _judge_burn(core: Core, second: SecondBoard) -> None:
    """Rule on the missing burn before the first card of a leg, once for each leg."""
    number = second.shared + second.shown
    firsts = {cards_before(core, street) + 1 for street in range(len(core.book.streets) - 1)}
    if number not in firsts or number in second.burnt:
        return
    second.burnt.add(number)
    if core.round.board.burns:
        core.round.board.use_burn()
        return
    second.judging = True
    facts = corrections.facts_of(core, Irregularity.BURN_MISSING, Origin.SHOE)
    core.rule(Irregularity.BURN_MISSING, {**facts, "board": "flop" if number == 1 else "later"})
    second.judging = False


def cards(core: Core, first: list[str]) -> list[str]:
    """The cards of the second board: the shared ones of `first`, and its own."""
    second = core.round.second_board
    assert second is not None
    own = [card for zone in BOARD2 for card in core.round.tracker.shown(zone)]
    return first[: second.shared] + own


def prompt(core: Core) -> ask.Burn | ask.Deal | None:
    """The next burn or card of the second board, once the first board is complete."""
    second = dealing(core)
    if second is None or core.rounds.phase != "showdown":
        return None
    number = second.shared + second.shown + 1
    firsts = {cards_before(core, street) + 1 for street in range(len(core.book.streets) - 1)}
    if number in firsts and number not in second.burnt and not core.round.board.burns:
        return ask.Burn(1)
    return ask.deal(BOARD2[number - 1], "up")


def judge_end(core: Core) -> None:
    """Raise an alarm if the cards are collected and the agreed second board was not dealt."""
    if dealing(core) is not None and not core.round.showdown.decided:
        core.raise_alarm(AlarmKind.RUN_TWICE_UNFINISHED)
