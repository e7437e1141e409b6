"""Tournaments run by floord: a director's step is tried on the fold, and kept behind the event that the desk knew.

Nothing is kept that `Tournament.apply` refuses.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from feltd.custody.errors import FloorAwayError
from feltd.door.commands import CommandRefused, MovedOn, StepNotKnownError, StepRefused
from feltd.door.pit.directing import (
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentNews,
    TournamentPhase,
    TournamentTile,
)
from feltd.floor.draws import NO_OTHER_COMMITMENT, Chain, Draws, committed, is_commitment, wants_secret
from feltd.floor.groups import EVERYTHING, NOTHING, Sight
from feltd.floor.players import Names, Player
from feltd.floor.refusals_kept import RefusalsKept
from feltd.floor.stream_desk import Run, StreamDesk, kept
from feltd.floor.stream_fold import output_as_json
from feltd.floor.streams import StreamEvent, Streams, TableEntry, Told
from feltd.floor.tournament_fold import MADE, Fold, as_cause, tables_of
from feltd.floor.trying import Trying, decided, require_no_cause, terms_of
from floor_fsm.core.event import By, Event
from floor_fsm.core.output import Output
from floor_fsm.errors import EventSyntaxError, Reason, Refused
from floor_fsm.law.law import load_laws
from floor_fsm.lines import KINDS, to_line
from floor_fsm.messages.entries import EntryTaken
from floor_fsm.tournament import Tournament

LOOK_EVERY: Final = 0.25
"""Seconds between two looks at what another floord has kept."""
_AT_ONCE: Final = 20
"""Entries of many that are tried without a look at anything else."""
_NOT_SEEN: Final = "this step is about tables that you do not see: another director takes it"


class Directing(StreamDesk[Fold]):
    """The floor's tournaments. Belongs to one loop."""

    def __init__(
        self,
        streams: Streams,
        books: Mapping[str, str],
        clock: Callable[[], float] = time.time,
        draws: Draws | None = None,
        refusals: RefusalsKept | None = None,
    ) -> None:
        """`books`: the tournament books' TOML by file name. `clock`: seconds since 1970. Raises LawError.

        `draws`: who keeps the draws' secrets; None where each is told with its step. `refusals`: who puts what is
        refused on record; None where nobody does.
        """
        super().__init__(streams, clock, LOOK_EVERY)
        self._trying = Trying(refusals)
        self._unsure_of: dict[str, tuple[TableEntry, int, Event, Sequence[Output]]] = {}
        """By tournament: what a table told, behind which event, whose answer has not come, and what follows from it."""
        self._draws = draws
        self._in_round: Callable[[Fold], Collection[str]] = lambda _fold: ()
        self._books = {law.id: text for text in books.values() for law in load_laws({"book.toml": text}).values()}
        self._shown: dict[str, tuple[int, Names, Mapping[str, Any]]] = {}
        """By tournament, its state with names, and which event and names that is of."""

    def ask_in_round(self, in_round: Callable[[Fold], Collection[str]]) -> None:
        """Have this asked which tables of a tournament play a hand now; before, none is known to."""
        self._in_round = in_round

    def _fold(self, stream: str) -> Fold:
        return Fold(stream)

    # -- asked

    def tiles(self, sight: Sight = EVERYTHING) -> tuple[TournamentTile, ...]:
        """Every tournament that was begun, in the order in which they were made.

        `sight`: of whoever asks: a tournament at one table that they do not see is none of theirs, and so is each
        before it has tables for who sees none.
        """
        if sight == NOTHING:
            return ()
        folds = [run.fold for run in self._runs.values() if run.fold.is_there]
        return tuple(fold.tile() for fold in folds if sight.sees_all(tables_of(fold.tournament)))

    def news(self, asked: TournamentAsk) -> TournamentNews:
        """What has happened to a tournament. Raises CommandRefused where there is none of this id."""
        run = self._run(asked.id)
        fold, names = run.fold, run.names
        state = None if asked.since == fold.seq else self._state_of(run)
        since = (line for line in fold.lines if line.seq > asked.since)
        lines = tuple(replace(line, event=names.in_event(line.event)) for line in since)
        title, book = ("", "") if fold.made is None else (fold.made.title, fold.made.book)
        t = fold.second(self._clock())
        return TournamentNews(
            asked.id, fold.seq, state, lines, t, title, book, fold.phase(), fold.wrong, self._draws_left(fold),
            law="" if fold.made is None or asked.since else fold.made.law,
            wall=None if fold.made is None else fold.made.wall,
        )  # fmt: skip

    def _draws_left(self, fold: Fold) -> int | None:
        told = fold.commitment()
        if self._draws is None or told is None:
            return None
        with suppress(CommandRefused):  # the desk asks for the secret then, and the step that draws names the file
            chain = self._draws.of(fold.id)
            return None if chain is None else chain.left(told)
        return None

    def fold(self, tournament: str) -> Fold:
        """A tournament as it stands. Raises CommandRefused where there is none of this id."""
        return self._run(tournament).fold

    def _run(self, tournament: str) -> Run[Fold]:
        run = self._runs.get(tournament)
        if run is None or not run.fold.is_there:
            known = ", ".join(self._runs) or "none yet"
            raise CommandRefused(f"there is no tournament {tournament[:40]}; there are: {known}")
        return run

    # -- steps

    async def open(self, asked: Opening) -> Stepped:
        """Make a tournament. Raises CommandRefused, StepNotKnownError."""
        by = decided(asked.by)
        if asked.book not in self._books:
            known = ", ".join(self._books)
            raise CommandRefused(
                f"floord has no tournament book {asked.book[:40]}; there are: {known}; name the folder of one of your "
                "own as tournament_books in floor.toml, and start floord again"
            )
        made = self._made(MADE, asked, self._books[asked.book], by)
        await kept(self._streams.begin(asked.id))  # False: one that was begun, and got no event since floord ended
        if (await self._begun(asked.id, made)).told is not Told.ADDED:
            raise CommandRefused(f"there is a tournament {asked.id} already: choose another id")
        return Stepped(1, ())

    async def step(self, asked: Step, sight: Sight = EVERYTHING) -> Stepped:
        """Take a director's step. Raises StepRefused, MovedOn, another CommandRefused, StepNotKnownError.

        `sight`: of the director: no step brings in a table that they do not see.
        """
        require_no_cause(asked.event)
        run, by = self._run(asked.tournament), decided(asked.by)
        async with run.lock:
            await self._require_at(run, asked.expected)
            said, chain = self._with_secrets(run.fold, asked.event)
            said, people = run.names.in_tokens(said)
            event = self._event(run.fold, said, by, None)
            if self._draws is not None and is_commitment(asked.event) and "commitment" in asked.event:
                await self._trying.refuse(run.fold, run.names, event, Refused(Reason.NOT_ALLOWED, NO_OTHER_COMMITMENT))
            await self._trying.require_nobody_like(run.fold, run.names, terms_of(run.fold), event, people)
            await self._trying.require_no_round(run.fold, run.names, event, self._in_round)
            return await self._taken(run, event, None, chain, people, sight)

    async def enter(self, asked: Entering, sight: Sight = EVERYTHING) -> Stepped:
        """Take many entries: all of them are tried before one is kept, and all are kept, or none. Raises as `step`."""
        run, by = self._run(asked.tournament), decided(asked.by)
        async with run.lock:
            await self._require_at(run, asked.expected)
            trial, names = terms_of(run.fold).copied(), run.names
            tried, people = list[tuple[Event, tuple[Output, ...]]](), list[Player]()
            for number, said in enumerate(asked.entries):
                require_no_cause(said)
                told, named = names.in_tokens(said)
                event = self._event(run.fold, told, by, None)
                if not isinstance(event, EntryTaken):
                    raise CommandRefused(f"{event.ev}: entries alone are taken together")
                await self._trying.require_nobody_like(run.fold, names, trial, event, named)
                tried.append((event, await self._trying.outputs(run.fold, names, trial, event, named)))
                names, people = names.having(named), [*people, *named]
                if number % _AT_ONCE == 0:
                    await asyncio.sleep(0)  # thousands take a second, and other tournaments go on
            _require_seen(sight, trial)
            await self._keep(run, people)
            await self._add_all(run, trial, tried)
            run.names = run.names.having(people)
            self._changed()
            return Stepped(run.fold.seq, ())

    async def _add_all(
        self, run: Run[Fold], trial: Tournament, tried: Sequence[tuple[Event, tuple[Output, ...]]]
    ) -> None:
        """Keep events that were tried. Raises MovedOn, CommandRefused, StepNotKnownError: none of them is kept then."""
        fold, lines = run.fold, [to_line(event) for event, _ in tried]
        expected = fold.seq
        answers = await self._asked(run, self._streams.add_all(fold.id, expected, lines))
        if len(answers) == len(tried) and all(answer.told is Told.ADDED for answer in answers):
            for (event, outputs), answer, line in zip(tried, answers, lines, strict=True):
                fold.advance(trial, event, outputs, StreamEvent(answer.seq, answer.chain, line))
            return
        await self._caught_up(run)
        self._require_kept(run, expected, answers[0].told)

    def _with_secrets(self, fold: Fold, said: Mapping[str, Any]) -> tuple[Mapping[str, Any], Chain | None]:
        """A draw with its secret, a commitment with what is committed to, and the secrets to be kept for it.

        What a step says itself stays as it is. Raises CommandRefused.
        """
        if is_commitment(said):
            chain = None if self._draws is None or "commitment" in said else self._draws.make()
            return committed(said, chain), chain
        if self._draws is None:
            return said, None
        told = fold.commitment()
        if not wants_secret(said) or told is None:
            return said, None
        kept = self._draws.of(fold.id)
        secret = None if kept is None else kept.next(told)
        if secret is None:
            raise CommandRefused(
                "floord has no secret for this draw: it was committed to elsewhere, or all are used. Tell it with the "
                "step (`secret`), or give the seats by hand"
            )
        return {**said, "secret": secret}, None

    def folds(self) -> tuple[Fold, ...]:
        """Every tournament that has terms and can be gone on with."""
        folds = (run.fold for run in self._runs.values())
        return tuple(fold for fold in folds if fold.wrong is None and fold.phase() is not TournamentPhase.MADE)

    async def tell(self, tournament: str, said: Mapping[str, Any], cause: TableEntry | None) -> Stepped | None:
        """Take what a table has told; None where its entry has had its event already.

        `cause`: None where no entry tells it: a table cannot be reached, or can be again.

        It is tried behind whatever came before it. Raises StepRefused, another CommandRefused, StepNotKnownError.
        """
        run = self._run(tournament)
        async with run.lock:
            while True:
                if run.unsure:
                    await self._caught_up(run)
                self._require_good(run)
                event = self._event(run.fold, said, None, cause)
                try:
                    return await self._taken(run, event, cause)
                except MovedOn:  # the other floord's: look what it was, and try again
                    continue
                except StepRefused as refusal:
                    if refusal.reason == Reason.CAUSE_IS_KNOWN:
                        return None
                    raise

    async def _taken(
        self,
        run: Run[Fold],
        event: Event,
        cause: TableEntry | None,
        chain: Chain | None = None,
        people: Sequence[Player] = (),
        sight: Sight = EVERYTHING,
    ) -> Stepped:
        """Try an event, keep it, go on. Whoever asks for the state meanwhile gets the one before.

        `chain`: the secrets that the event commits to; `people`: who is named in it. Both are kept before it is.
        """
        fold = run.fold
        trial = terms_of(fold).copied()
        outputs = await self._trying.outputs(run.fold, run.names, trial, event, people)
        _require_seen(sight, trial)
        if chain is not None and self._draws is not None:
            await asyncio.to_thread(self._draws.keep, fold.id, chain)
        await self._keep(run, people)
        line, expected = to_line(event), fold.seq
        if cause is not None:
            self._unsure_of[fold.id] = cause, expected, event, outputs
        answer = await self._add(run, expected, line, cause)
        self._unsure_of.pop(fold.id, None)
        told = tuple(output_as_json(output) for output in outputs)
        if answer.told is Told.ADDED:
            added = StreamEvent(answer.seq, answer.chain, line, cause)
            fold.advance(trial, event, outputs, added)
            run.names = run.names.having(people)
            self._changed()
            await self._trying.keep_doubtful(fold, expected, event, outputs)
            return Stepped(added.seq, told)
        await self._caught_up(run)
        self._require_kept(run, expected, answer.told)
        await self._trying.keep_doubtful(fold, expected, event, outputs)  # whoever added it did not live to
        return Stepped(expected + 1, told)

    async def _catch_up(self, run: Run[Fold]) -> None:
        """See `StreamDesk`. Of an event whose answer was lost, what was not taken of it is put on record as well."""
        await super()._catch_up(run)
        unsure = self._unsure_of.pop(run.fold.id, None)
        if unsure is not None and run.fold.knows(unsure[0]):
            await self._trying.keep_doubtful(run.fold, *unsure[1:])

    def _require_kept(self, run: Run[Fold], expected: int, told: Told) -> None:
        """Raises where an event was not kept behind number `expected`. The fold has caught up."""
        match told:
            case Told.CAUSE_KNOWN:
                raise StepRefused(Reason.CAUSE_IS_KNOWN, "this entry of the table was taken before", None)
            case Told.MOVED_ON | Told.OTHERS_MOVED_ON:
                raise self._moved_on(run, expected)
            case Told.UNKNOWN:
                raise CommandRefused(f"the database has no tournament {run.fold.id}: it was put back to a backup")
            case Told.ADDED | Told.THERE:
                return

    def _stands_elsewhere(self, seq: int, expected: int) -> MovedOn:
        return MovedOn(f"the tournament is at event {seq}, not at {expected}: look again, then decide")

    def _at_its_end(self, wrong: str) -> CommandRefused:
        return CommandRefused(f"nobody can go on with this tournament: {wrong}")

    def _unread(self, fault: FloorAwayError) -> StepNotKnownError:
        return StepNotKnownError(f"the tournament cannot be read now: {fault}")

    def _no_event(self, fault: EventSyntaxError) -> CommandRefused:
        return CommandRefused(f"this is no event of a tournament: {fault}")

    def _event(self, fold: Fold, said: Mapping[str, Any], by: By | None, cause: TableEntry | None) -> Event:
        whole: dict[str, Any] = {**said, "t": fold.second(self._clock())}
        for name, value in (("by", by), ("cause", None if cause is None else as_cause(cause))):
            whole.pop(name, None)
            if value is not None:
                whole[name] = value.model_dump(mode="json", exclude_none=True)
        return self._read(whole, KINDS)

    def _state_of(self, run: Run[Fold]) -> Mapping[str, Any]:
        """The state with names, made once for all desks."""
        shown = self._shown.get(run.fold.id)
        if shown is None or shown[:2] != (run.fold.seq, run.names):
            shown = self._shown[run.fold.id] = run.fold.seq, run.names, run.names.in_state(run.fold.state())
        return shown[2]


def _require_seen(sight: Sight, trial: Tournament) -> None:
    """Refuse a step behind which the tournament has tables that the person does not see."""
    if not (sight.everything or sight.sees_all(tables_of(trial))):  # hundreds of tables are gathered for nobody else
        raise CommandRefused(_NOT_SEEN)
