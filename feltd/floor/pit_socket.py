"""floord's socket for the pit page: the same protocol as a table's door, with the floor's own calls."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, Final

from feltd.door.commands import CommandRefused, NoDatabaseError, NotOnDiskError
from feltd.door.pit.directing import (
    ENTER,
    OPEN,
    STEP,
    TOURNAMENT,
    TOURNAMENTS,
    Entering,
    Opening,
    Step,
    Stepped,
    TournamentAsk,
    TournamentNews,
    TournamentTile,
)
from feltd.door.pit.orders import ORDER, Order, Ordered
from feltd.door.pit.searching import REPORT, SEARCH, PitFound, PitReport, PitSearch
from feltd.door.pit.sight import SIGHT, OfAccount, PitSight
from feltd.door.pit.standing import ANSWER_ALARM, REASON_MOST, STATES, AlarmAnswered
from feltd.door.pit.state import NEWS, PIT_ACCESS, PitAccess, PitNews, PitSince
from feltd.door.pit.trending import TRENDS, PitAmounts, PitTrend
from feltd.door.pit.waiting import (
    OPEN_ROOM,
    ROOM_STEP,
    WAITING_ROOM,
    WAITING_ROOMS,
    RoomAsk,
    RoomNews,
    RoomTile,
)
from feltd.door.pit.wishes import (
    SAY_TO_WISH,
    WISH,
    WISH_BACK,
    WISHES,
    NewWish,
    SaidToWish,
    WishBack,
    WishMade,
    WishShown,
)
from feltd.door.serving.allowance import Allowance
from feltd.door.serving.requests import Handle
from feltd.door.serving.visit import Served, Visit
from feltd.door.signed_orders import order_text
from feltd.door.wire.calls import Call
from feltd.door.wire.codec import to_json
from feltd.door.wire.messages import VERSION, Hello, Purpose, Refused, Welcome
from feltd.floor.commanding import Desk
from feltd.floor.directing import Directing
from feltd.floor.engine import Engine
from feltd.floor.engine import Ordered as Told
from feltd.floor.groups import EVERYTHING, NOTHING, Sight, Sights
from feltd.floor.own_record import OwnRecord
from feltd.floor.pit_book import PitBook
from feltd.floor.rolling import Rolling
from feltd.floor.searching import Searching
from feltd.floor.standing import AlarmAnswer, AlarmState, Answered
from feltd.floor.tending import Tending
from feltd.floor.waiting import Waiting
from feltd.floor.wishing import Wishing
from feltd.text.errors import FeltdError

VISITS_MOST: Final = 8
"""Connections at once: pages, commands that a person types, and those that a restart has left behind."""
ORDERS_A_SECOND: Final = 20.0
SHARE: Final = 0.05
"""Part of floord's time that questions of the pit's page may take, the database's answers included."""
_ORDER_MOST: Final = 8000
_UNKNOWN_FIELD: Final = "order.decision: has "
_OLDER: Final = (
    "it runs an older version of feltd, which acknowledges no alarm without others of its kind: acknowledge it at the "
    "table's own page"
)
_WHO_MOST: Final = 200
_NO_ALARM: Final = "the floor has no alarm of this number"
_NOWHERE: Final = "0" * 32
"""The floor has no record of its own."""


class Pit:
    """The floor, as the pit page asks it."""

    def __init__(
        self,
        desk: Desk,
        book: PitBook,
        engine: Engine,
        directing: Directing | None = None,
        tending: Tending | None = None,
        sights: Sights | None = None,
        rolling: Rolling | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        """`directing`: the tournaments, None while there is no database for them; `tending`: their tables.

        `sights`: which tables each person sees; None while there is no database, and so no table.
        `rolling`: who brings wishes to tables; None makes one that nobody runs. `waiting`: the waiting lists of cash
        games, None while there is no database for them.
        """
        self._desk = desk
        self._book = book
        self._engine = engine
        self._directing = directing
        self._tending = tending
        self._sights = sights
        self._waiting = waiting
        self._record = OwnRecord(engine)
        self._searching = Searching(engine.facts, engine.searched, self._record)
        self._wishing = Wishing(engine, rolling or Rolling(engine, desk, book), self._record)

    def on_changed(self, call: Callable[[], object]) -> None:
        """Have this called when a tournament is not what it was."""
        if self._directing is not None:
            self._directing.on_changed(call)

    async def sight(self, asked: OfAccount) -> PitSight:
        """What a person sees."""
        return PitSight(self._sight(asked.account).mark)

    async def news(self, since: PitSince) -> PitNews:
        """The tables that have changed since, of those that the person sees."""
        return self._book.news(since, self._sight(since.account))

    def _sight(self, account: str) -> Sight:
        return EVERYTHING if self._sights is None else self._sights.of(account)

    async def tell_access(self, access: PitAccess) -> None:
        """Put what happened at a pit page on record. Raises CommandRefused where it is not known to be."""
        try:
            await self._record.access(access.page[:64], access.facts)
            await self._engine.add_access(access.page[:64], to_json(access.facts).decode())
        except FeltdError as fault:
            raise NotOnDiskError(str(fault)) from None

    async def order(self, order: Order) -> Ordered:
        """Have a table take a decision; return what is known of it. Raises CommandRefused where nothing was sent."""
        if not self._sight(order.person.account).sees(order.table):
            raise CommandRefused(f"{order.table[:64]} is none of the tables that {order.person.account[:64]} sees")
        text = order_text(order.person, order.decision)
        if len(text) > _ORDER_MOST:
            raise CommandRefused("the decision is too long to be sent")
        try:
            done = await self._ordered(order.table, text)
        except CommandRefused:
            raise
        except FeltdError as fault:  # the database's
            raise CommandRefused(f"nothing was sent: {fault}") from None
        words = done.words
        if order.decision.seen is not None and words.startswith(_UNKNOWN_FIELD):
            words = _OLDER
        return Ordered(done.id, done.result.value, words, done.entry)

    async def _ordered(self, table: str, text: str) -> Told:
        """What is known of a decision, which the floord sends that has the table. Raises FeltdError."""
        line = self._book.line(table)
        if line is None or not line.floord or self._desk.reaches(table):
            return await self._desk.order(table, text)
        if not self._desk.signs:
            raise CommandRefused(
                f"{table[:64]} is connected to the floord {line.floord[:300]}, and what is passed on must be signed: "
                "nothing was sent. Name a signing_key in floor.toml, or decide at that one's pit page"
            )
        return await self._desk.pass_on(table, text, line.journal, line.stand)

    async def answer_alarm(self, asked: AlarmAnswered) -> None:
        """Keep a person's answer to an alarm of custody, for good. Raises CommandRefused."""
        if asked.state not in STATES:
            raise CommandRefused("an alarm of custody is acknowledged or closed")
        why = asked.why.strip()
        if not 3 <= len(why) <= REASON_MOST or not why.isprintable():
            raise CommandRefused(f"a reason has 3 to {REASON_MOST} printable characters")
        person, sight = asked.person, self._sight(asked.person.account)
        if not sight.everything and not sight.sees(self._book.table_of_alarm(asked.number) or ""):
            raise CommandRefused(_NO_ALARM)
        who = f"{person.signature} ({person.account}, {person.role}, {person.address})"
        if not who.isprintable() or len(who) > _WHO_MOST:
            raise CommandRefused("who answers must be said in printable characters")
        try:
            done = await self._engine.standing.answer(
                AlarmAnswer(asked.number, asked.times, AlarmState(asked.state), who, why)
            )
            await self._book.look_at_alarms()
        except FeltdError as fault:  # the database's
            raise CommandRefused(f"it is not known whether the answer was kept: {fault}") from None
        if done is Answered.UNKNOWN:
            raise CommandRefused(_NO_ALARM)
        if done is Answered.ALREADY:
            raise CommandRefused("somebody else has answered this alarm already")

    # -- wishes; each call raises CommandRefused

    async def wishes(self, asked: OfAccount) -> tuple[WishShown, ...]:
        """The last wishes of whose tables the person sees all."""
        return await self._wishing.shown(self._sight(asked.account))

    async def wish(self, asked: NewWish) -> WishMade:
        """Keep a wish, which waits for a second person."""
        return await self._wishing.wish(asked, self._sight(asked.person.account))

    async def say_to_wish(self, asked: SaidToWish) -> None:
        """Approve a wish, or stop it."""
        await self._wishing.say(asked, self._sight(asked.person.account))

    async def wish_back(self, asked: WishBack) -> WishMade:
        """Keep the wish that tables play again what they played before another one."""
        return await self._wishing.back(asked, self._sight(asked.person.account))

    # -- over all tables

    async def search(self, search: PitSearch) -> PitFound:
        """Rounds, rulings and counts of the tables that the person sees. Raises CommandRefused."""
        try:
            return await self._searching.search(search, self._sight(search.account))
        except CommandRefused:
            raise
        except FeltdError as fault:
            raise CommandRefused(f"nothing was found out: {fault}") from None

    async def report(self, asked: PitReport) -> PitFound:
        """The same for a printed report, which is on record before. Raises CommandRefused."""
        try:
            return await self._searching.report(asked, self._sight(asked.person.account))
        except CommandRefused:
            raise
        except FeltdError as fault:
            raise CommandRefused(f"nothing is handed out: {fault}") from None

    async def trends(self, asked: PitTrend) -> PitAmounts:
        """How much there was at the tables that the person sees. Raises CommandRefused."""
        try:
            return await self._searching.trends(asked, self._sight(asked.account))
        except CommandRefused:
            raise
        except FeltdError as fault:
            raise CommandRefused(f"nothing was found out: {fault}") from None

    # -- tournaments

    async def tournaments(self, asked: OfAccount) -> tuple[TournamentTile, ...]:
        """Every tournament of whose tables the person sees all."""
        if self._directing is None:
            return ()
        return self._directing.tiles(self._sight(asked.account))

    async def tournament(self, asked: TournamentAsk) -> TournamentNews:
        """What has happened to a tournament. Raises CommandRefused where the person sees none of this id."""
        self._require_seen(asked.id, asked.account)
        news = self._directed().news(asked)
        if self._tending is None:
            return news
        return replace(news, tables=self._tending.tables(self._directed().fold(asked.id)))

    async def open(self, asked: Opening) -> Stepped:
        """Make a tournament. Raises CommandRefused, StepNotKnownError."""
        if self._sight(asked.by.person.account) == NOTHING:
            raise CommandRefused(f"{asked.by.person.account[:64]} sees no table of the floor")
        return await self._directed().open(asked)

    async def step(self, asked: Step) -> Stepped:
        """Take a director's step. Raises CommandRefused, StepNotKnownError."""
        account = asked.by.person.account
        self._require_seen(asked.tournament, account)
        return await self._directed().step(asked, self._sight(account))

    async def enter(self, asked: Entering) -> Stepped:
        """Take many entries, or none. Raises CommandRefused, StepNotKnownError."""
        account = asked.by.person.account
        self._require_seen(asked.tournament, account)
        return await self._directed().enter(asked, self._sight(account))

    # -- waiting lists

    async def waiting_rooms(self, asked: OfAccount) -> tuple[RoomTile, ...]:
        """Every card room's waiting lists."""
        return () if self._waiting is None else self._waiting.tiles(self._sight(asked.account))

    async def waiting_room(self, asked: RoomAsk) -> RoomNews:
        """How the lists of a room stand. Raises CommandRefused where the person sees none of this id."""
        return self._lists().news(asked, self._sight(asked.account))

    async def open_room(self, asked: Opening) -> Stepped:
        """Make the lists of a room. Raises CommandRefused, StepNotKnownError."""
        return await self._lists().open(asked, self._sight(asked.by.person.account))

    async def room_step(self, asked: Step) -> Stepped:
        """Take a desk's step. Raises CommandRefused, StepNotKnownError."""
        return await self._lists().step(asked, self._sight(asked.by.person.account))

    def _lists(self) -> Waiting:
        if self._waiting is None:
            raise NoDatabaseError("the floor has no database now, so no waiting lists either: the pit page says why")
        return self._waiting

    def _require_seen(self, tournament: str, account: str) -> None:
        """Raises CommandRefused for a tournament at a table that the person does not see, as for one that is none."""
        sight = self._sight(account)
        if not sight.everything and tournament not in {tile.id for tile in self._directed().tiles(sight)}:
            raise CommandRefused(f"there is no tournament {tournament[:40]} among those that {account[:64]} sees")

    def _directed(self) -> Directing:
        if self._directing is None:
            raise NoDatabaseError("the floor has no database now, so no tournament either: the pit page says why")
        return self._directing


LOOKING: Final[Mapping[str, Handle]] = {
    NEWS.name: lambda pit, asked: pit.news(asked),
    SIGHT.name: lambda pit, asked: pit.sight(asked),
    TOURNAMENTS.name: lambda pit, asked: pit.tournaments(asked),
    TOURNAMENT.name: lambda pit, asked: pit.tournament(asked),
    WISHES.name: lambda pit, asked: pit.wishes(asked),
    WAITING_ROOMS.name: lambda pit, asked: pit.waiting_rooms(asked),
    WAITING_ROOM.name: lambda pit, asked: pit.waiting_room(asked),
}
DOING: Final[Mapping[str, Handle]] = {
    OPEN.name: lambda pit, asked: pit.open(asked),
    STEP.name: lambda pit, asked: pit.step(asked),
    ENTER.name: lambda pit, asked: pit.enter(asked),
    OPEN_ROOM.name: lambda pit, asked: pit.open_room(asked),
    ROOM_STEP.name: lambda pit, asked: pit.room_step(asked),
    SEARCH.name: lambda pit, asked: pit.search(asked),
    TRENDS.name: lambda pit, asked: pit.trends(asked),
    REPORT.name: lambda pit, asked: pit.report(asked),
    ORDER.name: lambda pit, asked: pit.order(asked),
    ANSWER_ALARM.name: lambda pit, asked: pit.answer_alarm(asked),
    PIT_ACCESS.name: lambda pit, asked: pit.tell_access(asked),
    WISH.name: lambda pit, asked: pit.wish(asked),
    SAY_TO_WISH.name: lambda pit, asked: pit.say_to_wish(asked),
    WISH_BACK.name: lambda pit, asked: pit.wish_back(asked),
}
CALLS: Final[Mapping[str, Call[Any, Any]]] = {
    call.name: call
    for call in (
        *(SIGHT, NEWS, SEARCH, REPORT, ORDER, ANSWER_ALARM, PIT_ACCESS, TOURNAMENTS, TOURNAMENT, OPEN, STEP, ENTER),
        *(WISHES, WISH, SAY_TO_WISH, WISH_BACK, TRENDS, WAITING_ROOMS, WAITING_ROOM, OPEN_ROOM, ROOM_STEP),
    )
}


class PitReception:
    """Receives pit pages."""

    of_table = False
    obeying: Served | None = None

    def __init__(self, pit: Pit, book: PitBook) -> None:
        allowance = Allowance(work=perf_counter, share=SHARE, a_second=ORDERS_A_SECOND)
        self.served: Served | None = Served(pit, allowance, LOOKING, DOING, CALLS)
        self._visits: set[Visit] = set()
        book.on_changed(self._changed)
        pit.on_changed(self._changed)

    def receive(self, hello: Hello) -> Welcome | Refused:
        """Whoever asks for the pit."""
        if hello.purpose is not Purpose.PIT:
            return Refused("this is the floor's socket, no table's: run `feltd floor page` here")
        if len(self._visits) >= VISITS_MOST:
            return Refused("other pit pages are connected already: end them")
        return Welcome(VERSION, "floor", _NOWHERE)

    def hand_over(self, connection: object, *, stored: bool) -> bool:
        """There is no record to be read."""
        return False

    def joined(self, visit: Visit) -> None:
        """A page follows the floor from now on."""
        self._visits.add(visit)

    def left(self, visit: Visit) -> None:
        """A page has gone."""
        self._visits.discard(visit)

    def _changed(self) -> None:
        for visit in tuple(self._visits):
            if visit.outbox is None or visit.outbox.out_of_patience:
                visit.drop("it reads nothing any more")
            else:
                visit.outbox.changed()

    def close(self) -> None:
        """Let every page go."""
        for visit in tuple(self._visits):
            visit.close()
