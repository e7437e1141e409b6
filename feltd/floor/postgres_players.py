"""Players' names in PostgreSQL, by the functions of `players.sql`."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

from feltd.floor.players import Erasure, Player

Do = Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
"""Does one statement on a connection, to its end. Raises FloorAwayError."""


class PostgresPlayers:
    """See `Players`."""

    def __init__(self, do: Do) -> None:
        self._do: Final = do

    async def keep(self, tournament: str, player: Player) -> str:
        """See `Players`."""
        values = (tournament, player.token, player.person, player.name)
        return str(await self._do(lambda one: one.fetchval("SELECT floor.keep_player($1, $2, $3, $4)", *values)))

    async def keep_all(self, tournament: str, players: Sequence[Player]) -> list[str]:
        """See `Players`."""
        values = [(tournament, player.token, player.person, player.name) for player in players]

        async def work(one: Any) -> list[str]:
            async with one.transaction():
                return [str(await one.fetchval("SELECT floor.keep_player($1, $2, $3, $4)", *each)) for each in values]

        kept: list[str] = await self._do(work)
        return kept

    async def of(self, tournament: str) -> list[Player]:
        """See `Players`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.players($1)", tournament))
        return [_player(row) for row in found]

    async def with_card(self, person: str) -> list[tuple[str, Player]]:
        """See `Players`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.players_with_card($1)", person))
        return [(row["tournament"], _player(row)) for row in found]

    async def erase(self, erasures: Iterable[Erasure]) -> int:
        """See `Players`."""
        return sum([await self._erase(one) for one in erasures])

    async def _erase(self, gone: Erasure) -> bool:
        values = (gone.tournament, gone.token, gone.who, gone.why)
        return bool(await self._do(lambda one: one.fetchval("SELECT floor.erase_player($1, $2, $3, $4)", *values)))

    async def erase_unnamed(self, gone: Erasure, seconds: float) -> bool:
        """See `Players`."""
        values = (gone.tournament, gone.token, gone.who, gone.why, seconds)
        asked = "SELECT floor.erase_unnamed_player($1, $2, $3, $4, $5)"
        return bool(await self._do(lambda one: one.fetchval(asked, *values)))

    async def erasures(self) -> list[Erasure]:
        """See `Players`."""
        found = await self._do(lambda one: one.fetch("SELECT * FROM floor.player_erasures()"))
        return [Erasure(row["tournament"], row["token"], row["who"], row["why"]) for row in found]

    async def erased(self) -> int:
        """See `Players`."""
        return int(await self._do(lambda one: one.fetchval("SELECT floor.players_erased()")))


def _player(row: Any) -> Player:
    return Player(row["token"], row["person"], row["name"])
