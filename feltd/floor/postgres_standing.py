"""Custody's alarms and proofs in PostgreSQL, by the functions of `custody.sql`."""

from typing import Any, Final

from feltd.floor.alarm_kinds import Alarm, AlarmKind
from feltd.floor.facts import Told
from feltd.floor.postgres_streams import Do
from feltd.floor.standing import AlarmAnswer, AlarmState, Answered, Proof, Standing, news_of


class PostgresStanding:
    """See `StandingAlarms`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do

    async def standing(self, *, closed: bool = False) -> list[Standing]:
        """See `StandingAlarms`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.alarms_told($1)", closed))
        return [
            Standing(
                row["number"], _alarm(row), row["since"], row["latest"], AlarmState(row["state"]), row["who"],
                row["why"], row["answered"],
            )
            for row in found
        ]  # fmt: skip

    async def answer(self, answer: AlarmAnswer) -> Answered:
        """See `StandingAlarms`."""
        values = (answer.number, answer.times, answer.state.value, answer.who, answer.why)
        return Answered(
            await self._do(lambda one: one.fetchval("SELECT floor.answer_alarm($1, $2, $3, $4, $5)", *values))
        )

    async def news(self, after: int, most: int) -> list[Told]:
        """See `StandingAlarms`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.alarm_news_from($1, $2)", after, most))
        return [
            news_of(
                row["number"],
                Standing(row["alarm"], _alarm(row), row["wall"], row["wall"], who=row["who"], why=row["why"]),
                row["state"],
                row["wall"],
            )
            for row in found
        ]

    async def last(self) -> int:
        """See `StandingAlarms`."""
        return int(await self._do(lambda one: one.fetchval("SELECT floor.last_alarm_news()")))

    async def taken(self, follower: str) -> int | None:
        """See `StandingAlarms`."""
        found = await self._do(lambda one: one.fetchval("SELECT floor.taken_to($1)", follower))
        return None if found is None else int(found)

    async def keep_taken(self, follower: str, number: int) -> None:
        """See `StandingAlarms`."""
        await self._do(lambda one: one.execute("SELECT floor.keep_taken($1, $2)", follower, number))

    async def keep_proof(self, proof: Proof) -> None:
        """See `StandingAlarms`."""
        values = (proof.began, proof.ended, proof.journals, proof.entries, proof.faults)
        await self._do(lambda one: one.execute("SELECT floor.add_proof($1, $2, $3, $4, $5)", *values))

    async def last_proof(self) -> Proof | None:
        """See `StandingAlarms`."""
        row = await self._do(lambda one: one.fetchrow("SELECT * FROM floor.last_proof()"))
        return None if row is None else Proof(**dict(row))


def _alarm(row: Any) -> Alarm:
    return Alarm(row["owner"], row["journal"], AlarmKind(row["kind"]), row["seq"], row["words"], row["times"])
