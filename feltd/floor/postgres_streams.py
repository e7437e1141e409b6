"""Tournaments and waiting lists in PostgreSQL, by the functions of `tournaments.sql`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from feltd.floor.postgres_players import PostgresPlayers
from feltd.floor.streams import (
    StreamAnswer,
    StreamEnd,
    StreamEvent,
    StreamKind,
    TableEntry,
    Told,
    digest_of,
    is_kept,
    start_of,
)

Do = Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
"""Does one statement on a connection, to its end. Raises FloorAwayError."""


class PostgresStreams:
    """See `Streams`."""

    def __init__(self, do: Do, kind: StreamKind = StreamKind.TOURNAMENT) -> None:
        self._do: Final = do
        self._kind: Final = kind.value
        self.players: Final = PostgresPlayers(do)

    async def begin(self, tournament: str) -> bool:
        """See `Streams`."""
        values = (self._kind, tournament, start_of(tournament))
        return bool(await self._do(lambda one: one.fetchval("SELECT floor.begin_stream($1, $2, $3)", *values)))

    async def add(self, tournament: str, expected: int, line: str, cause: TableEntry | None = None) -> StreamAnswer:
        """See `Streams`."""
        journal, seq = (None, None) if cause is None else (cause.journal, cause.seq)
        values = (tournament, expected, digest_of(line), journal, seq, line)
        row = await self._do(
            lambda one: one.fetchrow("SELECT * FROM floor.add_tournament_event($1, $2, $3, $4, $5, $6)", *values)
        )
        return StreamAnswer(Told(row["verdict"]), row["seq"], row["chain"])

    async def add_beside(
        self, tournament: str, expected: int, line: str, others: Mapping[str, bytes | None]
    ) -> StreamAnswer:
        """See `Streams`."""
        values = (tournament, expected, digest_of(line), line, list(others), list(others.values()))
        row = await self._do(
            lambda one: one.fetchrow("SELECT * FROM floor.add_event_beside($1, $2, $3, $4, $5, $6)", *values)
        )
        return StreamAnswer(Told(row["verdict"]), row["seq"], row["chain"])

    async def add_all(self, tournament: str, expected: int, lines: Sequence[str]) -> tuple[StreamAnswer, ...]:
        """See `Streams`. It is one transaction: a connection that ends in it has added nothing."""
        values = [
            (tournament, number, digest_of(line), None, None, line) for number, line in enumerate(lines, expected)
        ]

        async def work(one: Any) -> tuple[StreamAnswer, ...]:
            answers = list[StreamAnswer]()
            transaction = one.transaction()
            await transaction.start()
            for each in values:
                row = await one.fetchrow("SELECT * FROM floor.add_tournament_event($1, $2, $3, $4, $5, $6)", *each)
                answer = StreamAnswer(Told(row["verdict"]), row["seq"], row["chain"])
                if not is_kept(answer):
                    await transaction.rollback()
                    return (answer,)
                answers.append(answer)
            await transaction.commit()
            return tuple(answers)

        added: tuple[StreamAnswer, ...] = await self._do(work)
        return added

    async def events(self, tournament: str, after: int, most: int) -> list[StreamEvent]:
        """See `Streams`."""
        values = (tournament, after, most)
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.tournament_events($1, $2, $3)", *values))
        return [_event(row) for row in found]

    async def all(self) -> list[StreamEnd]:
        """See `Streams`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.streams($1)", self._kind))
        return [StreamEnd(row["id"], row["seq"], row["chain"]) for row in found]


def _event(row: Any) -> StreamEvent:
    cause = None if row["cause_journal"] is None else TableEntry(row["cause_journal"], row["cause_seq"])
    return StreamEvent(row["seq"], row["chain"], row["line"], cause)
