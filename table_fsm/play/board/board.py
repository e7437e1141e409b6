"""Burns and communal cards of player-banked games."""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.questions import cards_before
from table_fsm.core.round import Matter
from table_fsm.felt import BOARD, BOARD2, SEAT_OF
from table_fsm.play.board import communal, corrections, replacement, run_twice, tabling
from table_fsm.play.stud import burns, last_cards
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome

BURN: Final = "burn"
_STUB = {"pack": "stub"}
_OLD_BURN = {"burn": "other"}
_UNUSED_BURN = {"burn": "unused"}
FIRST_BOXED: Final = {"during": "later", "place": "board"}
"""The facts of a boxed card that is the first after a betting round."""


def burns_due(core: Core) -> int:
    """Number of cards to burn before the communal cards of the next street."""
    if burns.owed(core):
        return burns.due(core)
    index = _next_street_index(core)
    streets = core.book.streets
    if index >= len(streets) or not streets[index].burn or BURN in questions.unseen_zones(core):
        return 0
    if core.round.exposures.no_burn_before_flop and streets[index].name == "flop":
        return 0
    burn = core.options.burn
    return burn if isinstance(burn, int) else 0


def burns_to_come(core: Core) -> int:
    """Number of burns that are still to be made before the next communal card: none once the street's deal has begun.

    It has not with the cards that lay on the board before it.
    """
    board = core.round.board
    return max(0, burns_due(core) - board.burns) if board.shown <= board.lay_before else 0


def _next_street_index(core: Core) -> int:
    dealing = core.rounds.phase == "board"
    return core.round.street if dealing else core.round.street + 1


def stub_unshuffled(core: Core) -> bool:
    """Rule on a card that comes before an ordered shuffle of the undealt cards.

    Returns whether it was one. Later cards of the same fault are not.
    """
    round_ = core.round
    if not round_.board.stub_owed:
        return False
    betting, lying = round_.betting, round_.board.shown > cards_before(core, round_.street)
    if not round_.board.returned and (betting.open if betting is not None else lying):
        return False
    core.find(Irregularity.NOT_SHUFFLED, _STUB, once=(Matter.STREET, Irregularity.NOT_SHUFFLED.value))
    return True


def burn_came(core: Core, placement: Placement, up: bool) -> None:
    """Take a card that came to the burn pile."""
    round_ = core.round
    if placement.origin is Origin.LIFTED:
        if round_.deals.in_hand:  # a card too many at a seat is laid where it would have gone
            round_.deals.lay_down()
            round_.board.burn()
        elif burns.owed(core) and placement.zone_before in SEAT_OF:
            burns.taken_back(core)
            _judge_too_many(core)
        elif corrections.spare_card_burnt(core, placement.zone_before):
            round_.board.burn()
        return  # and an exposed hole card goes here as a discard: no burn
    if core.rounds.phase == "dealing" and round_.street == 0:
        if _burnt_in_deal(core):
            if up:
                burn_seen(core, placement.card)
            return
        core.flow.passes_over()
        if core.collecting():
            return
    board = round_.board
    _end_street(core, by_card=burns_due(core) > board.burns)
    if core.collecting():
        return
    if replacement.burn_waits(core):
        return
    if corrections.late_burn(core):
        return
    _count_burn(core, placement)
    if core.rounds.phase != "showdown":  # there no card follows the burn
        tabling.judge(core)
    if up and not placement.boxed and not burns.shown_before(core):
        burn_seen(core, placement.card)
    _judge_too_many(core)


def _count_burn(core: Core, placement: Placement) -> None:
    """Count a card out of the pack as a burn."""
    core.round.board.burn()
    corrections.one_more_burnt(core)
    tracker = core.round.tracker
    if placement.boxed and not (tracker.mouth and tracker.last_is_inferred(BURN)):
        core.round.stud.first_burnt()  # without a name it may be another that is out of the shoe


def _burnt_in_deal(core: Core) -> bool:
    """Rule on a card that is burnt while the initial deal goes on; return whether it is one.

    It is no burn of a later street. Where one comes next and only the last card is due, the dealer has gone on.
    """
    deal = core.round.deals.current
    if deal is None or not (deal.goes_on or not burns_due(core)):
        return False
    core.round.deals.burn()
    core.find(Irregularity.BURN_EXTRA, corrections.facts_of(core, Irregularity.BURN_EXTRA, Origin.SHOE))
    return True


def _judge_too_many(core: Core) -> None:
    round_ = core.round
    allowed = burns_due(core) + round_.board.spare_burns + run_twice.burns_allowed(core)
    if _next_street_index(core) == 1 and _nobody_to_replace_for(core):
        allowed += core.options.burn or 0
    judged_in_the_deal = questions.next_to_players(core) and round_.betting is not None and round_.betting.open
    if round_.board.burns > allowed and not judged_in_the_deal:
        corrections.find(core, Irregularity.BURN_EXTRA)


def _nobody_to_replace_for(core: Core) -> bool:
    """Whether the card meant for a player who has folded meanwhile may be burnt.

    The first burn card was to replace that player's exposed card.
    """
    round_, seat = core.round, core.round.exposures.replace_seat
    if seat is None or not round_.exposures.no_burn_before_flop or round_.exposures.replaced:
        return False
    return round_.betting is not None and not round_.betting.is_live(seat)


def burn_seen(core: Core, card: str | None = None) -> None:
    """Rule on an exposed burn card: the first one after a betting round, or one that is a discard already.

    It is no longer the first once a communal card has come behind it.
    """
    board = core.round.board
    if core.rounds.phase == "board" and board.shown <= board.lay_before and _burnt_now(core, card):
        corrections.find(core, Irregularity.BURN_EXPOSED)
        return
    core.find(Irregularity.BURN_EXPOSED, _OLD_BURN, once=(Matter.OLD_BURN, card))


def _burnt_now(core: Core, card: str | None) -> bool:
    """Whether the card is a burn for the communal cards that come next; one without a name may be the last."""
    burns = core.round.board.burns
    lying = core.round.tracker.names("burn")
    return bool(burns) and (card is None or card not in lying or card in lying[-burns:])


def first_comes(core: Core) -> bool:
    """Whether the next card is the first after a betting round, of those that belong to the board."""
    board = core.round.board
    untouched = not board.burns and board.shown <= board.lay_before
    return core.rounds.phase == "board" and untouched and replacement.awaited(core) is None


def all_lie_and_hide(core: Core) -> tuple[str, ...]:
    """The communal cards of the street that lie face down, once as many lie there as belong there; else none."""
    # Hot path, asked after each card of a street: the zones are looked at without a call for each.
    tracker = core.round.tracker
    zones = tracker.zones
    lie = [zone for zone in BOARD if zones.get(zone)]
    if len(lie) < cards_before(core, core.round.street):
        return ()
    return tuple(zone for zone in lie if not tracker.ups(zone))


def first_is_used(core: Core) -> bool:
    """Whether the first card was seen before it was burnt, and by the book is used as a communal card."""
    return not core.round.board.burns and (seen_is_used(core) or _boxed_is_used(core))


def seen_is_used(core: Core) -> bool:
    """Whether the first card was seen, and by the book is used as a communal card."""
    if not _ruled_on_street(core, Irregularity.BURN_EXPOSED):
        return False
    return core.row(Irregularity.BURN_EXPOSED, {"burn": "first"}).outcome is Outcome.USE_IN_SEQUENCE


def _boxed_is_used(core: Core) -> bool:
    """Whether the first card lay face up in the pack, and by the book is used as a communal card."""
    if not _ruled_on_street(core, Irregularity.BOXED_CARD):
        return False
    return core.row(Irregularity.BOXED_CARD, FIRST_BOXED).outcome is Outcome.USE_IN_SEQUENCE


def first_is_doubted(core: Core) -> None:
    """Leave open whether the burn card is used as a communal card: a person decides whether it belongs to the pack."""
    core.round.rulings.settle((Matter.STREET, _UNUSED_BURN["burn"]))


def _judge_unused(core: Core, origin: Origin) -> None:
    """Rule on a first card of a street that was seen, is to be used as the next communal card, and was not.

    It was burnt and lies there still, while another card comes to the board.
    """
    board = core.round.board
    if origin is Origin.LIFTED or core.rounds.phase != "board":
        return
    if board.burns and board.shown <= board.lay_before and seen_is_used(core):
        core.find(Irregularity.BURN_EXPOSED, _UNUSED_BURN, once=(Matter.STREET, _UNUSED_BURN["burn"]))


def card_came(core: Core, placement: Placement, up: bool) -> None:
    """Take a card that came to the board; it counts as shown when its face shows."""
    if not cards_before(core, len(core.book.streets) - 1):
        _no_board(core, placement, up=up)
        return
    if core.rounds.phase == "dealing":
        core.flow.passes_over()
        if core.collecting():
            return
    if placement.origin is Origin.LIFTED and placement.zone_before not in {"burn", None}:
        if not placement.zone_before.startswith("board"):
            corrections.hand_card_came(core, placement.card, placement.zone_before)
            return
        if placement.zone_before in BOARD2:
            if run_twice.came_over(core, placement.card):
                if up:
                    card_shown(core, Origin.SHOE, card=placement.card)
                return
            if core.collecting():
                return
        corrections.laid_again(core, placement, up=up)
        return
    fifth = placement.origin is not Origin.LIFTED and corrections.judge_fifth(core)
    if up:
        card_shown(core, placement.origin, card=placement.card)
    elif placement.origin is not Origin.LIFTED and not fifth:
        _fourth_face_down(core)


def _fourth_face_down(core: Core) -> None:
    """Rule on a fourth card of a face-down flop as soon as it lies there, before any is turned."""
    board = core.round.board
    lying = sum(core.round.tracker.holds(zone) for zone in BOARD) - board.to_burn
    on_flop = core.street.name == "flop" and core.rounds.phase in {"board", "betting"}
    begun = core.round.betting is not None and core.round.betting.open and core.round.betting.begun
    since_flop = board.burns if core.rounds.phase == "betting" else 0
    if on_flop and not begun and not since_flop and lying > cards_before(core, core.round.street):
        corrections.find(core, Irregularity.BOARD_OVERDEALT)


def _no_board(core: Core, placement: Placement, *, up: bool) -> None:
    """Take a card in the centre of a game without a board.

    It is the last card of every player, or a fault.
    """
    seat = SEAT_OF.get(placement.zone_before or "") if placement.origin is Origin.LIFTED else None
    if not last_cards.centre_card(core, seat, up=up):
        corrections.find(core, Irregularity.BOARD_OVERDEALT)


def card_shown(core: Core, origin: Origin, *, counts: bool = True, card: str | None = None) -> None:
    """Take a communal card whose face shows.

    `counts`: it lies face up, and was not only seen. `card`: its name, where a reader tells it.
    """
    round_ = core.round
    board = round_.board
    if round_.stud.communal:
        if not round_.stud.communal_shown and core.rounds.phase == "dealing":
            last_cards.communal_shows(core)
        return
    _end_street(core, by_card=counts and _next_to_board(core))
    if core.collecting():
        return
    if not board.shown and not (round_.betting is None or round_.betting.open) and replacement.stays_burnt(core):
        board.burn()
        _judge_too_many(core)
    owed = burns_to_come(core) and origin is not Origin.LIFTED
    _judge_unused(core, origin)
    if counts:
        board.show()
    if round_.betting is None and core.rounds.phase == "dealing":
        core.flow.passes_over()  # the first communal card, where the initial deal has one, opens the betting
        if core.collecting():
            return
    betting = round_.betting
    if core.rounds.phase in {"showdown", "settling"}:
        if board.shown > cards_before(core, len(core.book.streets) - 1):
            corrections.find(core, Irregularity.BOARD_OVERDEALT)
            run_twice.one_too_many(core, card)
        return
    if betting is None or betting.open:
        _shown_in_betting(core, counts=counts)
        return
    if owed and not (_ruled_on_street(core, Irregularity.BURN_EXPOSED) or _boxed_is_used(core)):
        corrections.find(core, Irregularity.BURN_MISSING, origin)
    tabling.judge(core)
    core.judge()
    if core.collecting():
        return
    if board.shown >= cards_before(core, round_.street):
        core.flow.open_next_street()


def _end_street(core: Core, *, by_card: bool) -> None:
    """End the betting round where nobody can bet, or where all have met and the next street's own card has come."""
    core.flow.end_idle_street()
    if by_card:
        core.flow.end_met_street()


def end_street_by_top_card(core: Core) -> None:
    """End a betting round that is over but for the close key, because the top card shows and is the board's."""
    if replacement.awaited(core) is None and _next_to_board(core):
        _end_street(core, by_card=True)


def _next_to_board(core: Core) -> bool:
    """Whether the street after the one in progress begins with cards to the board."""
    following = core.round.street + 1
    return following < len(core.book.streets) and core.book.streets[following].communal_cards > 0


def _shown_in_betting(core: Core, *, counts: bool) -> None:
    """Take a communal card that shows while players bet: too soon, or in place of one that a person took back."""
    board = core.round.board
    if not counts or board.shown > cards_before(core, core.round.street):
        _too_soon(core, board.shown if counts else board.shown + 1)
    elif board.opened_early:
        corrections.street_opens(core)


def _too_soon(core: Core, number: int, *, on_board: bool = True) -> None:
    """Rule on a communal card before the end of a betting round.

    Or on a fourth card of the flop before its betting has begun. `number`: which communal card it is, from 1.
    `on_board`: it lies there, and not on the pack, where it makes no board too large.
    """
    round_ = core.round
    board = round_.board
    if communal.one_at_a_time(core):
        communal.rule_early(core, number)
        return
    if _ruled_on_street(core, Irregularity.BOARD_PREMATURE, Irregularity.BOARD_OVERDEALT):
        return  # the other cards of the same fault
    on_flop = round_.betting is not None and not round_.betting.begun and core.street.name == "flop"
    beyond = 0 < cards_before(core, len(core.book.streets) - 1) < number  # no street has such a card
    if on_board and (beyond or (on_flop and not board.burns)):
        corrections.find(core, Irregularity.BOARD_OVERDEALT)
        return
    if not core.book.dealing.burn_stays:
        board.allow_spare_burn()
    corrections.find(core, Irregularity.BOARD_PREMATURE)


def _ruled_on_street(core: Core, *irregularities: Irregularity) -> bool:
    """Whether one of the irregularities has been ruled on since the street began."""
    matters = core.round.rulings.matters
    return bool(matters) and any((Matter.STREET, irregularity.value) in matters for irregularity in irregularities)


def top_card_seen(core: Core) -> None:
    """Rule on the top card of the undealt cards, shown where it lies."""
    end_street_by_top_card(core)
    if core.collecting():
        return
    round_ = core.round
    last = round_.street + 1 == len(core.book.streets)
    dealt = core.rounds.phase == "dealing" and questions.first_lies(core)  # cards are only to be put right
    if (dealt or (round_.betting is not None and round_.betting.open)) and not last:
        _too_soon(core, round_.board.shown + 1, on_board=False)
    elif core.rounds.phase == "board" and round_.board.burns < burns_due(core):
        corrections.find(core, Irregularity.BURN_EXPOSED)
    elif core.rounds.phase in {"betting", "showdown", "settling"}:
        core.find(Irregularity.BOXED_CARD, questions.boxed_facts(core))


def card_removed(core: Core, shown: bool) -> None:
    """Take a card that left the board: taken back by a ruling or a person, or only straightened.

    A card that was straightened changes nothing, because its tag is only not read for a moment: it is laid again.
    """
    board = core.round.board
    covered = not shown and board.covered > 0
    counted = shown or covered
    moved = counted and corrections.to_burn_lifted(core)
    taken = counted and not moved and board.shown and (board.stub_owed or board.mixing or _may_be_taken_back(core))
    if taken:
        board.take_up()
    if covered and (moved or taken):
        board.turn_up_again()
    if board.stub_owed and not moved:
        board.return_card()


def _may_be_taken_back(core: Core) -> bool:
    """Whether cards lie on the board that no betting round was played on, so that a person may take them back."""
    board, betting = core.round.board, core.round.betting
    complete = core.round.street - (core.rounds.phase == "board")
    if board.opened_early and betting is not None and betting.open and not betting.begun:
        complete -= 1
    return board.shown > cards_before(core, complete)


def taken_back(core: Core) -> str | None:
    """The zone of a card of the street in progress that lay there early, and that a person took back; or None."""
    board = core.round.board
    if not board.opened_early or board.shown >= cards_before(core, core.round.street):
        return None
    return next(zone for zone in BOARD if not core.round.tracker.holds(zone))
