"""Which stacks can be: a player has no more chips than the others leave, and the last one has all of them.

They hold where the book has the row of stacks. A tournament that began under a book without it goes on as it did.
"""

from collections.abc import Collection

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.state.floor import Stacks
from floor_fsm.state.seating import Seating


def require_left_for_others(parts: Parts, entry: int, chips: int) -> None:
    """Refuse a stack that would leave another player who has a seat without a chip."""
    clause, stacks = _clause(parts), parts.of(Stacks)
    others = len([one for one in parts.of(Seating).places if one != entry])
    if clause is not None and chips > stacks.on_tables + stacks.carried.get(entry, 0) - others:
        raise _too_many(parts, entry, chips, others, clause)


def require_whole_stack(parts: Parts, entry: int, chips: int) -> None:
    """Refuse a stack of who leaves that cannot be: one too large, and of the last player one too small."""
    require_left_for_others(parts, entry, chips)
    clause, stacks = _clause(parts), parts.of(Stacks)
    if clause is None or stacks.uncounted or any(one != entry for one in parts.of(Seating).places):
        return
    if chips < stacks.on_tables:
        raise Refused(
            Reason.DOES_NOT_ADD_UP,
            f"entry {entry} is the last player, and {stacks.on_tables} chips are in play: all of them are that stack, "
            f"not {chips}",
            clause,
        )


def require_bags(parts: Parts, bagged: int, unsealed: int) -> None:
    """Refuse sealed stacks that cannot be. `bagged`: chips of all bags; `unsealed`: players who have none yet."""
    clause, in_play = _clause(parts), parts.of(Stacks).on_tables
    if clause is None:
        return
    if bagged > in_play - unsealed:
        words = (
            f"the bags would have {bagged} chips, and {in_play} are in play with {unsealed} players who have no bag "
            "yet: count first the bag of too many"
            if unsealed
            else f"the bags would have {bagged} chips, and {in_play} are in play: count first the bag of too many"
        )
        raise Refused(Reason.DOES_NOT_ADD_UP, words, clause)


def too_many_beside_others(parts: Parts, table: str, outs: Collection[int], entry: int, chips: int) -> Refused | None:
    """Why who went out in a hand of a table cannot have had so many chips; None where they can.

    Who stays in at that table had one at least before the hand, and so has each other table: of players who may be out
    there the report may still come, but somebody has their chips.
    """
    clause, seating = _clause(parts), parts.of(Seating)
    if clause is None:
        return None
    stay = sum(one not in outs for one in seating.at(table).values())
    others = stay + len({place.table for place in seating.places.values() if place.table != table})
    if chips <= parts.of(Stacks).on_tables - others:
        return None
    return _too_many(parts, entry, chips, others, clause)


def _too_many(parts: Parts, entry: int, chips: int, others: int, clause: str) -> Refused:
    in_play = parts.of(Stacks).on_tables
    words = (
        f"entry {entry} has {chips} chips, and {in_play} are in play, of which {others} others have one each at least: "
        "count again, or say first who is out"
        if others
        else f"entry {entry} has {chips} chips, and {in_play} are in play: count again"
    )
    return Refused(Reason.DOES_NOT_ADD_UP, words, clause)


def _clause(parts: Parts) -> str | None:
    """The clause of the row; None where it says nothing.

    That is: where the book has none, or chips are won from a house, and while tables race: what a race changes of the
    chips in play is known at its end.
    """
    rule, sessions = parts.law.book.stacks, parts.law.book.sessions
    if rule is None or (sessions is not None and sessions.against_house) or parts.of(Stacks).race is not None:
        return None
    return rule.clause
