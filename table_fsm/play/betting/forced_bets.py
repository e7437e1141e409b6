"""Forced bets: blinds, and the ante of every player or of the big blind for all.

Amounts are integer cents. Sources: ACT 2001, 8.8; The Star 7.14, 7.27; Onyx, Blinds & Big Blind Ante System 3.
"""

from dataclasses import dataclass
from itertools import takewhile

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.play.betting import antes, stakes
from table_fsm.structures.antes import AnteDue, AntePayer, posted_from


@dataclass(frozen=True, slots=True)
class Posted:
    """The forced bets of one seat. `blind`: None where it is unknown or none is owed."""

    blind: int | None
    ante: int
    short: bool
    """The seat put in less than was due, or all of a counted stack: the player is all in."""


def antes_due(core: Core, ring: list[int], blinds: dict[int, int | None]) -> dict[int, int]:
    """The ante due in cents, by seat of those dealt in.

    `ring`: the seats dealt in. `blinds`: the blinds due, the big blind last.
    """
    if stakes.by_big_blind(core):
        due = stakes.big_blind_ante(core, len(ring))
        return {list(blinds)[-1]: due.cents} if due is not None and blinds else {}
    cents = antes.due(core)
    return {} if cents is None else dict.fromkeys(ring, cents)


def ante_first(core: Core) -> bool:
    """Whether the ante is taken from a stack before the blind.

    Every player's ante is (ours); for a big blind's ante the book decides.
    """
    return not stakes.by_big_blind(core) or core.book.tournament.ante_before_blind


def posted(core: Core, ring: list[int], blinds: dict[int, int | None]) -> dict[int, Posted]:
    """Blinds and antes put in, by seat: as reported, else as due, at most a counted stack."""
    owed, first_ante = antes_due(core, ring, blinds), ante_first(core)
    return {
        seat: _posted(core, seat, blinds.get(seat), owed.get(seat, 0), first_ante=first_ante)
        for seat in ring
        if seat in blinds or seat in owed or seat in core.round.forced.antes
    }


def big_blind_antes(core: Core, ring: list[int], blinds: dict[int, int | None]) -> dict[int, int]:
    """The ante that the big blind posts for all, by seat.

    It is dead money: it matches no bet and belongs to the main pot.
    """
    if not stakes.by_big_blind(core):
        return {}
    return {seat: paid.ante for seat, paid in posted(core, ring, blinds).items() if paid.ante}


def _posted(core: Core, seat: int, blind: int | None, owed: int, *, first_ante: bool) -> Posted:
    told_blind, told_ante = core.round.forced.posts.get(seat), core.round.forced.antes.get(seat)
    stack = questions.counted_stack(core, seat)
    pays_blind, pays_ante = blind, owed
    if stack is not None:
        pays, pays_ante = posted_from(stack, blind or 0, AnteDue(owed, AntePayer.EVERYONE, before_blind=first_ante))
        pays_blind = pays if blind is not None else None
    if told_blind is not None and blind is not None:
        if told_blind < blind and not first_ante:
            pays_ante = 0  # the blind came first, and took all there was
        pays_blind = told_blind
    if told_ante is not None:
        pays_ante = told_ante
    under = pays_ante < owed or (blind is not None and pays_blind is not None and pays_blind < blind)
    return Posted(pays_blind, pays_ante, under or (stack is not None and 0 < stack <= (pays_blind or 0) + pays_ante))


def _blind_order(core: Core, ring: list[int]) -> list[int]:
    """Seats in the order in which they post, from behind the button.

    Of two players the button posts first, where the book says so.
    """
    turned = len(ring) == 2 and core.book.button.heads_up == "button_posts_small_blind"
    return ring[::-1] if turned else ring


def blind_seats(core: Core, ring: list[int]) -> dict[int, int | None]:
    """The blind due, by seat, in cents where the options say; empty in a game on antes."""
    if core.round.purchase.buyer is not None:
        return {core.round.purchase.buyer: core.round.forced.posts.get(core.round.purchase.buyer)}
    ring = _blind_order(core, ring)
    level = stakes.of_deal(core)
    if level is not None and (level.blinds or not core.round.forced.posts):
        blinds: list[int | None] = list(level.blinds)
    elif core.round.forced.posts:  # only the dealer knows the amounts; the posts show how many blinds there are
        posted = takewhile(core.round.forced.posts.__contains__, ring)
        return {seat: core.round.forced.posts[seat] for seat in posted}
    elif antes.in_use(core):
        return {}
    else:
        blinds = [None] * core.book.betting.blinds
    if core.standing.no_small_blind and len(blinds) > 1:
        blinds = blinds[1:]
    return dict(zip(ring, blinds, strict=False))
