"""Faults of blinds and antes: missing, late, by another player, owed by nobody, or of another amount than is due.

Judged as the first card comes and once more at the first action, where forced bets have been keyed in this round: a
table whose posts nobody keys says nothing. Sources: ACT 2001, 8.8; TAS 2018, B 5.4 and 16.5, C 5.2(e); The Star 7.14,
7.20, 7.27; Onyx, Blinds & Big Blind Ante System 1 to 3.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from table_fsm.core.core import Core
from table_fsm.core.round import Matter, Round, RuledMatter
from table_fsm.play.betting import antes, forced_bets, stakes
from table_fsm.play.button import button as button_button
from table_fsm.play.deal import order
from table_fsm.play.tournament import clock, freeze_out
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.structures.antes import BigBlindAnteRules, ante_due
from table_fsm.structures.levels import level_numbered
from table_fsm.structures.structure import Level

_BLIND, _ANTE = "blind", "ante"
_OLD_AMOUNT = "old_amount"
_OVER = "over"
_NOT_OWED = "not_owed"
_CONTEST = 2
"""Players that a round takes."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of a seat's blind or ante.

    `owed_by`: the seat whose it is, where another put it in. `of_level`: it is what another level asks.
    """

    which: str
    how: str
    seat: int
    owed_by: int | None = None
    of_level: bool = False


def judge_start(core: Core) -> None:
    """Find the faults of the forced bets as the first card comes, by the seats that are to be dealt in.

    With the button at a wrong seat nobody knows yet by which the dealer deals.
    """
    if core.book.banked == "player" and core.round.button.choice is None:
        judge(core, _ring(core))


def judge(core: Core, ring: list[int]) -> None:
    """Find the faults of the forced bets in a round dealt to `ring`, the seat behind the button first."""
    forced = core.round.forced
    if len(ring) < _CONTEST:
        return  # nobody is left to play against: the players who had put in their bets have gone
    if not (forced.posts or forced.antes) or (core.book.button.used and button_button.expected_button(core) is None):
        return
    for fault in _fewest(core, ring):
        if fault.how == _NOT_OWED and _may_put_in(core, fault):
            continue
        _find(core, fault)


def _find(core: Core, fault: _Fault) -> None:
    core.find(
        Irregularity.FORCED_BET,
        {"which": fault.which, "how": fault.how},
        seat=fault.seat,
        once=_matter(fault.which, fault.seat),
        then=partial(_carry_out, core.round, fault),
    )


def _may_put_in(core: Core, fault: _Fault) -> bool:
    """Whether a player may put in a bet that nobody owes: an over-blind, a post of who joins, or no row is about it."""
    if fault.which == _BLIND and _may_post(core, fault.seat):
        return True
    return "how" not in core.row(Irregularity.FORCED_BET, {"which": fault.which, "how": _NOT_OWED}).when


def _may_post(core: Core, seat: int) -> bool:
    """Whether a player may put in a blind that they do not owe.

    It is an over-blind, or the book lets a player post who joins or comes back, and this one has not been dealt in
    since.
    """
    if core.options.over_blind:
        return True
    return core.book.seats.may_post and (core.standing.played == 0 or core.standing.seats[seat].comes_in)


def _is_own(core: Core, seat: int, missing: set[int | None]) -> bool:
    """Whether a blind that a player does not owe is their own while others are missing, of these amounts in cents.

    Of a missing one's amount it is taken for that one, which the dealer has collected from the wrong player. Who has
    joined or come back in a running game posts just that amount (Onyx, Cash 12).
    """
    joined = core.standing.played > 0 and core.standing.seats[seat].comes_in
    return _may_post(core, seat) and (joined or core.round.forced.posts[seat] not in missing)


def judge_late(core: Core, seat: int, *, ante: bool) -> None:
    """Find a blind or ante that is put in after the first card, by a seat that has not put it in before.

    An over-blind is made before the round (ACT, "Over-Blind"): one that comes later goes back. Where only the posts
    show the blinds, it may be a blind that nobody has keyed in time.
    """
    forced, level = core.round.forced, stakes.of_deal(core)
    ring = _ring(core)
    due = forced_bets.blind_seats(core, ring)
    owed: Iterable[int] = forced_bets.antes_due(core, ring, due) if ante else due
    before = forced.antes if ante else forced.posts
    which = _ANTE if ante else _BLIND
    blinds_known = level is not None and bool(level.blinds)
    if core.options.over_blind and blinds_known and not ante and seat not in owed and seat not in before:
        _find(core, _Fault(which, _NOT_OWED, seat))
    if seat not in owed or seat in before or seat in forced.all_in or core.standing.seats[seat].newcomer:
        return
    facts = {"which": which, "how": "late"}
    core.find(Irregularity.FORCED_BET, facts, seat=seat, once=_matter(which, seat))


def put_in(core: Core, *, ante: bool) -> set[int]:
    """Seats whose blind (or ante) need not be asked for: it was put in, or all that the player had.

    What was put in by another level is asked for again while the deal has not begun: levels went by meanwhile, or the
    clock was told back. The whole amount put in then takes the place of the first one.
    """
    forced = core.round.forced
    seats = (forced.antes if ante else forced.posts).keys() | forced.all_in.keys()
    if not seats or core.standing.tournament.deal_level is not None or not _amounts_change(core):
        return seats
    which = _ANTE if ante else _BLIND
    return seats - {fault.seat for fault in _fewest(core, _ring(core)) if fault.of_level and fault.which == which}


def _amounts_change(core: Core) -> bool:
    """Whether blinds or antes were others before in this game. A cheap test: it is asked at each prompt for them."""
    return clock.structure_of(core) is not None or bool(freeze_out.raised_by(core))


def takes_all_in(core: Core, seat: int, cents: int) -> bool:
    """Whether a seat that owes a blind or ante puts in no more than that with `cents` beside what was keyed before.

    Once the betting is open: less than that, since all in for the whole of it is a bet then.
    """
    ring = _ring(core)
    due = forced_bets.blind_seats(core, ring)
    owed = forced_bets.antes_due(core, ring, due).get(seat, 0)
    blind = due.get(seat)
    if seat not in due and not owed:
        return False
    put = forced_bets.put_in(core, seat, blind, owed)
    left = (blind or 0) + owed - sum(part or 0 for part in put) - cents
    return left > 0 or (left == 0 and core.round.betting is None)


def of_all_in_over_blind(core: Core, seat: int, cents: int | None) -> tuple[int, int | None] | None:
    """The ante and the over-blind in cents that a seat makes by going all in before the first card.

    The ante: what of it was not put in before. None where it makes no over-blind: it owes a blind, or `cents` are more
    than the level.
    """
    level = stakes.of_deal(core)
    if core.in_round or not core.options.over_blind or level is None or core.standing.seats[seat].newcomer:
        return None
    ring, forced = _ring(core), core.round.forced
    due = forced_bets.blind_seats(core, ring)
    if seat in due or seat not in ring or not level.blinds:
        return None
    ante = 0 if seat in forced.antes else forced_bets.antes_due(core, ring, due).get(seat, 0)
    if cents is None:
        return ante, forced.posts.get(seat)
    most, over_blind = forced_bets.over_blind_level(core, due), (forced.posts.get(seat) or 0) + cents - ante
    return (ante, over_blind) if most is None or over_blind <= most else None


def _matter(which: str, seat: int) -> RuledMatter:
    return Matter.FORCED_BET, which, seat


def _carry_out(round_: Round, fault: _Fault, _: int, row: Row) -> None:
    """Give the bet of a wrong player back, if the row says so; the ruling speaks for one that is missing too."""
    if fault.owed_by is None and fault.how != _NOT_OWED:
        return
    if fault.owed_by is not None:
        round_.rulings.settle(_matter(fault.which, fault.owed_by))
    if Outcome.RETURN_BET not in {row.outcome, *row.also}:
        return
    if round_.betting is not None and fault.which == _BLIND:
        round_.betting.return_post(fault.seat, round_.forced.posts.get(fault.seat))
    round_.forced.take_back(fault.seat, ante=fault.which == _ANTE)


def _ring(core: Core) -> list[int]:
    """The seats dealt in, the one behind the button first; before the deal those who must be."""
    round_ = core.round
    if round_.betting is not None:
        return round_.betting.ring
    deal = round_.deals.current or order.make_deal(core, 0)
    put_in = round_.forced.posts.keys() | round_.forced.antes.keys()
    return [seat for seat in deal.ring if seat not in deal.optional or seat in put_in]


def _fewest(core: Core, ring: list[int]) -> list[_Fault]:
    """The faults of the forced bets.

    A player who comes in by a post may take a blind by it or post beside the blinds: what leaves fewer faults is true.
    """
    found = list(_faults(core, ring))
    entries = core.round.forced.entries
    if not found or not entries:
        return found
    return min(found, list(_faults(core, [seat for seat in ring if seat not in entries])), key=len)


def _faults(core: Core, ring: list[int]) -> Iterator[_Fault]:
    if not ring:
        return
    level = stakes.of_deal(core)
    due = forced_bets.blind_seats(core, ring) if level is not None else _shown_by_posts(core, ring)
    owed = _antes_owed(core, ring, due)
    if core.round.purchase.buyer is None:
        yield from _of_blinds(core, due, owed, pairs=level is not None)
    yield from _of_antes(core, ring, due, owed)


def _shown_by_posts(core: Core, ring: list[int]) -> dict[int, int | None]:
    """The blinds of a round whose amounts the dealer alone knows: up to the last seat in order that has posted."""
    in_order = forced_bets.owing_in_order(core, ring)
    posts = _posts(core)
    last = max((in_order.index(seat) for seat in posts if seat in in_order), default=-1)
    return {seat: posts.get(seat) for seat in in_order[: last + 1]}


def _posts(core: Core) -> dict[int, int | None]:
    """Posts in cents by seat, without those of players who came in with them."""
    forced = core.round.forced
    return {seat: cents for seat, cents in forced.posts.items() if seat not in forced.entries}


def _gone(core: Core) -> set[int]:
    """Seats whose players have left: what they put in was theirs to put in."""
    forced, seats = core.round.forced, core.standing.seats
    put_in = forced.posts.keys() | forced.antes.keys()
    return forced.gone | {seat for seat in put_in if (record := seats.get(seat)) is None or record.leaving}


def _of_blinds(
    core: Core, due: dict[int, int | None], owed: Mapping[int, int | None], *, pairs: bool
) -> Iterator[_Fault]:
    posts, forced, first_ante = _posts(core), core.round.forced, forced_bets.ante_first(core)
    if not posts:
        return
    whole = {
        seat: forced_bets.due_from(core, seat, blind, owed.get(seat) or 0, first_ante=first_ante).blind
        for seat, blind in due.items()
    }
    unpaid = [seat for seat in due if seat not in forced.posts and seat not in forced.all_in and whole[seat] != 0]
    for seat in sorted(posts.keys() - due.keys() - _gone(core)) if pairs else []:
        if not unpaid:
            yield _Fault(_BLIND, _NOT_OWED, seat)
        elif not _is_own(core, seat, {due[other] for other in unpaid}):
            yield _Fault(_BLIND, "wrong_seat", seat, owed_by=unpaid.pop(0))
    for seat in unpaid:
        yield _Fault(_BLIND, "missing", seat)
    if not unpaid:
        yield from _of_over_blinds(core, due)
    for at, (seat, blind) in enumerate(due.items()):
        put, least = forced_bets.put_in(core, seat, blind, owed.get(seat) or 0)[0], whole[seat]
        if seat not in posts or put is None or blind is None or least is None:
            continue
        if put > blind:
            yield _Fault(_BLIND, _OVER, seat, of_level=put in _blinds_then(core, due, at, seat))
        elif put < least and seat not in forced.all_in:
            yield _too_little(_BLIND, seat, of_level=put in _blinds_then(core, due, at, seat))


def _of_over_blinds(core: Core, due: Mapping[int, int | None]) -> Iterator[_Fault]:
    """Faults of over-blinds of another amount than their level (ACT 4.3(g)); who has no more is all in."""
    level = forced_bets.over_blind_level(core, due)
    for seat, put in sorted(_posts(core).items()) if level is not None else []:
        whole = forced_bets.of_over_blind(core, seat, put, level)
        if seat in due or put is None or whole is None:
            continue
        if put > whole:
            yield _Fault(_BLIND, _OVER, seat)
        elif put < whole and seat not in core.round.forced.all_in:
            yield _Fault(_BLIND, "short", seat)


def _too_little(which: str, seat: int, *, of_level: bool) -> _Fault:
    return _Fault(which, _OLD_AMOUNT if of_level else "short", seat, of_level=of_level)


def _of_antes(
    core: Core, ring: list[int], due: dict[int, int | None], owed: Mapping[int, int | None]
) -> Iterator[_Fault]:
    forced, first_ante = core.round.forced, forced_bets.ante_first(core)
    for_all = stakes.by_big_blind(core)
    if not (forced.antes or for_all):
        return
    unpaid = [seat for seat in owed if _ante_missing(core, seat, due.get(seat), owed[seat])]
    for seat in sorted(forced.antes.keys() - owed.keys() - _gone(core)) if for_all else []:
        if unpaid:
            yield _Fault(_ANTE, "wrong_seat", seat, owed_by=unpaid.pop(0))
        else:
            yield _Fault(_ANTE, _NOT_OWED, seat)
    for seat in unpaid:
        yield _Fault(_ANTE, "missing", seat)
    for seat, cents in owed.items():
        put = forced.antes.get(seat)
        if put is None or cents is None or seat in forced.all_in:
            continue
        whole = forced_bets.due_from(core, seat, due.get(seat), cents, first_ante=first_ante).ante
        if put > cents:
            yield _Fault(_ANTE, _OVER, seat, of_level=put in _antes_then(core, len(ring)))
        elif put < whole:
            yield _too_little(_ANTE, seat, of_level=put in _antes_then(core, len(ring)))


def _ante_missing(core: Core, seat: int, blind: int | None, cents: int | None) -> bool:
    forced = core.round.forced
    if seat in forced.antes or seat in forced.all_in:
        return False
    if cents is None:
        return True
    _, put = forced_bets.put_in(core, seat, blind, cents)
    whole = forced_bets.due_from(core, seat, blind, cents, first_ante=forced_bets.ante_first(core))
    return put is None and whole.ante > 0


def _antes_owed(core: Core, ring: list[int], due: dict[int, int | None]) -> Mapping[int, int | None]:
    """The antes owed in cents by seat; None where a game on antes alone has an amount that nobody has told."""
    known: dict[int, int | None] = dict(forced_bets.antes_due(core, ring, due))
    unknown = not known and not due and not core.round.forced.posts and stakes.of_deal(core) is None
    return dict.fromkeys(ring) if unknown else known


def _levels_then(core: Core) -> list[Level]:
    """The level before this one, and each other one that held as a blind or ante of this round was put in."""
    structure, number = clock.structure_of(core), clock.level_of_deal(core)
    if core.own_stakes is not None or structure is None or number is None:
        return []
    then = {number - 1, *core.round.forced.levels} - {0, number}
    return [level_numbered(structure, other) for other in sorted(then)]


def _blinds_then(core: Core, due: Mapping[int, int | None], at: int, seat: int) -> set[int]:
    """What other levels asked of the blind at this place, in cents, or the whole stack of a seat that has less."""
    had = antes.chips_had(core, seat)
    asked = set[int]()
    for level in _levels_then(core):
        place = at + len(level.blinds) - len(due)  # without a small blind the big one is the first
        if 0 <= place < len(level.blinds):
            blind = level.blinds[place]
            asked.add(blind if had is None else min(blind, had))
    return asked


def _antes_then(core: Core, players: int) -> set[int]:
    """What other levels asked of an ante, in cents; in a freeze-out without levels, each ante before the last raise."""
    rules = core.book.tournament
    big_blind = BigBlindAnteRules(rules.ante_before_blind, rules.ante_small_blind_from, rules.ante_heads_up)
    final, six = core.options.final_table is True, core.options.six_max is True
    levels = _levels_then(core)
    asked = (ante_due(one, big_blind, players=players, final_table=final, six_max=six) for one in levels)
    return {one.cents for one in asked if one is not None} | _antes_raised(core)


def _antes_raised(core: Core) -> set[int]:
    raised, due = freeze_out.raised_by(core), antes.due(core)
    first = core.options.table_min
    if not raised or due is None or not isinstance(first, int):
        return set()
    return set(range(due - raised, due, first))
