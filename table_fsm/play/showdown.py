"""The showdown of a player-banked round: hands tabled, pots decided, or one hand left."""

from collections.abc import Callable

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.felt import BOARD, SEAT_ZONE
from table_fsm.outputs import LowHalf, Showdown
from table_fsm.play import money
from table_fsm.play.board import run_twice
from table_fsm.play.tournament import places
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.hands.evaluation import HandName
from table_fsm.poker.hands.order import HandOrder, hand_order
from table_fsm.poker.pots import PotResult, build_pots, decide, low_half, low_halves, showdown


def one_left(core: Core) -> None:
    """Let the last hand win without being shown, because all others have folded."""
    round_ = core.round
    betting = round_.betting
    if betting is None or round_.showdown.decided:
        return
    winner = round_.showdown.last_fold_wins
    if winner is None and (betting.live or len(betting.ring) == 1):
        winner = [*betting.live, *betting.ring][0]  # a hand dealt to one player alone is theirs, mucked or not
    if winner is None:
        return
    betting.close_street()
    round_.clock.stop()
    round_.showdown.by_folds = core.rounds.phase != "showdown"
    _announce(core, [PotResult(1, (winner,), None, None)])


def judge(core: Core) -> None:
    """Decide the pots once every live hand is tabled and the board is whole."""
    round_ = core.round
    betting = round_.betting
    if betting is None or round_.showdown.decided or core.rounds.phase != "showdown":
        return
    if not all_lie_open(core, betting):
        return
    tracker = round_.tracker
    hands = {seat: tracker.shown(SEAT_ZONE[seat]) for seat in betting.live}
    shared = questions.cards_of_a_hand(core)[1]
    board = [card for zone in BOARD for card in tracker.shown(zone)]
    if len(board) != shared or run_twice.dealing(core) is not None:
        return
    if round_.second_board is None:
        _announce(core, _results(core, hands, board))
    elif run_twice.is_whole(core, board):
        _announce_both(core, hands, board)


def all_lie_open(core: Core, betting: Betting) -> bool:
    """Whether each live hand lies open with the number of cards that a hand has."""
    # Hot path, asked with each card that is turned up: the live seats are listed once, and a generator costs more.
    live, tracker, own = betting.live, core.round.tracker, questions.cards_of_a_hand(core)[0]
    for seat in live:
        if len(tracker.shown(SEAT_ZONE[seat])) != own:
            return False
    return bool(live)


def order_of_hands(core: Core) -> HandOrder:
    """The order of hands of the open table: its book's, with the options in force."""
    rules = core.book.hands
    deck = core.options.deck
    return hand_order(
        deck=deck if isinstance(deck, int) else core.book.deck.size,
        joker=bool(core.options.joker),
        reduced=rules.reduced,
        ace=core.options.ace or rules.ace,
        winner=core.options.winner or "high",
        selection=rules.selection,
    )


def _contributions(betting: Betting) -> dict[int, int]:
    """Cents that each player has put in; empty where one amount is unknown, or the amounts are not reliable.

    Side pots cannot be told apart then.
    """
    if not betting.trusted:
        return {}
    known = {seat: player.total for seat, player in betting.players.items() if player.total is not None}
    return known if len(known) == len(betting.players) else {}


def _announce_both(core: Core, hands: dict[int, list[str]], board: list[str]) -> None:
    """Announce a board that was run twice: each board decides half of each pot.

    An amount that does not divide goes to the first board.
    """
    unit = core.options.table_min
    first = _results(core, hands, board, share=lambda cents: cents - low_half(cents, unit))
    second = _results(core, hands, run_twice.cards(core, board), share=lambda cents: low_half(cents, unit))
    _tell(core, first, board=1)
    _tell(core, second, board=2)
    _decided(core, [*first, *second])


def _results(
    core: Core, hands: dict[int, list[str]], board: list[str], share: Callable[[int], int] | None = None
) -> list[PotResult]:
    """The winners of each pot by a board.

    `share`: the part of each pot, without commission, that this board decides.
    """
    round_ = core.round
    betting = round_.betting
    assert betting is not None
    order, first = order_of_hands(core), betting.ring[0]
    unit = core.options.table_min if betting.pot_known else None  # else the indivisible rest is not known
    contributions, live = _contributions(betting), betting.live
    if order.low_wins:
        lows = {seat: low for seat, cards in hands.items() if (low := order.best_low(cards, board)) is not None}
        round_.showdown.low_halves = low_halves(
            contributions,
            lows,
            live,
            first,
            unit=unit,
            dead=betting.dead,
            commission=_out_of_pot(core, share),
            whole=not order.high_wins,
        )
    if not order.high_wins:
        return round_.showdown.low_halves
    ranked = {seat: order.high_value(cards, board) for seat, cards in hands.items()}
    if contributions:
        return showdown(
            contributions,
            ranked,
            live,
            first,
            unit=unit,
            dead=betting.dead,
            commission=_out_of_pot(core, share),
            halved={result.pot for result in round_.showdown.low_halves},
        )
    due = _out_of_pot(core, share)
    counted = round_.showdown.pots.get(1) if len(round_.showdown.pots) == 1 else None
    cents = None if counted is None else counted - due(counted)
    return [decide(list(hands), ranked, first, cents=cents, unit=unit)]


def _out_of_pot(core: Core, share: Callable[[int], int] | None) -> Callable[[int], int]:
    """Return a function that gives the part of each pot, in turn, that is not divided here.

    It is the commission, and the part that another board decides.
    """
    commission = money.pot_by_pot(lambda cents, taken: money.due_on(core, cents, taken))

    def out(cents: int) -> int:
        due = commission(cents)
        return due if share is None else cents - share(cents - due)

    return out


def _announce(core: Core, results: list[PotResult]) -> None:
    _tell(core, results)
    _decided(core, results)


def _tell(core: Core, results: list[PotResult], board: int | None = None) -> None:
    lows = {result.pot: result for result in core.round.showdown.low_halves}
    for result in results if core.book.showdown.awarded_first == "main_pot" else reversed(results):
        low = lows.get(result.pot)
        half = None if low is None else LowHalf(low.winners, _named(low.hand), low.odd_to)
        core.emit(Showdown(result.pot, result.winners, _named(result.hand), result.odd_to, board, half))


def _named(hand: HandName | None) -> str | None:
    return None if hand is None else hand.value


def _decided(core: Core, results: list[PotResult]) -> None:
    core.round.showdown.decided = True
    if core.options.tournament:
        places.say(core, results)
    core.move("won")


def shows_first(core: Core) -> int | None:
    """The seat that shows first by what was bet, though it may have folded since; None where there is none."""
    betting = core.round.betting
    if betting is None:
        return None
    match core.book.showdown.first:
        case "last_aggressor":
            return betting.aggressor
        case "last_street_aggressor":
            return betting.street_aggressor
        case "last_called":
            return betting.called.in_final_round
        case "after_button":
            return None


def show_order(core: Core) -> list[int]:
    """Seats in the order of showing: from the one who shows first by what was bet, else the first after the button.

    Where side pots are awarded first, those in the last of them show before the others (Onyx, Showdown 10).
    """
    betting = core.round.betting
    if betting is None:
        return []
    live = betting.live
    first = shows_first(core)
    at = live.index(first) if first in live else 0
    order = live[at:] + live[:at]
    if core.book.showdown.awarded_first == "main_pot":
        return order
    last_pots = _last_pots(betting)
    return sorted(order, key=lambda seat: -last_pots.get(seat, 1))


def _last_pots(betting: Betting) -> dict[int, int]:
    """The number of the last pot of each live seat; empty where the pots are not known, and where there is but one."""
    contributions, live = _contributions(betting), betting.live
    if not contributions or len({contributions[seat] for seat in live}) <= 1:
        return {}
    pots = build_pots(contributions, live, betting.dead)
    return {seat: pot.number for pot in pots for seat in pot.eligible}
