"""Hands with the wrong number of cards, in player-banked games."""

from collections.abc import Callable

from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.core.questions import cards_before, cards_of_a_hand, during, hands_unseen
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.board import replacement
from table_fsm.play.draw import passed
from table_fsm.poker.dealing import Deal
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import PENDING_OUTCOMES, Outcome
from table_fsm.rulebook.subjects import SUBJECT_OF, Subject


def wrong_seats(core: Core) -> list[int]:
    """Seats in the deal that hold too few or too many cards, in dealing order."""
    round_ = core.round
    if round_.deals.current is None:
        return []
    exchanged = {replacement.lacking(core), replacement.left_lying(core)}
    deals = [*round_.deals.earlier, round_.deals.current]
    return [
        seat
        for seat in deals[0].ring
        if seat not in deals[0].optional and (_over(deals, seat) != 0 or seat in exchanged)
    ]


def _over(deals: list[Deal], seat: int) -> int:
    """Cards that the seat has too many in these deals; below zero: too few."""
    return sum(deal.dealt[seat] - deal.need for deal in deals if seat in deal.dealt)


def missed(core: Core) -> list[int]:
    """Live hands that were missed in the deal and still lack the card that a ruling has ordered."""
    deals, betting = core.round.deals, core.round.betting
    if not deals.errors or deals.current is None:
        return []
    ordered = {error.seat for error in deals.errors if _orders_card(core, error)}
    return [seat for seat in deals.current.short if seat in ordered and (betting is None or betting.is_live(seat))]


def one_too_many(core: Core) -> list[int]:
    """Seats with a card too many that a ruling has ordered to be put where it belongs."""
    deal = core.round.deals.current
    if deal is None or not core.round.deals.errors:
        return []
    ordered = {error.seat for error in core.round.deals.errors if _is_reconstructed(core, error)}
    too_many = [seat for seat, cards in deal.dealt.items() if cards > deal.need]
    return [seat for seat in (*deal.extra, *too_many) if seat in ordered and (seat in too_many or deal.extra[seat])]


def out_of_place(core: Core) -> int | None:
    """The seat with a card of the deal in progress that a ruling has ordered to a seat before it, the first of them.

    None while a card that was taken up for it is still to come to its place.
    """
    deals, deal = core.round.deals, core.round.deals.current
    if deal is None or deal.over or deals.in_hand or not any(_is_reconstructed(core, error) for error in deals.errors):
        return None
    return deal.misplaced()


def awaited(core: Core) -> list[int]:
    """Those of them who still get it: until the next communal card shows."""
    seats = missed(core)
    return seats if seats and core.round.board.shown <= cards_before(core, 0) else []


def owed_late(core: Core) -> list[int]:
    """Those who still get it once the betting was closed, at a table that keys no actions."""
    return awaited(core) if core.rounds.phase in {"board", "draw"} else []


def _orders_card(core: Core, error: DealError) -> bool:
    return error.irregularity == Irregularity.PLAYER_MISSED.value and _is_reconstructed(core, error)


def _is_reconstructed(core: Core, error: DealError) -> bool:
    given = core.round.rulings.given.get(error.ruling)
    return given is not None and given.outcome == Outcome.RECONSTRUCT


def judge(core: Core, noticed: str) -> None:
    """Rule on every live hand with the wrong number of cards that has had no ruling yet."""
    if any(SUBJECT_OF[fault.irregularity] is Subject.CARD_PLACE for fault in (*core.found, *core.ruled)):
        return  # a fault of the deal itself explains the counts: a second ruling would fold who was missed
    betting = core.round.betting
    wrong = [seat for seat in wrong_seats(core) if betting is None or betting.is_live(seat)]
    left = left_to_win(core, wrong)
    if betting is not None and left == "last_fold":
        core.round.showdown.last_fold_wins = betting.fold_order[-1]
    for seat in wrong:
        given = rule_wrong(core, seat, noticed, left=left)
        if core.collecting() or (left == "nobody" and given is not None and given.outcome in PENDING_OUTCOMES):
            return  # the end of the round, or a person's decision, covers the other hands too


def judge_extra_hands(core: Core) -> None:
    """Rule on cards at a seat outside the deal that a ruling has ordered back, and that still lie there.

    The betting begins, so they can be put right no more.
    """
    deals = core.round.deals
    if deals.current is None:
        return
    for error in list(deals.errors):
        extra = error.irregularity == Irregularity.EXTRA_HAND.value and deals.current.extra.get(error.seat)
        if extra and _is_reconstructed(core, error):
            facts = {"looked": "no", "during": during(core), "unseen": "yes", "put_right": "never", "lies": "down"}
            core.find(Irregularity.EXTRA_HAND, facts, seat=error.seat)
            return


def rule_wrong(core: Core, seat: int, noticed: str, *, left: str) -> Row | None:
    """Rule once on a hand with the wrong number of cards; return the row.

    `left`: who is left to win. None where the hand was not ruled on.
    """
    return core.rule(
        Irregularity.WRONG_CARD_COUNT,
        _facts(core, seat, noticed, left),
        seat=seat,
        once=(Matter.CARD_COUNT, seat),
    )


def find_wrong(
    core: Core,
    seat: int,
    noticed: str,
    *,
    left: str | None = None,
    then: Callable[[int, Row], None] | None = None,
) -> None:
    """Note a hand with the wrong number of cards, ruled on once.

    `left`: who is left to win, where that is known. `then`: as in `Core.find`.
    """
    facts = _facts(core, seat, noticed, left or _left_now(core, seat))
    core.find(Irregularity.WRONG_CARD_COUNT, facts, seat=seat, once=(Matter.CARD_COUNT, seat), then=then)


def find_one_more(core: Core, seat: int) -> None:
    """Note a card too many that comes to a hand in the betting, also to one that a person has let play on."""
    betting = core.round.betting
    if betting is not None and betting.is_live(seat) and not core.has_pending(Irregularity.WRONG_CARD_COUNT):
        core.round.rulings.reopen((Matter.CARD_COUNT, seat))
    find_wrong(core, seat, "betting")


def judge_left_to_floor(core: Core) -> None:
    """Rule anew, after sufficient action, on hands that were left to the floor before it, in a book that says so.

    Only where nobody has decided on such a hand meanwhile, and its number of cards is still wrong (Onyx, Misdeals B4).
    """
    if not core.standing.pending or not core.round.actions.sufficient or core.collecting():
        return
    waiting = {p.seat: p.id for p in core.standing.pending if p.irregularity == Irregularity.WRONG_CARD_COUNT.value}
    wrong = [seat for seat in waiting if seat is not None and _is_wrong_still(core, seat)]
    left = left_to_win(core, wrong)
    for seat in wrong:
        facts = _facts(core, seat, "betting", left)
        if core.row(Irregularity.WRONG_CARD_COUNT, facts) != core.row(
            Irregularity.WRONG_CARD_COUNT, {**facts, "sufficient": "no"}
        ):
            core.find(Irregularity.WRONG_CARD_COUNT, facts, seat=seat, supersedes=waiting[seat])


def _is_wrong_still(core: Core, seat: int) -> bool:
    """Whether a live hand has too many cards before its player, or too few with those that may be in the hand."""
    betting, lie = core.round.betting, core.round.tracker.holds(SEAT_ZONE[seat])
    if betting is None or not betting.is_live(seat) or core.round.showdown.decided or hands_unseen(core):
        return False
    own = cards_of_a_hand(core)[0]
    return lie > own or lie + _off_felt(core, seat) < own


def _facts(core: Core, seat: int, noticed: str, left: str) -> dict[str, str]:
    return {
        "noticed": noticed,
        "hand": _hand(core, seat),
        "sufficient": core.round.actions.sufficient_fact,
        "left": left,
    }


def judge_tabled(core: Core, own: int) -> None:
    """Rule on hands with too few or too many cards once every remaining card of the live hands is open.

    `own`: number of cards of a complete hand. A card that was taken up may come back until the last other card is
    turned; cards that lie elsewhere or have left the table come back no more. Who holds cards and has shown none of
    their own is waited for, also with cards that were dealt face up.
    """
    betting, tracker = core.round.betting, core.round.tracker
    if core.rounds.phase != "showdown" or betting is None or core.round.showdown.decided or core.collecting():
        return
    tabled = {seat: tracker.ups(SEAT_ZONE[seat]) for seat in betting.live}  # also a card whose name is in doubt
    if not _are_whole(core, tabled):
        return
    wrong = _wrong_tabled(core, tabled, own)
    left = left_to_win(core, wrong)
    if wrong and left == "last_fold":
        core.round.showdown.last_fold_wins = betting.fold_order[-1]
    for seat in wrong[:1] if left == "nobody" else wrong:  # a person's decision covers the other hands too
        find_wrong(core, seat, "showdown", left=left)


def _are_whole(core: Core, tabled: dict[int, int], *, waits: bool = True) -> bool:
    """Whether every remaining card of the live hands is open. `tabled`: the number of open cards of each.

    `waits`: who holds cards, and has no open card but those dealt so, may still show. Else who has no open card may.
    """
    tracker, shown_own = core.round.tracker, core.round.showdown.tabled
    if any(tracker.holds(SEAT_ZONE[seat]) > cards for seat, cards in tabled.items()):
        return False
    dealt_open = core.book.open_cards[core.round.street] if waits else 0
    unshown = [seat for seat, cards in tabled.items() if cards == 0 or (cards <= dealt_open and seat not in shown_own)]
    return all(_has_no_card_left(core, seat) for seat in unshown)


def judge_shown(core: Core, own: int) -> bool:
    """Rule on hands that were shown with too few cards, as the round is ended; return whether a person decides.

    `own`: number of cards of a complete hand. Nothing more can come to such a hand: none of its cards lies face down
    or may be in the player's hand. Where all players show, who held a card until the end is short of it; else they may
    throw their hand away unseen. Hands that `judge_tabled` has judged have had their ruling.
    """
    betting, tracker = core.round.betting, core.round.tracker
    if core.rounds.phase != "showdown" or betting is None or core.round.showdown.decided:
        return False
    tabled = {seat: tracker.ups(SEAT_ZONE[seat]) for seat in betting.live}
    if _are_whole(core, tabled, waits=core.book.showdown.first != "after_button"):
        wrong = _wrong_tabled(core, tabled, own)
    else:
        wrong = [seat for seat in betting.live if shown(core, seat) and _is_short(core, seat, own)]
    left = left_to_win(core, wrong)
    wrong, known = _unruled(core, wrong), wrong
    if left == "nobody" and wrong != known:
        return False  # a person has decided on all of them
    if wrong and left == "last_fold":
        core.round.showdown.last_fold_wins = betting.fold_order[-1]
    rows: list[Row] = []
    for seat in wrong[:1] if left == "nobody" else wrong:
        find_wrong(core, seat, "showdown", left=left, then=lambda _, row: rows.append(row))
    core.judge()
    return any(row.outcome in PENDING_OUTCOMES for row in rows)


def _unruled(core: Core, seats: list[int]) -> list[int]:
    """Those of the seats whose number of cards has had no ruling in this round."""
    return [seat for seat in seats if (Matter.CARD_COUNT, seat) not in core.round.rulings.matters]


def _wrong_tabled(core: Core, tabled: dict[int, int], own: int) -> list[int]:
    """Seats whose number of open cards is not that of a complete hand."""
    return [seat for seat, cards in tabled.items() if cards < own or cards > own + _replaced(core, seat)]


def shown(core: Core, seat: int) -> int:
    """Number of a hand's cards that lie face up, or did until they were collected."""
    tracker, zone = core.round.tracker, SEAT_ZONE[seat]
    return tracker.ups(zone) + tracker.lifted_up(zone)


def _is_short(core: Core, seat: int, own: int) -> bool:
    """Whether a hand has too few cards, and none of it lies face down, in the player's hand, or in the discards."""
    tracker, zone = core.round.tracker, SEAT_ZONE[seat]
    if tracker.holds(zone) + tracker.lifted_up(zone) >= own:
        return False
    return not (tracker.hides(zone) or hidden_in_hand(core, seat) or seat in core.round.showdown.mucked_unseen)


def may_be_shown(core: Core, seat: int) -> bool:
    """Whether a card of the hand lies face down, or may be in its player's hand."""
    return core.round.tracker.hides(SEAT_ZONE[seat]) or hidden_in_hand(core, seat)


def open_in_doubt(core: Core) -> tuple[int, ...]:
    """Seats of which just the cards count as face down that lay face up before, once all other live hands lie open.

    One card or more left them without a name: no reader tells whether those cards lie there, or the last of the hand.
    """
    tracker, betting = core.round.tracker, core.round.betting
    if not tracker.open_in_doubt or betting is None:
        return ()
    hidden = [seat for seat in betting.live if may_be_shown(core, seat)]
    return tuple(hidden) if all(tracker.may_lie_open(SEAT_ZONE[seat]) for seat in hidden) else ()


def hidden_in_hand(core: Core, seat: int) -> bool:
    """Whether a card that was taken up face down from before the player may be in their hand."""
    return _off_felt(core, seat) > core.round.tracker.lifted_up(SEAT_ZONE[seat])


def _off_felt(core: Core, seat: int) -> int:
    """Number of cards taken up from before the player that may come back; those that a draw explains do not."""
    return core.round.tracker.may_come_back(SEAT_ZONE[seat]) - passed.replaced_unseen(core, seat)


def _has_no_card_left(core: Core, seat: int) -> bool:
    """Whether all cards of a live hand are known to be elsewhere; a hand that was only taken up may come back."""
    mucked = seat in core.round.showdown.mucked_unseen
    return not mucked and _off_felt(core, seat) <= 0


def _replaced(core: Core, seat: int) -> int:
    """Last cards of stud before the player that the card in the centre replaces: none of the hand."""
    return core.round.stud.final_given.count(seat)


def _left_now(core: Core, seat: int) -> str:
    """As `left_to_win`, of a hand that a card has just come to: one that has won by folds has won before it."""
    betting = core.round.betting
    won = core.round.showdown.by_folds and betting is not None and betting.live == [seat]
    return "won" if won else left_to_win(core, [seat])


def left_to_win(core: Core, wrong: list[int]) -> str:
    """Who can win with the right number of cards: "others", "last_fold" or "nobody"; "won": the hand itself has won.

    "last_fold": the book gives the round to the last player who folded.
    """
    betting = core.round.betting
    if betting is None or set(wrong) != set(betting.live):
        return "others"
    if core.book.showdown.no_right_hand == "last_fold_wins" and betting.fold_order:
        return "last_fold"
    return "won" if core.round.showdown.decided and len(wrong) == 1 else "nobody"


def _hand(core: Core, seat: int) -> str:
    deal, betting = core.round.deals.current, core.round.betting
    if betting is not None and (seat not in betting.players or not betting.is_live(seat)):
        return "not_in_round"
    one = deal is not None and deal.need > 1 and deal.dealt.get(seat) == 1
    return "button_one_card" if one and seat == core.round.button.seat else "other"
