"""Wishes in PostgreSQL, by the functions of `wishes.sql`."""

from typing import Any, Final

from feltd.door.wire.codec import from_json, parse, to_json
from feltd.door.wishing import BookPlay, TableSettings
from feltd.floor.postgres_streams import Do
from feltd.floor.wishes import NUMBER_MOST, Said, Step, StepKind, Wish


class PostgresWishes:
    """See `Wishes`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do
        self._known: dict[int, Wish] = {}
        """Of the last look: floord looks each second, and what is wished of a thousand tables is long."""

    async def add(self, wish: Wish, above: int = 0, most: int = NUMBER_MOST) -> int:
        """See `Wishes`."""
        plays = to_json(wish.plays or wish.settings).decode()
        values = (
            list(wish.tables), wish.canary, wish.hold, plays, wish.back_of, wish.who, wish.account, wish.why,
            wish.version, above, most,
        )  # fmt: skip
        sql = "SELECT floor.add_wish_above($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        return int(await self._do(lambda one: one.fetchval(sql, *values)))

    async def say(self, step: Step) -> Said:
        """See `Wishes`."""
        values = (step.wish, step.kind.value, step.table, step.who, step.account, step.words)
        sql = "SELECT floor.say_to_wish($1, $2, $3, $4, $5, $6)"
        return Said(await self._do(lambda one: one.fetchval(sql, *values)))

    async def all(self, most: int, near: int = NUMBER_MOST) -> list[tuple[Wish, list[Step]]]:
        """See `Wishes`."""
        sql, known = "SELECT * FROM floor.wishes_by($1, $2, $3)", self._known
        found = await self._do(lambda one: one.fetch(sql, most, list(known), near))
        if any(row["plays"] is None and known[row["number"]].at != row["at"] for row in found):
            known = {}  # the database was put back, and counts the same numbers anew
            found = await self._do(lambda one: one.fetch(sql, most, [], near))
        wishes = [known[row["number"]] if row["plays"] is None else _wish(row) for row in found]
        self._known = {wish.number: wish for wish in wishes}
        if not found:
            return []
        oldest = min(row["number"] for row in found)
        rows = await self._do(lambda one: one.fetch("SELECT * FROM floor.wish_steps($1)", oldest))
        steps: dict[int, list[Step]] = {}
        for row in rows:
            steps.setdefault(row["wish"], []).append(_step(row))
        return [(wish, steps.get(wish.number, [])) for wish in wishes]


def _wish(row: Any) -> Wish:
    kept: dict[str, Any] = parse(row["plays"].encode())
    plays: dict[str, BookPlay] = {}
    settings: dict[str, TableSettings] = {}
    if any("values" in one for one in kept.values()):
        settings = from_json(dict[str, TableSettings], kept, "settings")
    else:
        plays = from_json(dict[str, BookPlay], kept, "plays")
    return Wish(
        tuple(row["tables"]), row["canary"], row["hold"], plays, row["who"], row["account"], row["why"],
        row["back_of"], row["number"], row["at"], row["version"], settings,
    )  # fmt: skip


def _step(row: Any) -> Step:
    return Step(row["wish"], StepKind(row["kind"]), row["who"], row["account"], row["words"], row["owner"], row["at"])
