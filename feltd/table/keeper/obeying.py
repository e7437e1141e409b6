"""Commands of the floor at the table: as far as `[floor]` lets them, once for each id, and on record.

The note before the event has the id (`command`), so the record says what became of it, also after a restart. A wish has
a note alone: its event comes between two rounds.
"""

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from feltd.door import CommandRefused, DecisionRequest, Person, PlayStopped, RecordRows
from feltd.door.floor_signing import command_text, is_signed
from feltd.door.obeying import CUT_OFF, FloorCommand, Obeyed, SignedCommand, TournamentCommand
from feltd.door.signed_orders import command_of
from feltd.door.wire.errors import WireError
from feltd.door.wishing import WishCommand, WishedBook, WishedSettings, WishedVersion, is_too_far, too_far
from feltd.record import Reveal, Span
from feltd.record.entries import EntryKind, HostEntry
from feltd.record.notes import (
    BY_HAND_NOTE,
    FLOOR_MAY_NOT_NOTE,
    WISH_NOTE,
    WISH_NOTES,
    WISH_SETTINGS_NOTE,
    WISH_VERSION_NOTE,
)
from feltd.table.keeper.decisions import event_of, require_whole, still_waiting
from feltd.table.keeper.floor_memory import FloorMemory, WishNote
from feltd.table.keeper.keeper import TableKeeper
from feltd.table.keeper.noted_wishes import NotedWishes
from feltd.table.keeper.wished_settings import TableWishes
from feltd.table.keeper.wished_version import keep_version, require_version
from feltd.table.keeper.wishes import same_game, seats_of
from table_fsm.errors import TableError
from table_fsm.events import (
    Event,
    SeatConduct,
    SeatEntry,
    SeatIn,
    SeatOut,
    TournamentClock,
    TournamentField,
    TournamentGo,
    TournamentHandForHand,
    TournamentMoves,
    TournamentPlaced,
    TournamentRace,
    parse_event,
)

KNOWN_MOST: Final = 1000
"""Answers that are kept to be given again."""
LOOK_BACK: Final = 120.0
"""Seconds before a command's end in which the record is looked through for its id."""
CLOCKS_APART: Final = 10.0
"""Seconds by which the floor's clock may be off this one for what is signed: the floor says after thirty that a
command was not done, so nothing may be done later, whatever clock an uplink speaks of."""
HOLDS_MOST: Final = 60.0
"""Seconds for which a signed command may hold."""
_UNSIGNED: Final = "a command that the floor's key has not signed"
_NOBODY: Final = Person("unknown", "unknown", "floor", "unknown")
"""Who sent what is not signed: what such a command says of itself is worth nothing."""
_ID: Final = re.compile(r"[0-9a-f]{32}")
_NAME_MOST: Final = 64
_REASON_MOST: Final = 500
_BETWEEN_ROUNDS: Final = (SeatIn, SeatOut)
"""A player who is moved out of a round would fold, and who comes into one is no part of it."""
OF_TOURNAMENT: Final = (
    *_BETWEEN_ROUNDS,
    SeatConduct,
    SeatEntry,
    TournamentClock,
    TournamentField,
    TournamentGo,
    TournamentHandForHand,
    TournamentMoves,
    TournamentPlaced,
    TournamentRace,
)


@dataclass(frozen=True, slots=True)
class FloorMay:
    """What the table's own file lets the floor do. `decisions`: of people; `tournament`: seats, field and clock.
    `versions`: it says which version of feltd a board installs.

    `receipts`: the public keys by which it signs receipts; `keys`: those by which it signs commands. Where there is one
    of these, what none of them has signed is refused.
    """

    decisions: Collection[str] = ()
    tournament: bool = False
    receipts: tuple[bytes, ...] = ()
    keys: Collection[bytes] = ()
    versions: bool = False


class Obeying:
    """The floor's commands at one table. Belongs to the loop."""

    def __init__(
        self,
        keeper: TableKeeper,
        may: FloorMay,
        wall: Callable[[], float],
        record: Callable[[], RecordRows],
        on_disk: Callable[[], Awaitable[None]],
        memory: FloorMemory,
        journal: bytes,
        wishes: TableWishes | None = None,
    ) -> None:
        """`journal`: the identity of the record, which the floor signs for; `wishes`: None takes none."""
        self._keeper = keeper
        self._may = may
        self._wall = wall
        self._record = record
        self._on_disk = on_disk
        self._memory = memory
        self._journal = journal
        self._wishes = wishes
        self._noted = NotedWishes(memory, record, journal)
        self._wishing = asyncio.Lock()
        self._keeping = asyncio.Lock()
        self._started = wall()
        self._known: OrderedDict[str, asyncio.Task[Obeyed]] = OrderedDict()
        self._told: set[str] = set()

    async def take(self, command: FloorCommand | TournamentCommand | WishCommand) -> Obeyed:
        """See `ObeyingTable`."""
        if self._may.keys:
            self._tell(_NOBODY, _UNSIGNED)
            raise CommandRefused(
                "the floor's key has not signed this, and this table obeys nothing else ([floor] keys): "
                "floor.toml names its `signing_key`"
            )
        return await self._begun(command)

    async def take_signed(self, command: SignedCommand) -> Obeyed:
        """See `ObeyingTable`."""
        text = command_text(command.id, self._journal, command.made, command.until, command.order)
        if self._may.keys and not is_signed(text, command.signature, self._may.keys):
            self._tell(_NOBODY, _UNSIGNED)
            raise CommandRefused(
                "no key of the floor that this table knows has signed this for this record ([floor] keys)"
            )
        if abs(command.offset) > CLOCKS_APART:
            raise CommandRefused(
                f"the floor's clock and this table's are {abs(command.offset):.0f} s apart, and at most "
                f"{CLOCKS_APART:.0f} s may be: set the clock that is wrong"
            )
        try:
            read = command_of(command.id, command.order, command.until - command.offset, command.made)
        except WireError as fault:
            raise CommandRefused(f"this is no command: {fault}") from None
        if command.id not in self._known:
            await self._require_in_time(command)
        return await self._begun(read, command)

    async def _require_in_time(self, command: SignedCommand) -> None:
        """Raises CommandRefused for a signed command that another time was for, and one that holds for too long."""
        now, made = self._wall() + command.offset, command.made / 1e6
        if not made <= command.until <= min(made, now) + HOLDS_MOST:
            raise CommandRefused(f"it says that it holds for longer than {HOLDS_MOST:.0f} s: no floor makes such a one")
        async with self._keeping:
            latest = (await asyncio.to_thread(self._memory.read)).made / 1e6
            if command.until < latest and not await asyncio.to_thread(self._found, command.id, command.until):
                raise CommandRefused(
                    f"it came {latest - command.until:.1f} s too late: look at the table, and decide again"
                )
            await asyncio.to_thread(self._memory.keep_made, command.made)

    async def _begun(
        self, command: FloorCommand | TournamentCommand | WishCommand, signed: SignedCommand | None = None
    ) -> Obeyed:
        """What becomes of a command, once for its id. `signed`: the same as the floor signed it."""
        if _ID.fullmatch(command.id) is None:
            raise CommandRefused("the command has no id of 32 hexadecimal digits")
        task = self._known.get(command.id)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._take(command, signed), name="command")
            self._known[command.id] = task
            while len(self._known) > KNOWN_MOST and next(iter(self._known.values())).done():
                self._known.popitem(last=False)
        return await asyncio.shield(task)  # who asked may go: what was begun goes on

    async def _take(
        self, command: FloorCommand | TournamentCommand | WishCommand, as_signed: SignedCommand | None
    ) -> Obeyed:
        now = self._wall()
        if command.until < now or self._started > command.until - LOOK_BACK:  # an earlier process may have taken it
            found = await asyncio.to_thread(self._found, command.id, command.until)
            if found is not None:
                return found
        late = self._wall() - command.until
        if late > 0:
            raise CommandRefused(f"it came {late:.1f} s too late: look at the table, and decide again")
        if isinstance(command, WishCommand):
            async with self._wishing:  # the later of two would be looked at while the earlier one is not yet kept
                return await self._wished(command, as_signed)
        if isinstance(command, TournamentCommand):
            event: Event = self._checked_event(command)
        else:
            event = event_of(self._checked_decision(command), command.person.signature)
        why = command.why if isinstance(command, TournamentCommand) else command.decision.reason
        signed = {"made": command.made} if command.made and self._may.keys else {}
        answered = self._keeper.act(command.person, why, event, command=command.id, **signed)
        await self._on_disk()
        return Obeyed(command.id, answered.entry, answered.refusal)

    async def _wished(self, command: WishCommand, signed: SignedCommand | None) -> Obeyed:
        """Take a wish, once, and none behind a later one of its kind."""
        _require_named(command.person, command.why)
        if signed is None or not self._may.keys:
            raise CommandRefused(
                "this table takes no wish that the floor's key has not signed: its file names the key ([floor] keys)"
            )
        wish = command.wish
        if is_too_far(wish.number, self._wall()):  # this record would name it, and take no other one for years
            raise too_far(wish.number)
        await self._note_left_out()
        await asyncio.to_thread(self._noted.begin, wish, self._wall())
        try:
            if isinstance(wish, WishedVersion):
                done = await self._version(command, wish, signed)
            elif isinstance(wish, WishedSettings):
                done = await self._set(command, wish)
            else:
                done = await self._book(command, wish)
        except (CommandRefused, PlayStopped):
            await asyncio.to_thread(self._noted.end, wish, noted=False)
            raise
        await asyncio.to_thread(self._noted.end, wish, noted=True)
        return done

    async def _note_left_out(self) -> None:
        """Put on record what is in force and is not there, before the next wish. Raises CommandRefused, PlayStopped."""
        left_out = await asyncio.to_thread(self._noted.left_out)
        for act, note in left_out:
            started = {} if note.command in self._known else {"at_start": True}
            self._keeper.note_by_hand(note.person, act, note.why, **note.details, **started)
        if left_out:
            await self._on_disk()

    async def _book(self, command: WishCommand, wish: WishedBook) -> Obeyed:
        """Take a wish for a book: on record, remembered, and played from the next time between two rounds."""
        wishes = self._wishes
        if wishes is None or not wishes.books.may(wish.play):
            self._tell(command.person, WISH_NOTE)
            raise CommandRefused(
                f"the floor may not wish {wish.play.rulebook[:_NAME_MOST]} at this table: what it may stands in the "
                "table's own file ([floor] books)"
            )
        opening = await asyncio.to_thread(wishes.books.opening_for, wish, seats_of(self._keeper))
        if self._keeper.stopped is not None:
            raise PlayStopped(self._keeper.stopped)
        played = {"rulebook": wish.play.rulebook, "digest": wish.play.digest, "options": json.dumps(opening.options)}
        note = _note_of(command, played)
        await asyncio.to_thread(self._noted.say, wish, note)
        await asyncio.to_thread(wishes.books.keep, wish, opening)
        entry = self._keeper.note_by_hand(note.person, WISH_NOTE, note.why, **note.details)
        if same_game(self._keeper, wish.play):
            self._keeper.stay_open()  # an earlier wish may wait for the end of the round
        else:
            self._keeper.open_with(opening, seats_stay=True)
        await self._on_disk()
        return Obeyed(command.id, entry, None)

    async def _set(self, command: WishCommand, wish: WishedSettings) -> Obeyed:
        """Take a wish for settings: on record, remembered, and in force."""
        if self._wishes is None:
            raise CommandRefused("this table takes no settings of the floor: its own file lets it ([floor] settings)")
        settings = self._wishes.settings.checked(wish.settings)
        if (forbidden := self._wishes.settings.forbidden(settings)) is not None:
            self._tell(command.person, WISH_SETTINGS_NOTE)
            raise CommandRefused(
                f"the floor may not wish {forbidden.value} at this table: what it may stands in the table's own file "
                "([floor] settings)"
            )
        if self._keeper.stopped is not None:
            raise PlayStopped(self._keeper.stopped)
        note = _note_of(command, {"settings": json.dumps(settings.values)})
        await asyncio.to_thread(self._noted.say, wish, note)
        await asyncio.to_thread(self._wishes.settings.keep, WishedSettings(wish.number, settings))
        self._wishes.settings.put(settings)
        entry = self._keeper.note_by_hand(note.person, WISH_SETTINGS_NOTE, note.why, **note.details)
        await self._on_disk()
        return Obeyed(command.id, entry, None)

    async def _version(self, command: WishCommand, wish: WishedVersion, signed: SignedCommand) -> Obeyed:
        """Take a wish for a version: on record, and remembered for who installs updates on this board."""
        if not self._may.versions:
            self._tell(command.person, WISH_VERSION_NOTE)
            raise CommandRefused(
                "the floor wishes no version at this table: its own file lets it ([floor] versions = true)"
            )
        require_version(wish.version)
        if self._keeper.stopped is not None:
            raise PlayStopped(self._keeper.stopped)
        note = _note_of(command, {"version": wish.version})
        await asyncio.to_thread(self._noted.say, wish, note)
        await asyncio.to_thread(keep_version, self._memory, signed, self._journal)
        entry = self._keeper.note_by_hand(note.person, WISH_VERSION_NOTE, note.why, **note.details)
        await self._on_disk()
        return Obeyed(command.id, entry, None)

    def _checked_decision(self, command: FloorCommand) -> DecisionRequest:
        """The decision, as far as it still waits. Raises CommandRefused."""
        require_words(command.person, command.decision)
        if command.decision.decision not in self._may.decisions:
            self._tell(command.person, command.decision.decision)
            raise CommandRefused(
                f'the floor may not "{command.decision.decision}" at this table: what it may '
                "stands in the table's own file ([floor] may)"
            )
        return still_waiting(self._keeper, command.decision)

    def _checked_event(self, command: TournamentCommand) -> Event:
        """The event of a tournament's command. Raises CommandRefused."""
        _require_named(command.person, command.why)
        try:
            event = parse_event(json.dumps({**command.event, "t": 0.0}))
        except TableError as fault:
            raise CommandRefused(f"this is no event of the table: {fault}") from None
        if not isinstance(event, OF_TOURNAMENT):
            raise CommandRefused(f"a tournament of the floor has no {event.ev} for a table")
        if not self._may.tournament:
            self._tell(command.person, event.ev)
            raise CommandRefused(
                "no tournament of the floor seats players at this table: its own file lets it "
                "([floor] tournament = true)"
            )
        if self._keeper.table.view()["tournament"] is None:
            raise CommandRefused("this table plays no tournament now: open it with a tournament's rulebook")
        if isinstance(event, _BETWEEN_ROUNDS) and not self._keeper.seats_may_change:
            raise CommandRefused("a round is in progress: who comes and goes waits until it is over")
        return event

    def _tell(self, person: Person, asked: str) -> None:
        """Put on record that the floor asked for what it may not; once for each thing, or it could fill the card."""
        if asked not in self._told:
            self._told.add(asked)
            self._keeper.note_by_hand(person, FLOOR_MAY_NOT_NOTE, asked=asked)

    def _found(self, number: str, until: float) -> Obeyed | None:
        """What the record says of this id. Blocks."""
        span = Span(wall_from=until - LOOK_BACK, kind=EntryKind.HOST, name=HostEntry.NOTE)
        with self._record() as record:
            for entry in record.entries(span, reveal=Reveal.NOTHING):
                if entry.body.get("note") == BY_HAND_NOTE and entry.body.get("command") == number:
                    if entry.body.get("what") in WISH_NOTES:
                        return Obeyed(number, entry.seq, None)
                    return _answer_behind(record, number, entry.seq)
        return None


def _note_of(command: WishCommand, says: Mapping[str, str]) -> WishNote:
    """What the record is to say of a wish."""
    details: dict[str, str | int] = {"command": command.id, "made": command.made, "wish": command.wish.number, **says}
    return WishNote(command.person, command.why, details)


def _answer_behind(record: RecordRows, number: str, note: int) -> Obeyed:
    event, last = note + 1, note
    refusal: str | None = CUT_OFF
    for entry in record.entries(Span(after=note), reveal=Reveal.NOTHING):
        if entry.seq == event and entry.kind == EntryKind.EVENT:  # else the table ended between the two
            last, refusal = event, None
            continue
        if entry.answers != event or last == note:
            break
        last = entry.seq
        if entry.name == "error":
            refusal = str(entry.body["error"]["reason"])
    return Obeyed(number, last, refusal)


def require_words(person: Person, decision: DecisionRequest) -> None:
    """Raises CommandRefused for what the table would not take from its own page: the record keeps these words."""
    _require_named(person, decision.reason)
    require_whole(decision)


def _require_named(person: Person, reason: str | None) -> None:
    for name in (person.signature, person.account, person.role, person.address):
        if not 1 <= len(name) <= _NAME_MOST or not name.isprintable():
            raise CommandRefused(f"who decides must be said in 1 to {_NAME_MOST} printable characters")
    if reason is not None and (not 3 <= len(reason) <= _REASON_MOST or not reason.isprintable()):
        raise CommandRefused(f"a reason has 3 to {_REASON_MOST} printable characters")
