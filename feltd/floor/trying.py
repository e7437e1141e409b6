"""A step is tried on a copy of its tournament: what is refused is put on record, and told with names."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn

from pydantic import ValidationError

from feltd.door.commands import CommandRefused, StepRefused
from feltd.door.pit.directing import DecidedBy
from feltd.floor.players import CARD, Names, Player, has_plain_name
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.tournament_fold import Fold
from feltd.tournaments.likeness import refused_like
from floor_fsm.core.event import By, Event
from floor_fsm.core.output import Output
from floor_fsm.core.words import cleaned
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.chips import StackBagged, Suspended
from floor_fsm.messages.entries import EntryHandedOn, EntrySubstituted, EntryTaken
from floor_fsm.messages.reports import Doubtful
from floor_fsm.state.entries import Entries
from floor_fsm.state.seating import Seating
from floor_fsm.tournament import Tournament


class Trying:
    """Tries steps. `refusals`: who puts what is refused on record; None where nobody does."""

    def __init__(self, refusals: RefusalsKept | None) -> None:
        self._refusals = refusals

    async def outputs(
        self, fold: Fold, names: Names, trial: Tournament, event: Event, people: Sequence[Player]
    ) -> tuple[Output, ...]:
        """What a tournament says to an event that it takes. `people`: who is named in it. Raises StepRefused."""
        try:
            return trial.apply(event).outputs
        except Refused as refused:
            await self.refuse(fold, names.beside(people), event, refused)

    async def require_nobody_like(
        self, fold: Fold, names: Names, tournament: Tournament, event: Event, people: Sequence[Player]
    ) -> None:
        """Refuse who is perhaps somebody who has entered, unless the desk says that they are another person."""
        if not isinstance(event, EntryTaken | EntryHandedOn | EntrySubstituted) or event.another:
            return
        like = [one for player in people for one in names.like(player)]
        if not like:
            return
        for entry in tournament.parts.of(Entries).by_number.values():
            named = next((one for one in like if entry.person == CARD + one.token), None)
            if named is None or entry.number == event.entry or not entry.has_been_used:
                continue
            await self.refuse(fold, names, event, refused_like(named.name, named.person, entry.number))

    async def require_no_round(
        self, fold: Fold, names: Names, event: Event, in_round: Callable[[Fold], Collection[str]]
    ) -> None:
        """Refuse to seal a stack, or to begin the night, in the midst of a hand, where the book has it so.

        `in_round`: the tables of a tournament that play a hand now, by their records. The tournament itself knows that
        in hand for hand alone.
        """
        parts = terms_of(fold).parts
        rule = parts.law.book.suspension
        if not isinstance(event, Suspended | StackBagged) or rule is None or rule.begins is None:
            return
        tables = set(in_round(fold))
        if isinstance(event, StackBagged):
            place = parts.of(Seating).places.get(event.entry)
            tables &= set() if place is None else {place.table}
        if tables:
            words = f"a hand is under way at table {', '.join(sorted(tables))}: wait for its end, then count the stacks"
            await self.refuse(fold, names, event, Refused(Reason.TABLES_PLAY, words, rule.clause))

    async def keep_doubtful(self, fold: Fold, seq: int, event: Event, outputs: Sequence[Output]) -> None:
        """Put on record what was not taken of an event that was. `seq`: the event before it."""
        if self._refusals is None:
            return
        for refused, part in parts_not_taken(outputs):
            await self._refusals.keep(fold.id, seq, event, refused, part)

    async def refuse(self, fold: Fold, names: Names, event: Event, refused: Refused) -> NoReturn:
        """Put a refusal on record, and raise it as StepRefused, in words with names."""
        if self._refusals is not None:
            await self._refusals.keep(fold.id, fold.seq, event, refused)
        raise StepRefused(refused.reason, names.in_words(refused.words), refused.clause) from None


def parts_not_taken(outputs: Sequence[Output]) -> list[tuple[Refused, Mapping[str, int]]]:
    """What was not taken of an event that was: why, and which part of it, by name."""
    return [
        (
            Refused(one.reason, one.words, one.clause),
            {"number": one.number} if one.entry is None else {"number": one.number, "entry": one.entry},
        )
        for one in outputs
        if isinstance(one, Doubtful)
    ]


def terms_of(fold: Fold) -> Tournament:
    """The tournament of a stream that has an event."""
    assert fold.tournament is not None  # the first event makes it
    return fold.tournament


def require_no_cause(said: Mapping[str, Any]) -> None:
    """Refuse a desk that speaks for a table."""
    if "cause" in said:
        raise CommandRefused("a `cause` is a table's entry: tables tell those themselves")


def require_tokens(said: Mapping[str, Any]) -> None:
    """Refuse an event that would keep a person's name in its stream, which only grows."""
    if has_plain_name(said):
        raise CommandRefused("a card or a name is blank: type the name, and again in place of a card that nobody has")


def decided(by: DecidedBy) -> By:
    """Who decides, as events have it. Raises CommandRefused where it cannot be kept so."""
    person = by.person
    try:
        return By(who=person.signature, why=cleaned(by.why), role=person.role or None, place=person.address or None)
    except ValidationError as error:
        faults = "; ".join(f"{one['loc'][0]}: {one['msg']}" for one in error.errors())
        raise CommandRefused(f"say who decides, and why in 1 to 200 characters ({faults})") from None
