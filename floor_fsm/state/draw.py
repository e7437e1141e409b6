"""The draw's part: what is committed to, who is kept apart, what was drawn, and what of it was annulled."""

from dataclasses import dataclass

from floor_fsm.core.parts import Parts
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.draw import Keeper


@dataclass(frozen=True, slots=True)
class Said:
    """What a person has said of a draw, and why. `t`: seconds of the tournament."""

    who: str
    why: str
    t: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw of all seats, or of those of a broken table's players. `ev`: its event; `table`: the broken one.

    `entries`: how many were drawn. `objected`, `annulled`: who said so, where somebody has.
    """

    ev: str
    table: str | None
    secret: str
    entries: int
    objected: Said | None = None
    annulled: Said | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """The draw's part.

    `commitment`: the SHA-256 of the next secret: the one that was committed to, then each secret that was told. `seed`:
    of the first draw, hexadecimal, once its secret is told. `kept_by`: who keeps the secrets, where it was said.
    `drawn`: the draws but those of one late seat. `undealt`: which of them no hand was dealt by yet.
    """

    commitment: str | None = None
    groups: tuple[tuple[str, ...], ...] = ()
    seed: str | None = None
    kept_by: Keeper | None = None
    drawn: tuple[Drawn, ...] = ()
    undealt: tuple[int, ...] = ()

    def number_of(self, table: str | None) -> int | None:
        """Which of `drawn` was of this broken table, or of all seats, and no hand was dealt by; None where none is."""
        return next((one for one in reversed(self.undealt) if self.drawn[one].table == table), None)


def undealt_draw(parts: Parts, ev: str, table: str | None) -> tuple[int, Drawn]:
    """The draw that may still be annulled. Refuses where there is none, and one that is annulled already."""
    draw, rule = parts.of(Draw), parts.law.book.draw
    clause = None if rule is None else rule.clause
    number = draw.number_of(table)
    if number is None and table is None:
        words = f"{ev}: no draw of all seats is without a hand: what was dealt by one stays"
        raise Refused(Reason.WRONG_STATE, words, clause)
    if number is None:
        words = f"{ev}: table {table} was not broken by a draw, or has dealt a hand since: what was dealt stays"
        raise Refused(Reason.WRONG_STATE, words, clause)
    done = draw.drawn[number]
    if done.annulled is not None:
        raise Refused(Reason.WRONG_STATE, f"{ev}: {done.annulled.who} has annulled this draw: draw again", clause)
    return number, done
