"""A tournament as its desk has it: facts of its parts, and who moves next by the book. Amounts are cents or chips."""

from typing import Any

from feltd.text.amounts import house_currency
from feltd.text.catalogue import refusal
from feltd.tournaments.payouts import why_no_amounts
from floor_fsm.core.parts import Parts
from floor_fsm.errors import Refused
from floor_fsm.law.matters import Measure
from floor_fsm.law.model import Redraws
from floor_fsm.law.occasions import Occasion
from floor_fsm.messages.opening import AddOnTerms, RebuyTerms
from floor_fsm.play.places import Ladder
from floor_fsm.positions import hands_to_big_blind
from floor_fsm.state.calling_off import all_goes_back
from floor_fsm.state.draw import Draw, Drawn, Said
from floor_fsm.state.entries import Entries
from floor_fsm.state.floor import People, Stacks
from floor_fsm.state.hands import Hands, Places, field_of, unreported
from floor_fsm.state.money import Money, amounts_of, payouts_due, pool_of, pool_rules
from floor_fsm.state.opening import Opening, opened
from floor_fsm.state.rebuys import Bought, Rebuys
from floor_fsm.state.refunds import Refunds
from floor_fsm.state.reports import Reports
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.state.sessions import Sessions, Until
from floor_fsm.state.tables import Tables, move_by_book, next_to_break


def desk_as_json(parts: Parts) -> dict[str, Any]:
    """Everything that a director's desk shows but the clock."""
    terms = opened(parts)
    book = parts.law.book
    return {
        "title": terms.name,
        "book": {"id": book.id, "title": book.title, "digest": parts.law.digest},
        "terms": {
            "fee": terms.fee, "house": terms.house, "added": terms.added, "stack": terms.stack, "most": terms.most,
            "re_entries": terms.re_entries, "late_until": terms.late_until,
            "rebuy": _bought_at(terms.rebuy), "add_on": _bought_at(terms.add_on),
        },
        "cancelled": parts.of(Opening).cancelled,
        "rules": _rules(parts),
        "entries": _entries(parts),
        "ways": [row.why.value for row in book.leaving],
        "occasions": [] if book.redraws is None else _occasions(book.redraws),
        "late": {"closed": parts.of(Entries).closed, "level": parts.of(Entries).level},
        "draw": _draw(parts),
        "tables": _tables(parts),
        "move": _move(parts),
        "breaking": {"order": list(parts.of(Tables).order), "next": next_to_break(parts),
                     "clause": None if book.breaking is None else book.breaking.clause},
        "hand_for_hand": _hand_for_hand(parts),
        "places": _places(parts),
        "reports": [
            {"number": one.number, "table": one.table, "entry": one.entry, "seat": one.seat,
             "words": refusal(one.words), "clause": one.clause}
            for one in parts.of(Reports).open
        ],
        "money": _money(parts),
        "chips": _chips(parts),
        "session": _session(parts),
    }  # fmt: skip


def _bought_at(terms: RebuyTerms | AddOnTerms | None) -> dict[str, Any] | None:
    """What a rebuy or an add-on costs, house and pool together."""
    if terms is None:
        return None
    return {"price": terms.price + terms.house, "chips": terms.chips, "most": terms.most,
            "until_level": terms.until_level}  # fmt: skip


def _rules(parts: Parts) -> dict[str, Any]:
    """What the book knows of steps that not every text has.

    `no_show`: who does not come forfeits the entry; `absent_until`: behind this level who has not come may be taken
    out; `substitute`: before there is a seat (`waiting`), or also then
    (`in_play`); `refund`: the clause by which all goes back where the tournament is called off now; `fee_kept`: that by
    which the fee of who withdraws stays; each None where not. `gives_up`: who is in play may give up the chips, as far
    as the book and the terms say for all.
    """
    book = parts.law.book
    no_show = book.no_shows is not None and book.no_shows.stack == "forfeited"
    substitute = None if book.substitutes is None else ("in_play" if book.substitutes.in_play else "waiting")
    refund = book.cancelling.clause if book.cancelling is not None and all_goes_back(parts) else None
    kept = None if book.withdrawing is None else book.withdrawing.clause
    until = None if book.no_shows is None else book.no_shows.until_level
    return {"no_show": no_show, "absent_until": until, "substitute": substitute, "refund": refund,
            "fee_kept": kept, "gives_up": _gives_up(parts)}  # fmt: skip


def _gives_up(parts: Parts) -> bool:
    rule = parts.law.book.entries
    if rule is None or rule.forfeit is None:
        return True
    return rule.re_entry != "never" and opened(parts).re_entries != 0


def _occasions(rule: Redraws) -> list[str]:
    named = [occasion.value for occasion in rule.at]
    return [*named, Occasion.DIRECTOR.value] if rule.director_may_add else named


def _entries(parts: Parts) -> list[dict[str, Any]]:
    places, said, prizes = parts.of(Seating).places, parts.of(Places).said, parts.of(Money).told
    conducts, bags, departed = parts.of(People).conducts, parts.of(Stacks).bags, parts.of(Stacks).departed
    rebuys, paid = parts.of(Rebuys), parts.of(Money).paid
    refunds, played = parts.of(Refunds), parts.of(Sessions).played
    ladder = parts.of(Places).ladder
    orders = {out.entry: gone.order for gone in (() if ladder is None else ladder.gone) for out in gone.outs}
    found: list[dict[str, Any]] = []
    for one in parts.of(Entries).by_number.values():
        place, (finish, provisional) = places.get(one.number), said.get(one.number, (None, True))
        conduct, bought = conducts.get(one.number), rebuys.bought.get(one.number, Bought())
        found.append(
            {
                "entry": one.number,
                "person": one.person,
                "name": one.name,
                "paid": one.paid,
                "again": one.again,
                "standing": one.standing.value,
                "table": None if place is None else place.table,
                "seat": None if place is None else place.seat,
                "first": None if finish is None else finish.first,
                "last": None if finish is None else finish.last,
                "provisional": provisional,
                "order": orders.get(one.number),
                "prize": prizes.get(one.number, 0),
                "prize_paid": paid.get(one.number),
                "refund": refunds.left(one.number),
                "refund_paid": refunds.paid.get(one.number, 0),
                "played": played.get(one.number),
                "rebuys": bought.rebuys,
                "add_ons": bought.add_ons,
                "just_out": one.number in rebuys.just_out,
                "carries": None
                if conduct is None
                else {"warnings": conduct.warnings, "hands": conduct.hands_left, "rounds": conduct.rounds_left,
                      "time_banks": conduct.time_banks, "absent": conduct.absent},
                "bagged": one.number in bags,
                "never_came": one.number in departed and departed[one.number].never_came,
            }
        )  # fmt: skip
    return found


def _draw(parts: Parts) -> dict[str, Any]:
    draw, rule = parts.of(Draw), parts.law.book.draw
    return {
        "commitment": draw.commitment,
        "seed": draw.seed,
        "apart": [list(group) for group in draw.groups],
        "least": None if rule is None else rule.least_to_begin,
        "clause": None if rule is None else rule.clause,
        "kept_by": None if draw.kept_by is None else draw.kept_by.value,
        "drawn": [_drawn(one, undealt=number in draw.undealt) for number, one in enumerate(draw.drawn)],
    }


def _drawn(one: Drawn, *, undealt: bool) -> dict[str, Any]:
    """`may_be_annulled`: no hand was dealt by it, and nobody has annulled it."""
    return {
        "ev": one.ev, "table": one.table, "secret": one.secret, "entries": one.entries,
        "objected": _said(one.objected), "annulled": _said(one.annulled),
        "may_be_annulled": undealt and one.annulled is None,
    }  # fmt: skip


def _said(said: Said | None) -> dict[str, Any] | None:
    return None if said is None else {"who": said.who, "why": said.why, "t": said.t}


def _tables(parts: Parts) -> list[dict[str, Any]]:
    seating, tables, hands, counted = parts.of(Seating), parts.of(Tables), parts.of(Hands), parts.of(Stacks).counted
    found: list[dict[str, Any]] = []
    there = players_by_table(parts)
    for known in opened(parts).tables:
        blinds, sitting = tables.blinds.get(known.table), there.get(known.table, {})
        players = []
        for seat, entry in sitting.items():
            others = [other for other in sitting if other != seat]
            to_big_blind = None if blinds is None else hands_to_big_blind(seat, others, blinds.big_blind)
            had = counted.get(entry)
            chips, at = (None, None) if had is None else (had.chips, had.at)
            players.append({"seat": seat, "entry": entry, "to_big_blind": to_big_blind, "chips": chips, "chips_at": at})
        found.append(
            {
                "table": known.table,
                "seats": list(known.seats),
                "players": players,
                "hand": None if blinds is None else blinds.hand,
                "big_blind": None if blinds is None else blinds.big_blind,
                "waits": tables.waits.get(known.table),
                "broken": known.table in seating.broken,
                "away": known.table in hands.away,
            }
        )
    return found


def players_by_table(parts: Parts) -> dict[str, dict[int, int]]:
    """The entries of each table by seat, in one walk: 500 tables that each look through all seats take a second."""
    there: dict[str, dict[int, int]] = {}
    for entry, place in sorted(parts.of(Seating).places.items(), key=lambda one: one[1]):
        there.setdefault(place.table, {})[place.seat] = entry
    return there


def _move(parts: Parts) -> dict[str, Any] | None:
    """Who moves next between the fullest table and the emptiest; or why nobody does, by the book's own words."""
    there = players_by_table(parts)
    tables = [table for table in in_use(parts) if there.get(table)]  # nobody is moved to a table that stands by
    if len(tables) < 2:
        return None
    emptiest = min(tables, key=lambda table: len(there[table]))
    others = (table for table in tables if table != emptiest)  # where all have as many, two of them are named
    fullest = max(others, key=lambda table: len(there[table]))
    sizes = {"table": fullest, "players": len(there[fullest]), "to": emptiest,
             "players_there": len(there[emptiest])}  # fmt: skip
    try:
        wanted = move_by_book(parts, fullest, emptiest)
    except Refused as refused:
        return {
            **sizes,
            "entry": None,
            "why_not": refusal(refused.words),
            "reason": refused.reason,
            "clause": refused.clause,
        }
    return {
        **sizes,
        "entry": wanted.entry,
        "seat": wanted.source.seat,
        "to_seat": wanted.target.seat,
        "hand": parts.of(Tables).blinds[fullest].hand,
        "clause": wanted.clause,
    }


def _hand_for_hand(parts: Parts) -> dict[str, Any] | None:
    play = parts.of(Hands).play
    if play is None:
        return None
    tables = [
        {"table": name, "at": one.at.value, "hand": one.hand, "away": one.away, "excused": one.excused,
         "owes": sorted(one.owes)}
        for name, one in play.tables.items()
    ]  # fmt: skip
    return {
        "why": play.why.value,
        "hand": play.hand,
        "tables": tables,
        "waits_for": list(play.waits_for),
        "clause": play.rules.clause,
    }


def _places(parts: Parts) -> dict[str, Any]:
    ladder = parts.of(Places).ladder
    rules = parts.law.book.places
    return {
        "field": field_of(parts),
        "to_decide": [_to_decide(ladder, order) for order in (() if ladder is None else ladder.undecided)],
        "awaited": [] if ladder is None else list(ladder.awaited),
        "unreported": [
            {"order": one.order, "hand": one.hand, "entries": list(one.entries), "tables": list(one.tables)}
            for one in unreported(parts)
        ],
        "clause": None if rules is None else rules.clause,
    }


def _to_decide(ladder: Ladder | None, order: int) -> dict[str, Any]:
    """Who went out together, and what is known of it: the question that a person answers."""
    gone = None if ladder is None else ladder.under(order)
    assert ladder is not None  # it has this order
    assert gone is not None
    outs = sorted(gone.outs, key=lambda out: out.entry)
    at_one_table = len({out.table for out in outs}) == 1
    return {
        "order": order,
        "entries": [out.entry for out in outs],
        "tables": [out.table for out in outs],
        "amounts": [out.amount for out in outs],
        "measure": (ladder.rules.measure if at_one_table else Measure.DIRECTOR).value,
        "clause": ladder.rules.clause if at_one_table else ladder.rules.across_clause,
    }


def _money(parts: Parts) -> dict[str, Any]:
    money = parts.of(Money)
    return {
        "pool": pool_of(parts),
        "currency": house_currency(),
        "amounts": list(amounts_of(parts)),
        "due": why_no_amounts(parts) if payouts_due(parts) else None,
        "chopped": money.chop is not None,
        "clause": pool_rules(parts.law).clause,
    }


def _session(parts: Parts) -> dict[str, Any] | None:
    """The session that is on, the last one's result, and who has one to play yet; None where the book has none."""
    rules, sessions = parts.law.book.sessions, parts.of(Sessions)
    if rules is None:
        return None
    on, last = sessions.on, sessions.last
    return {
        "on": None
        if on is None
        else {"name": on.name, "advance": on.advance, "ties": on.ties.value, "repechage": on.repechage,
              "stacks": "carried" if on.carried else "anew"},
        "last": None
        if last is None
        else {"name": last.name, "advance": list(last.result.advance), "catch_up": list(last.result.catch_up),
              "out": list(last.out)},
        "next": [entry for entry, until in sessions.rests.items() if until is not Until.CATCH_UP],
        "catch_up": [entry for entry, until in sessions.rests.items() if until is Until.CATCH_UP],
        "clause": rules.clause,
    }  # fmt: skip


def _chips(parts: Parts) -> dict[str, Any]:
    stacks, playing = parts.of(Stacks), len(parts.of(Seating).places)
    in_play = stacks.on_tables
    race = stacks.race
    return {
        "in_play": in_play,
        "average": in_play // playing if playing else None,
        "uncounted": list(stacks.uncounted),
        "race": None
        if race is None
        else {"chip": race.chip, "new_chip": race.new_chip, "waits_for": list(race.waits_for)},
        "night": stacks.night,
        "bags": len(stacks.bags),
    }
