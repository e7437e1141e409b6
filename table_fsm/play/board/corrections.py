"""Errors of the board: corrections that a ruling orders, and what happens without them.

Onyx, Board Errors: a flop of four is drawn anew from the four; a card shown with no burn becomes the burn, or, where
nobody can tell which of a flop that was, the flop stands and the next card is its burn. If sufficient action has
followed an error all the same, the floor decides.
"""

from table_fsm.core.board_state import BoardError
from table_fsm.core.core import Core
from table_fsm.core.questions import cards_before, cards_too_many
from table_fsm.core.round import Matter
from table_fsm.felt import BOARD
from table_fsm.play.board import communal
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome

_FLOP = 3
_RESHUFFLED = (Irregularity.BOARD_PREMATURE, Irregularity.BOARD_OVERDEALT, Irregularity.NOT_SHUFFLED)
"""Faults of a street that a shuffle of the undealt cards corrects."""
_WAITS: frozenset[Outcome] = frozenset({Outcome.RESHUFFLE_INTO_STUB, Outcome.TREAT_AS_BURN})
"""Outcomes after which the betting in progress goes on, or none is open. Only action on the wrong board counts
against them."""


def facts_of(core: Core, irregularity: Irregularity, origin: Origin) -> dict[str, str]:
    """The facts of an error of the board when it is noticed."""
    facts = {"sufficient": "no"}
    if irregularity is Irregularity.BURN_MISSING:
        facts["board"] = "flop" if core.street.name == "flop" else "later"
        facts["order"] = "known" if origin is Origin.SHOE and core.round.tracker.left_shoe else "unknown"
    elif irregularity is Irregularity.BOARD_OVERDEALT:
        facts["board"] = "flop" if core.street.name == "flop" else "later"
    elif irregularity is Irregularity.BURN_EXPOSED:
        facts["burn"] = "first"
    elif irregularity is Irregularity.BURN_EXTRA:
        facts["during"] = "deal" if core.rounds.phase == "dealing" and not core.round.street else "later"
    return facts


def note(core: Core, irregularity: Irregularity, facts: dict[str, str], given: tuple[int, Row]) -> None:
    """Remember an error if the book leaves it to the floor after sufficient action."""
    number, row = given
    if core.collecting() or core.row(irregularity, {**facts, "sufficient": "yes"}) is row:
        return
    if row.outcome is Outcome.KEEP_AND_BURN_NEXT:  # action goes on, and the burn may follow it
        return
    mark = None if row.outcome in _WAITS else core.round.actions.mark()
    core.round.board.note_error(BoardError(number, irregularity.value, facts, mark))


# -- carrying rulings out


def card_too_many(core: Core) -> str | None:
    """The zone of the last card on the board.

    None unless more cards lie there than the street has.
    """
    lying = [zone for zone in BOARD if core.round.tracker.holds(zone)]
    return lying[-1] if cards_too_many(core) else None


def draw_flop_from_four(core: Core) -> None:
    """Order a mixed flop: four cards are mixed, three come back, the fourth is the next burn."""
    core.round.board.mix_flop()


def treat_as_burn(core: Core) -> None:
    """Count the card just shown as the burn of its street instead of a card of the board."""
    board, second = core.round.board, core.round.second_board
    if second is not None and second.judging:
        second.make_burn()
        return
    board.make_burn()


def take_back_burn(core: Core) -> None:
    """Undo `treat_as_burn`: the card counts for the board again; one that has been moved, where it is put back."""
    board, second = core.round.board, core.round.second_board
    if second is not None and second.judging:
        second.unmake_burn()
        return
    if not board.to_burn or board.is_about_an_earlier_burn:
        return  # in the burn pile: as it is put back it would count twice
    board.unmake_burn()
    if core.rounds.phase == "board" and board.shown >= cards_before(core, core.round.street):
        core.flow.open_next_street()


def street_opens(core: Core) -> None:
    """Reset burns and faults, because a street's communal cards are complete.

    Not for a flop that is drawn from four cards.
    """
    board = core.round.board
    drawn = board.mixing and core.street.name == "flop"
    board.open_street(flop_drawn_again=drawn)
    if not drawn:
        core.forget_street()


def stub_shuffled(core: Core) -> None:
    """Take a shuffle of the undealt cards; a fault that it corrects may be ruled on again."""
    if core.round.board.stub_owed:
        for irregularity in _RESHUFFLED:
            core.round.rulings.reopen((Matter.STREET, irregularity.value))
    core.round.board.stub_shuffled()


def flop_drawn(core: Core) -> bool:
    """Whether three cards show where four did."""
    lying = sum(core.round.tracker.holds(zone) for zone in BOARD)
    return lying == _FLOP and core.round.board.shown == _FLOP


def end_mixing(core: Core) -> None:
    """Note that a mixed flop lies again, where it does: a card too many is a new fault then."""
    if core.round.board.mixing and flop_drawn(core):
        core.round.board.flop_drawn()
        core.round.rulings.reopen((Matter.STREET, Irregularity.BOARD_OVERDEALT.value))


def new_card_comes(core: Core) -> None:
    """Before a card is laid on the board, end the mixing of a flop if it is none of the mixed cards."""
    tracker = core.round.tracker
    if tracker.mouth or not tracker.lifted:
        end_mixing(core)


def judge_spare_card(core: Core) -> None:
    """Rule on the fourth card of a mixed flop that is laid on the board, although it is the next burn.

    Onyx, Board Errors 3. It is the burn then, as where none was made (Board Errors 5); with another card burnt for it,
    it is a card too many. In the betting it comes too soon.
    """
    board, betting = core.round.board, core.round.betting
    if not board.spare_card or board.mixing:
        return
    if core.rounds.phase == "betting" and betting is not None and betting.open:
        find(core, Irregularity.BOARD_PREMATURE)
    elif core.rounds.phase == "board":
        board.spare_card_burnt()
        board.begin_street(board.shown)
        find(core, Irregularity.BOARD_OVERDEALT if board.burns else Irregularity.BURN_MISSING)
        core.judge()


def judge_fifth(core: Core) -> bool:
    """Call the floor over one more card on a flop that is to be drawn from four; return whether there is one.

    Onyx, Board Errors 1: of five cards nothing else is said, so the draw is off.
    """
    board = core.round.board
    if not board.mixing or sum(core.round.tracker.holds(zone) for zone in BOARD) <= _FLOP + 1:
        return False
    facts = {**facts_of(core, Irregularity.BOARD_OVERDEALT, Origin.SHOE), "board": "later"}
    drawn = board.error.ruling if board.error is not None else None
    core.find(Irregularity.BOARD_OVERDEALT, facts, supersedes=drawn, then=lambda *_: board.leave_to_floor())
    return True


def hand_card_came(core: Core, card: str | None, before: str) -> None:
    """Rule on a card that comes to the board from a hand, unless it goes back to the board."""
    if not core.round.mixed.moves(card, before, "board", undecided=False):
        core.find(Irregularity.CARDS_MIXED, {"sufficient": core.round.actions.sufficient_fact})


def card_covered(core: Core) -> None:
    """Take a card of the board that was turned face down: to be mixed, else it goes on counting."""
    board = core.round.board
    if not board.mixing:
        board.turn_down()
    elif board.shown:
        board.cover()


def lies_open_again(core: Core) -> bool:
    """Whether a card of the board that is turned up has counted before it was turned down; notes that it lies so.

    Else it counts twice, and three cards of a flop pass for four.
    """
    board = core.round.board
    if not board.covered:
        return False
    board.turn_up_again()
    return True


def laid_again(core: Core, placement: Placement, *, up: bool) -> None:
    """Take a card of the board that was taken up and comes back to it: by a ruling, turned over, or straightened."""
    board = core.round.board
    if up and not placement.open_before and lies_open_again(core):
        return
    if up and board.taken and _counting(core) > board.shown:  # taken back by a ruling, and laid down again
        board.lay_again()
        judge_spare_card(core)
        communal.open_if_it_lies(core)
    elif not up and placement.open_before and not board.mixing and _counting(core) < board.shown:
        board.turn_down()


def _counting(core: Core) -> int:
    """Number of cards that lie on the board and were shown, but for those that a ruling has made burns."""
    board = core.round.board
    return sum(core.round.tracker.ups(zone) for zone in BOARD) + board.covered - board.to_burn


def to_burn_lifted(core: Core) -> bool:
    """Whether a card that leaves the board is the one that a ruling made the burn; counts it."""
    board = core.round.board
    if not board.to_burn:
        return False
    board.moved_to_burns()
    return True


def spare_card_burnt(core: Core, zone_before: str | None) -> bool:
    """Whether a card of the board that is burnt is the fourth of a mixed flop; counts it."""
    board = core.round.board
    spare = board.spare_card and zone_before is not None and zone_before.startswith("board:")
    if spare:
        board.spare_card_burnt()
    return spare


def late_burn(core: Core) -> bool:
    """Whether a burn is the one that the flop still lacks; counts it."""
    board = core.round.board
    if not board.late_burns:
        return False
    board.late_burn_made()
    return True


def one_more_burnt(core: Core) -> None:
    """Let a burn that comes once a person has settled the one too many before it be ruled on by itself."""
    if not core.has_pending(Irregularity.BURN_EXTRA):
        core.round.rulings.reopen((Matter.STREET, Irregularity.BURN_EXTRA.value))


def prompt(core: Core) -> ask.Prompt | None:
    """The next step to correct the board; None where nothing is to be corrected."""
    board, holds = core.round.board, core.round.tracker.holds
    lying = [zone for zone in BOARD if holds(zone)]
    if board.mixing and not flop_drawn(core):
        return ask.MixFlop(tuple(lying)) if len(lying) > _FLOP else ask.DealMixed()
    if board.to_burn and lying:
        first = core.street.name == "flop"
        return ask.MoveToBurn(lying[0] if first else lying[-1])
    betting = core.round.betting
    flop_lies = betting is not None and betting.open and not betting.begun
    return ask.Burn(board.late_burns) if board.late_burns and flop_lies else None


# -- what is played on


def may_go_on(core: Core) -> bool:
    """Whether the betting may open on the board as it lies, although a correction is open."""
    board = core.round.board
    error = board.error
    if error is None or error.mark is not None or core.rounds.phase != "board":
        return False
    return board.shown + board.to_burn >= cards_before(core, core.round.street)


def play_goes_on(core: Core) -> None:
    """Open the betting on the board as it lies, because a player acts where `may_go_on`."""
    board = core.round.board
    assert board.error is not None
    board.play_as_it_lies()
    board.error.mark = core.round.actions.mark()
    core.flow.open_next_street()


def judge_action(core: Core) -> None:
    """Call the floor after sufficient action on a board that was never corrected."""
    board = core.round.board
    end_mixing(core)
    error = board.error
    if error is None or error.mark is None or core.collecting():
        return
    if not core.round.actions.since(error.mark).sufficient:
        return
    board.leave_to_floor()
    facts = {**error.facts, "sufficient": "yes"}
    core.find(Irregularity(error.irregularity), facts, supersedes=error.ruling)
    communal.open_if_it_lies(core)


def find(core: Core, irregularity: Irregularity, origin: Origin = Origin.SHOE) -> None:
    """Note a fault of burns or communal cards, ruled on once on each street."""
    facts = facts_of(core, irregularity, origin)
    round_ = core.round

    def ruled(number: int, row: Row) -> None:
        if row.outcome is Outcome.TREAT_AS_BURN:
            round_.board.ruled_burn(number)
        if core.round is round_:
            note(core, irregularity, facts, (number, row))

    core.find(irregularity, facts, once=(Matter.STREET, irregularity.value), then=ruled)
