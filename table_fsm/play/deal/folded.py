"""Folded players' hole cards, passed face up or to another player (TAS 2018, B 17.8; ACT 2001, 16.5).

A card that came face down to a player is recognised by its name, or by whose hand it left. Only a book with a row for
it asks. In a book whose row is for players who show cards, a folded hand that comes face up is taken for shown by its
player (TAS C 18.4; the Star 7.40).
"""

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import SEAT_ZONE
from table_fsm.play.deal import exposures
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome


def note(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Remember a card that came face down as the player's hole card.

    Not if it is the card of another player who has folded; out of the shoe it is nobody's, though it was shuffled in.
    """
    new = placement.origin is Origin.SHOE or _folder(core, placement.card) is None
    if placement.card is not None and not up and new:
        core.round.folded.holes[placement.card] = seat
        if core.round.tracker.last_is_inferred(SEAT_ZONE[seat]):
            core.round.folded.inferred.add(placement.card)


def mucked(core: Core, card: str | None, *, up: bool, seat: int | None = None) -> None:
    """Rule on a folded hole card that lies face up in the discards.

    `seat`: whose it was, where it is known: there a card that no reader named before the player is told too, unless
    cards are dealt face up in this game, or it has the name of a card that somebody was dealt.
    """
    folder = _folder(core, card)
    if folder is None and seat is not None and not _may_be_anothers(core, card):
        folder = _if_folded(core, seat)
    if up and folder is not None and card not in core.round.folded.open:
        _comes_open(core, folder, card)


def passed_to(core: Core, seat: int, placement: Placement, *, up: bool) -> bool:
    """Rule on a folded player's hole card that comes to another; return whether no more is to be judged of it.

    More is where it comes out of the discards, in a book that has a row for that. Where that row speaks of another's
    hand, a card that comes face down has been seen by nobody.
    """
    folder = _folder(core, placement.card)
    if folder is None or folder == seat or not _asked(core):
        return False
    back = placement.zone_before == "muck" and core.has_row(Irregularity.MUCKED_CARD_RETURNED)
    if up or not back or "hand" not in core.row(Irregularity.MUCKED_CARD_RETURNED, _facts(core, seat, "muck")).when:
        _rule(core, folder, placement.card)
    return not back


def discard_came(core: Core, seat: int, before: str, card: str | None) -> None:
    """Rule on a card that came to a seat from `before`: the burns or the discards.

    Once for the cards of one folded hand; a card of another hand is a new fault once a person has decided.
    """
    facts, rulings, betting = _facts(core, seat, before), core.round.rulings, core.round.betting
    folder = _folder(core, card)
    of_hand = Matter.CARD_RETURNED, f"of seat {folder}", seat
    decided = not core.has_pending(Irregularity.MUCKED_CARD_RETURNED) and betting is not None and betting.is_live(seat)
    if decided and folder is not None and of_hand not in rulings.matters:
        rulings.reopen((Matter.CARD_RETURNED, seat))
    core.find(
        Irregularity.MUCKED_CARD_RETURNED,
        facts,
        seat=seat,
        once=(Matter.CARD_RETURNED, seat),
        then=lambda _, __: rulings.settle(of_hand),
    )


def _facts(core: Core, seat: int, before: str) -> dict[str, str]:
    """Facts of a card that comes back to a seat: a player in play has folded nothing, so a discard is another's."""
    betting = core.round.betting
    live = before == "muck" and betting is not None and betting.is_live(seat)
    last = live and betting is not None and betting.live == [seat]
    hand = "last" if last else "other" if live else "own"
    return {"hand": hand, "sufficient": core.round.actions.sufficient_fact}


def is_anothers(core: Core, seat: int, placement: Placement) -> bool:
    """Whether a card that goes to the discards is another player's folded one, and so no fold."""
    folder = _folder(core, placement.card)
    return folder is not None and folder != seat and _asked(core)


def shown_where_it_lies(core: Core, seat: int, card: str | None, by: str) -> bool:
    """Judge a card seen before a player who has folded; return whether it was judged here.

    A card that lay open is no fault. A card shown by its player is passed wrongly too, in a book that has that row.
    """
    betting = core.round.betting
    if betting is None or betting.is_live(seat) or seat not in betting.players:
        return False
    if card is not None and card in core.round.tracker.shown(SEAT_ZONE[seat]):
        return True
    if by == "player" and not _asked(core):
        return False
    if by == "player":  # beside the other, where the book has them so
        exposures.shown_by_player(core, seat)
    _rule(core, seat, card)
    return True


def seen_elsewhere(core: Core, seat: int, card: str | None) -> None:
    """Rule on a card seen at a seat that has no hand in the round: a folded player's, by its name, or nobody's."""
    folder = _folder(core, card)
    _rule(core, seat if folder is None else folder, card)


def turned(core: Core, seat: int, card: str | None) -> bool:
    """Rule on a card turned face up before a player that is a folded hole card; return whether it is.

    Before another player it is one by a name that was read where it was folded, not by one that the shoe gave alone.
    """
    folder = _folder(core, card)
    if folder is None or (folder != seat and card in core.round.folded.inferred):
        return False
    return _comes_open(core, folder, card)


def _comes_open(core: Core, seat: int, card: str | None) -> bool:
    """Rule on a folded hole card that lies face up; return whether the book has an answer to it.

    A player who shows is asked about until the showdown, and where the last fold has ended the round without one.
    """
    if _asked(core):
        _rule(core, seat, card)
        return True
    if not core.has_row(Irregularity.PLAYER_EXPOSED) or _after_showdown(core):
        return False
    exposures.shown_by_player(core, seat)
    return True


def _after_showdown(core: Core) -> bool:
    """Whether the showdown has begun: hands that are thrown away face up show nothing that is to be hidden."""
    return core.rounds.phase in {"showdown", "settling"} and not core.round.showdown.by_folds


def _folder(core: Core, card: str | None) -> int | None:
    """The seat that held this card as a hole card and has folded; None for none, and where it is not sure."""
    if core.round.tracker.misnamed and card in core.round.folded.inferred:
        return None  # a card that no reader saw come to rest: the names behind it may be those of others
    seat = core.round.folded.holes.get(card) if card is not None else None
    return None if seat is None else _if_folded(core, seat)


def _may_be_anothers(core: Core, card: str | None) -> bool:
    """Whether names, or open cards of the game, tell that a discard may be another's than the one whom it left."""
    dealt_open = any("up" in street.faces for street in core.book.streets)
    return dealt_open or core.round.tracker.misnamed or card in core.round.folded.holes


def _if_folded(core: Core, seat: int) -> int | None:
    betting = core.round.betting
    return seat if betting is not None and seat in betting.players and not betting.is_live(seat) else None


def _asked(core: Core) -> bool:
    return core.has_row(Irregularity.FOLD_EXPOSED)


def _rule(core: Core, seat: int, card: str | None) -> None:
    """Rule once a hand; once a card where the book has each shown to all."""
    shown = core.row(Irregularity.FOLD_EXPOSED).outcome is Outcome.SHOW_CARD
    once = (Matter.FOLD_EXPOSED, card if shown and card is not None else seat)
    core.find(Irregularity.FOLD_EXPOSED, seat=seat, once=once)
