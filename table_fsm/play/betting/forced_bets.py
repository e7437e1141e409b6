"""Forced bets: blinds, and the ante of every player or of the big blind for all.

Amounts are integer cents. Sources: ACT 2001, 8.8; The Star 7.14, 7.27; Onyx, Blinds & Big Blind Ante System 3.
"""

from collections.abc import Mapping
from itertools import takewhile
from typing import NamedTuple

from table_fsm.core.core import Core
from table_fsm.play.betting import antes, stakes
from table_fsm.play.button import dead
from table_fsm.structures.antes import AnteDue, AntePayer, posted_from


class Posted(NamedTuple):
    """The forced bets of one seat. `blind`: None where it is unknown or none is owed."""

    blind: int | None
    ante: int
    all_in: bool
    """The player has no more: a counted stack is used up, or all in was keyed."""


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
    """Blinds and antes put in, by seat: as due, at most what the player had.

    What was put in short is made full, and what was too much goes back (`forced_faults` rules on both).
    """
    owed, first_ante = antes_due(core, ring, blinds), ante_first(core)
    return {
        seat: _posted(core, seat, blinds.get(seat), owed.get(seat, 0), first_ante=first_ante)
        for seat in ring
        if seat in blinds or seat in owed or seat in core.round.forced.antes
    }


def big_blind_antes(core: Core, forced: Mapping[int, Posted]) -> dict[int, int]:
    """The ante that the big blind posts for all, by seat. `forced`: all that is put in (`posted`).

    It is dead money: it matches no bet and belongs to the main pot.
    """
    if not stakes.by_big_blind(core):
        return {}
    return {seat: paid.ante for seat, paid in forced.items() if paid.ante}


def _posted(core: Core, seat: int, blind: int | None, owed: int, *, first_ante: bool) -> Posted:
    had, forced = antes.chips_had(core, seat), core.round.forced
    whole = _due(had, blind, owed, first_ante=first_ante)
    put_blind, put_ante = put_in(core, seat, blind, owed)
    pays_blind = put_blind if blind is None else _within(put_blind, whole.blind, blind)
    pays_ante = (_within(put_ante, whole.ante, owed) if owed else put_ante) or 0
    used_up = had is not None and 0 < had <= (pays_blind or 0) + pays_ante
    return Posted(pays_blind, pays_ante, whole.all_in or used_up or seat in forced.all_in)


def over_blind_level(core: Core, due: Mapping[int, int | None]) -> int | None:
    """The level of an over-blind in cents; None where over-blinds are not played, or it is not known.

    `due`: the blinds due by seat, the last one last.
    """
    times, last = core.options.over_blind_times, list(due.values())[-1] if due else None
    return times * last if core.options.over_blind and times and last else None


def over_blinds(core: Core, due: Mapping[int, int | None]) -> dict[int, int | None]:
    """What players who owe no blind have put in, in cents by seat; each over-blind is its level, or all in."""
    level = over_blind_level(core, due)
    posts = core.round.forced.posts.items()
    return {seat: of_over_blind(core, seat, cents, level) for seat, cents in posts if seat not in due}


def of_over_blind(core: Core, seat: int, cents: int | None, level: int | None) -> int | None:
    """What an over-blind of so many cents counts: a short one is made full, and what is too much goes back.

    It is made of what the player has beside the ante.
    """
    if cents is None or level is None:
        return cents
    had = antes.chips_had(core, seat)
    return level if had is None else max(0, min(level, had - _ante_of(core, seat)))


def _ante_of(core: Core, seat: int) -> int:
    """The ante in cents that a seat pays, where each player pays one and its amount is known."""
    return (antes.paid(core, seat, antes.due(core)) or 0) if antes.in_use(core) else 0


def used_up_by_over_blind(core: Core, seat: int, cents: int | None) -> bool:
    """Whether a player has no more than an over-blind of so many cents, and the ante."""
    had = antes.chips_had(core, seat)
    return seat in core.round.forced.all_in or (had is not None and 0 < had <= (cents or 0) + _ante_of(core, seat))


def _within(put: int | None, least: int | None, most: int) -> int | None:
    return least if put is None or least is None else min(max(put, least), most)


def due_from(core: Core, seat: int, blind: int | None, owed: int, *, first_ante: bool) -> Posted:
    """What a seat must put in of a blind and an ante, in cents: at most the chips that it has, if they are known."""
    return _due(antes.chips_had(core, seat), blind, owed, first_ante=first_ante)


def _due(had: int | None, blind: int | None, owed: int, *, first_ante: bool) -> Posted:
    if had is None:
        return Posted(blind, owed, all_in=False)
    from_blind, from_ante = posted_from(had, blind or 0, AnteDue(owed, AntePayer.EVERYONE, before_blind=first_ante))
    under = from_ante < owed or (blind is not None and from_blind < blind)
    return Posted(from_blind if blind is not None else None, from_ante, under)


def put_in(core: Core, seat: int, blind: int | None, owed: int) -> tuple[int | None, int | None]:
    """The blind and the ante that a seat was keyed to put in, in cents; None where nothing was keyed, or no amount.

    One post of both together is both.
    """
    forced = core.round.forced
    post, ante = forced.posts.get(seat), forced.antes.get(seat)
    if blind is not None and owed and seat not in forced.antes and post == blind + owed:
        return blind, owed
    return post, ante


def order_of_blinds(core: Core, ring: list[int]) -> list[int]:
    """Seats in the order in which they post, from behind the button.

    Of two players the button posts first, where the book says so. Not where a third waits to be dealt in, and who would
    have the small blind has gone: then the big blind is of the one behind the button, whose turn it is.
    """
    two = len(ring) == 2 and core.book.button.heads_up == "button_posts_small_blind"
    turned = two and not (dead.used(core) and core.standing.no_small_blind)
    return ring[::-1] if turned else ring


def owing_in_order(core: Core, ring: list[int]) -> list[int]:
    """Seats dealt in that may owe a blind, in the order in which they post."""
    beside = _beside_the_blinds(core, ring)
    return order_of_blinds(core, [seat for seat in ring if seat not in beside] if beside else ring)


def betting_ring(core: Core, ring: list[int]) -> list[int]:
    """The seats dealt in, in the order of the betting: behind the button first.

    Who was dealt in between button and small blind, and was to wait, does not open in the small blind's place (TAS C
    12.4).
    """
    beside = _beside_the_blinds(core, ring)
    first = next((at for at, seat in enumerate(ring) if seat not in beside), 0)
    return ring[first:] + ring[:first] if first else ring


def _beside_the_blinds(core: Core, ring: list[int]) -> set[int]:
    """Seats whose players come in beside the blinds: they take no place of a blind (TAS C 19.7, 19.10).

    Who was dealt in before the player was to come in, where the blinds do not need that seat; and who came in by a
    post, where the last blind of the others was put in. Else the blind of the player whose turn it is would go back.
    Empty where no blind of this round has been keyed.
    """
    forced = core.round.forced
    if not forced.posts or core.book.seats.newcomers != "wait_for_blind":
        return set()
    blinds = _number_of_blinds(core)
    beside = {seat for seat in ring if _was_to_wait(core, seat)}
    if len(ring) - len(beside) < blinds:
        return set()
    others = order_of_blinds(core, [seat for seat in ring if seat not in beside | forced.entries])
    last = others[blinds - 1] if len(others) >= blinds else None
    if last in forced.posts or last in forced.all_in:
        beside |= forced.entries.intersection(ring)
    return beside


def _was_to_wait(core: Core, seat: int) -> bool:
    """Whether a player waits for the big blind, and did not post before the deal to come in."""
    record, forced = core.standing.seats.get(seat), core.round.forced
    if record is None or not (record.newcomer or record.missed_blind) or seat in forced.all_in:
        return False
    return seat not in forced.posts or seat in forced.entries


def _number_of_blinds(core: Core) -> int:
    level = stakes.of_deal(core)
    blinds = len(level.blinds) if level is not None and level.blinds else core.book.betting.blinds
    return blinds - (core.standing.no_small_blind and blinds > 1)


def blind_seats(core: Core, ring: list[int]) -> dict[int, int | None]:
    """The blind due, by seat, in cents where the options say; empty in a game on antes."""
    if core.round.purchase.buyer is not None:
        return {core.round.purchase.buyer: core.round.forced.posts.get(core.round.purchase.buyer)}
    ring = owing_in_order(core, ring)
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
