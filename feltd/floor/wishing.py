"""What people say to wishes at floord's socket: wish, approve, stop, back; and how each table stands to them."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from feltd.custody.certificates import require_name
from feltd.custody.errors import CustodyError
from feltd.door.commands import CommandRefused, Person
from feltd.door.pit.wishes import HOLD_MOST, NewWish, SaidToWish, TableOfWish, WishBack, WishMade, WishShown
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wishing import OF_THE_TABLE, BookPlay, Setting, TableSettings, too_far
from feltd.floor.engine import Engine
from feltd.floor.groups import Sight, SightKind
from feltd.floor.own_record import OwnRecord
from feltd.floor.rolling import WISHES_LOOKED_AT, Rolling
from feltd.floor.wishes import (
    TABLES_MOST,
    Governs,
    Holds,
    Said,
    Stage,
    Step,
    StepKind,
    Wish,
    WishKind,
    first_of,
    governing,
    held_before,
    holds,
    last_of,
    stage_of,
)
from feltd.text.errors import FeltdError

REASON_MOST: Final = 300
"""Characters of a reason: the table's record has it behind who approved it."""
_OPTIONS_MOST: Final = 4000
_VALUE_MOST: Final = 64
_WHO_MOST: Final = 200
_DIGEST: Final = 64
_VERSION: Final = re.compile(r"\d{1,6}\.\d{1,6}\.\d{1,6}")


class Wishing:
    """The wishes as people have them. Belongs to one loop."""

    def __init__(self, engine: Engine, rolling: Rolling, record: OwnRecord) -> None:
        self._engine = engine
        self._rolling = rolling
        self._record = record

    async def wish(self, asked: NewWish, sight: Sight) -> WishMade:
        """Keep a wish; it waits for a second person. Raises CommandRefused."""
        tables = await self._tables(asked, sight)
        canary = asked.canary or tables[0]
        if canary not in tables:
            raise CommandRefused(f"{canary[:64]} takes it first, and is none of the tables of the wish")
        if not 0 <= asked.hold <= HOLD_MOST:
            raise CommandRefused("the first table holds a wish for a week at most")
        plays: dict[str, BookPlay] = {}
        settings: dict[str, TableSettings] = {}
        if (asked.play is not None) + (asked.settings is not None) + bool(asked.version) != 1:
            raise CommandRefused("a wish is for a book, for settings, or for a version of feltd")
        if asked.play is not None:
            _require_play(asked.play)
            plays = dict.fromkeys(tables, asked.play)
        elif asked.settings is not None:
            _require_settings(asked.settings)
            settings = dict.fromkeys(tables, asked.settings)
        elif _VERSION.fullmatch(asked.version) is None:
            raise CommandRefused("a version of feltd is three numbers with points, as 0.9.0")
        who = _who(asked.person)
        wish = Wish(
            tables, canary, asked.hold, plays, who, asked.person.account, _reason(asked.why), version=asked.version,
            settings=settings,
        )  # fmt: skip
        return await self._kept(wish)

    async def back(self, asked: WishBack, sight: Sight) -> WishMade:
        """Keep the wish that tables play, or have set, again what they did before a wish. Raises CommandRefused."""
        wish, steps = await self._seen(asked.number, sight)
        if wish.kind is WishKind.VERSION:
            raise CommandRefused("no board takes a version that is older than what it runs: wish a newer one")
        before = {table: parse(text.encode()) for table, text in held_before(steps).items()}
        plays: dict[str, BookPlay] = {}
        settings: dict[str, TableSettings] = {}
        if wish.kind is WishKind.SETTINGS:
            settings = {table: from_json(TableSettings, text, "settings") for table, text in before.items()}
        else:
            played = {table: from_json(BookPlay, text, "play") for table, text in before.items()}
            plays = {
                table: BookPlay(play.rulebook, play.digest, _of_the_game(play.options))
                for table, play in played.items()
            }
        if not before:
            raise CommandRefused(f"no table has taken wish {asked.number}, so there is nothing to bring back")
        back = Wish(
            tuple(sorted(before)), "", 0.0, plays, _who(asked.person), asked.person.account, _reason(asked.why),
            wish.number, settings=settings,
        )  # fmt: skip
        return await self._kept(back)

    async def say(self, asked: SaidToWish, sight: Sight) -> None:
        """Approve a wish, or stop it. Raises CommandRefused."""
        await self._seen(asked.number, sight)
        if asked.approve and self._rolling.is_too_far(asked.number):
            raise too_far(asked.number)
        kind = StepKind.APPROVED if asked.approve else StepKind.STOPPED
        step = Step(asked.number, kind, _who(asked.person), asked.person.account, _reason(asked.why))
        try:
            await self._record.note({"note": "said to a wish", **asdict(step)})
            said = await self._engine.wishes.say(step)
        except FeltdError as fault:
            raise CommandRefused(f"it is not known whether this was kept: {fault}") from None
        if said is Said.SAME_PERSON:
            raise CommandRefused("who wished it does not approve it: it needs a second person")
        if said is not Said.DONE:
            raise CommandRefused(f"wish {asked.number} is approved or stopped already")

    async def shown(self, sight: Sight) -> tuple[WishShown, ...]:
        """The last wishes of whose tables a person sees all, latest first. Raises CommandRefused."""
        kept = await self._all()
        governs = governing(self._rolling.counted(kept), self._rolling.on_record)
        return tuple(self._shown(wish, steps, governs) for wish, steps in kept if sight.sees_all(wish.tables))

    def _shown(self, wish: Wish, steps: Sequence[Step], governs: Governs) -> WishShown:
        approved = next((step for step in steps if step.kind is StepKind.APPROVED), None)
        stopped = next((step for step in steps if step.kind is StepKind.STOPPED), None)
        stage, tables = stage_of(wish, steps), []
        first = first_of(wish, governs) if stage is Stage.CANARY else wish.canary
        for table in wish.tables:
            now, last = self._rolling.now(table), last_of(steps, table)
            stands = holds(wish, steps, table, now, governs)
            words = last.words if last is not None and stands is Holds.REFUSED else ""
            wished = wish.plays.get(table)
            wants = wish.settings.get(table)
            tables.append(TableOfWish(table, stands.value, wished, now.play, words, now.software, wants, now.settings))
        return WishShown(
            wish.number, stage.value, first, wish.hold, self._rolling.left(wish), wish.back_of,
            wish.who, wish.why, wish.at,
            *(("", "") if approved is None else (approved.who, approved.words)),
            *(("", "") if stopped is None else (stopped.who, stopped.words)),
            tuple(tables), wish.version,
        )  # fmt: skip

    async def _tables(self, asked: NewWish, sight: Sight) -> tuple[str, ...]:
        tables = set(asked.tables)
        if asked.groups:
            try:
                rows = await self._engine.groups.rows()
            except FeltdError as fault:
                raise CommandRefused(f"nothing was kept: {fault}") from None
            there = {row.name: row.parts for row in rows if row.kind is SightKind.GROUP}
            for name in asked.groups:
                if name not in there:
                    raise CommandRefused(f'there is no group "{name[:64]}": see `feltd floor group list`')
                tables.update(there[name])
        if not 1 <= len(tables) <= TABLES_MOST:
            raise CommandRefused(f"a wish is for 1 to {TABLES_MOST} tables")
        for table in sorted(tables):
            try:
                require_name(table)
            except CustodyError as fault:
                raise CommandRefused(str(fault)) from None
            if not sight.sees(table):
                raise CommandRefused(f"{table} is none of the tables that {asked.person.account[:64]} sees")
        return tuple(sorted(tables))

    async def _kept(self, wish: Wish) -> WishMade:
        try:
            await self._record.note({"note": "a wish", **_noted(wish)})
            number = await self._engine.wishes.add(wish, self._rolling.highest(), self._rolling.farthest())
        except FeltdError as fault:
            raise CommandRefused(f"it is not known whether the wish was kept: {fault}") from None
        if number == 0:
            raise CommandRefused(
                "nothing was kept: the wish would have a number of another year. The clock of the floor's database or "
                "of this machine is wrong: set it right, and wish it anew"
            )
        return WishMade(number, wish.tables, wish.canary)

    async def _seen(self, number: int, sight: Sight) -> tuple[Wish, list[Step]]:
        for wish, steps in await self._all():
            if wish.number == number and sight.sees_all(wish.tables):
                return wish, steps
        raise CommandRefused(f"there is no wish {number} among the last {WISHES_LOOKED_AT} that you see")

    async def _all(self) -> list[tuple[Wish, list[Step]]]:
        try:
            return await self._engine.wishes.all(WISHES_LOOKED_AT, self._rolling.farthest())
        except FeltdError as fault:
            raise CommandRefused(f"the wishes are not known now: {fault}") from None


def _require_play(play: BookPlay) -> None:
    if not 1 <= len(play.rulebook) <= 64 or not play.rulebook.isprintable():
        raise CommandRefused("a rulebook has an id of 1 to 64 printable characters")
    if len(play.digest) != _DIGEST or set(play.digest) - set("0123456789abcdef"):
        raise CommandRefused("a rulebook's digest has 64 hexadecimal digits")
    if len(to_json(play.options)) > _OPTIONS_MOST:
        raise CommandRefused(f"the options are longer than {_OPTIONS_MOST} characters")
    if named := sorted(OF_THE_TABLE & play.options.keys()):
        raise CommandRefused(f"{named[0]} says what a table is made of: the table's own file has it, and no wish")


def _require_settings(settings: TableSettings) -> None:
    for name, value in settings.values.items():
        if name not in set(Setting):
            raise CommandRefused(f"{name[:64]} is no setting that is wished: {', '.join(Setting)} are")
        if not isinstance(value, str | int | float) or len(str(value)) > _VALUE_MOST:
            raise CommandRefused(f"{name} is a number, or a text of {_VALUE_MOST} characters at most")


def _of_the_game(options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in OF_THE_TABLE}


def _noted(wish: Wish) -> dict[str, Any]:
    noted: dict[str, Any] = parse(to_json(wish))
    return noted


def _reason(why: str) -> str:
    why = why.strip()
    if not 3 <= len(why) <= REASON_MOST or not why.isprintable():
        raise CommandRefused(f"a reason has 3 to {REASON_MOST} printable characters")
    return why


def _who(person: Person) -> str:
    who = f"{person.signature} ({person.account}, {person.role}, {person.address})"
    if not 1 <= len(person.account) <= 64 or not who.isprintable() or len(who) > _WHO_MOST:
        raise CommandRefused("who wishes must be said in printable characters")
    return who
