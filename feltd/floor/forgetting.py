"""Players' names: found for who asks, erased for who asks it, and let go a while after tournament or waiting."""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from feltd.custody.errors import CustodyError, FloorAwayError
from feltd.door.pit.directing import TournamentPhase
from feltd.floor.directing import Directing
from feltd.floor.players import CARD, Erasure, Player, Players
from feltd.floor.streams import Streams
from feltd.floor.tournament_fold import Fold
from feltd.floor.waiting import Waiting
from feltd.floor.waiting_fold import WaitingFold
from feltd.tournaments.results import results, to_rows
from floor_fsm.drawing import list_of
from floor_fsm.lines import from_line
from floor_fsm.messages.draw import DrawAnnulled, SeatsDrawn
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import waiting_persons
from floor_fsm.state.giving import drawn_list as drawn_persons

LOOK_EVERY: Final = 3600.0
"""Seconds between two looks for names that are kept long enough."""
UNNAMED_FOR: Final = 3600.0
"""Seconds since a desk has said a name, after which no event that has it is on its way any more."""
_READ_MOST: Final = 500
_HOUR: Final = 3600.0
_DAY: Final = 86_400.0
_ENDED: Final = frozenset({TournamentPhase.OVER})
_log = logging.getLogger("feltd.floor")


class StillPlayedError(CustodyError):
    """A name is asked to be erased of a tournament that is not over, or of who waits for a seat."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What is done with names. `directing` and `waiting` have looked at the streams."""

    directing: Directing
    players: Players
    waiting: Waiting

    async def of_person(self, person: str) -> list[dict[str, Any]]:
        """Everything that is kept of a person, tournament by tournament and list by list, as JSON has it.

        Raises FloorAwayError.
        """
        rooms = self._rooms()
        return [
            _kept_waiting(rooms[stream], player) if stream in rooms else _kept(self.directing.fold(stream), player)
            for stream, player in await self.players.with_card(person)
        ]

    def _rooms(self) -> dict[str, WaitingFold]:
        return {fold.id: fold for fold in self.waiting.folds()}

    async def erase(self, person: str, who: str, why: str) -> list[str]:
        """Erase a person's names; return the tournaments and lists of which. Raises StillPlayedError, FloorAwayError.

        Where one tournament is not over none is erased: who plays there could not be told from another any more. Nor
        is anybody's who waits for a seat.
        """
        there, rooms = await self.players.with_card(person), self._rooms()
        waits = [room for room, player in there if room in rooms and player.token in rooms[room].tokens()]
        if waits:
            raise StillPlayedError(
                f"this person waits for a seat ({', '.join(waits)})", "players", "Take them off the list first"
            )
        played = [cup for cup, _ in there if cup not in rooms and not _over(self.directing.fold(cup))]
        if played:
            raise StillPlayedError(
                f"the tournament {', '.join(played)} is not over, and this person is in it",
                "players",
                "Erase the name when it is over, or call it off (step `tournament.cancelled`)",
            )
        await self.players.erase(Erasure(cup, player.token, who, why) for cup, player in there)
        return [cup for cup, _ in there]

    async def let_go(self, days: int, now: float) -> int:
        """Erase all names of tournaments whose last event is so many days old; return how many. Raises FloorAwayError.

        A tournament that is not over keeps its names, however old it is. `now`: seconds since 1970.
        """
        gone = 0
        for fold in self.directing.folds():
            if fold.made is None or fold.tournament is None or not _over(fold):
                continue
            if now - (fold.made.wall + fold.tournament.t) >= days * _DAY:
                why = f"{days} days after the tournament"
                there = await self.players.of(fold.id)
                gone += await self.players.erase(Erasure(fold.id, one.token, "floord", why) for one in there)
        return gone

    async def let_go_unnamed(self) -> int:
        """Erase names that were kept for an event which then was not; return how many. Raises FloorAwayError.

        A name is kept before its event. Where another desk came first, or floord ended in between, no event has it.
        """
        gone = 0
        await self.directing.look()
        for fold in self.directing.folds():
            for one in await self.players.of(fold.id):
                if one.token not in fold.named:
                    unnamed = Erasure(fold.id, one.token, "floord", "no event names this person")
                    gone += await self.players.erase_unnamed(unnamed, UNNAMED_FOR)
        return gone

    async def let_go_waited(self, hours: float) -> int:
        """Erase names of who waits no longer, and was named last so many hours ago; return how many.

        Raises FloorAwayError.
        """
        gone = 0
        await self.waiting.look()
        for fold in self.waiting.folds():
            waits = fold.tokens()
            for one in await self.players.of(fold.id):
                if one.token not in waits:
                    over = Erasure(fold.id, one.token, "floord", f"{hours:g} hours after the name was said")
                    gone += await self.players.erase_unnamed(over, hours * _HOUR)
        return gone

    async def run(self, days: int | None, hours: float, clock: Callable[[], float] = time.time) -> None:
        """Let names go again and again, until cancelled. A database that is away is asked again.

        `days`: see `let_go`; None: those of tournaments stay until somebody erases them. `hours`: see `let_go_waited`.
        """
        while True:
            try:
                unnamed = await self.let_go_unnamed()
                if unnamed:
                    _log.info("%d names of players were erased that no event names", unnamed)
                waited = await self.let_go_waited(hours)
                if waited:
                    _log.info("%d names of players who had waited for a cash game were erased", waited)
                gone = 0 if days is None else await self.let_go(days, clock())
                if gone:
                    _log.info("%d names of players were erased, %d days after their tournaments", gone, days)
            except FloorAwayError as fault:
                _log.debug("names of players: %s", fault)  # custody says it aloud
            await asyncio.sleep(LOOK_EVERY)


async def drawn_list(streams: Streams, cup: str) -> str:
    """The list that the seed of a tournament's last draw of all who waited is bound to.

    Before it, and once it is annulled, the list of who would be drawn now.

    It has a token for each person, so it can be published. Raises FloorAwayError; CustodyError where there is no such
    tournament, or it cannot be read.
    """
    fold, last = Fold(cup), list[str]()
    while fold.wrong is None and (events := await streams.events(cup, fold.seq, _READ_MOST)):
        for event in events:
            said = None if fold.tournament is None else from_line(event.line)
            if fold.tournament is not None and isinstance(said, SeatsDrawn):
                last = [list_of(drawn_persons(fold.tournament.parts, said)).decode()]
            fold.take([event])
            if isinstance(said, DrawAnnulled) and _waits_for_a_draw(fold):
                last = []
    if fold.wrong is not None or fold.tournament is None:
        words = fold.wrong or "the floor has no tournament of this id"
        raise CustodyError(words, f"tournament {cup}", "`feltd floor tournament list` names all of them")
    return last[0] if last else list_of(waiting_persons(fold.tournament.parts)).decode()


def _waits_for_a_draw(fold: Fold) -> bool:
    return fold.tournament is not None and fold.tournament.parts.of(Draw).seed is None


def _over(fold: Fold) -> bool:
    return fold.phase() in _ENDED


def _kept(fold: Fold, player: Player) -> dict[str, Any]:
    """What is kept of a person in one tournament."""
    told: dict[str, Any] = {"tournament": fold.id, "card": player.person, "name": player.name, "token": player.token}
    if fold.tournament is None or fold.made is None:
        return told
    rows = to_rows([one for one in results(fold.tournament) if one.person == CARD + player.token])
    entries = [{name: value for name, value in row.items() if name not in ("person", "name")} for row in rows]
    return {**told, "title": fold.made.title, "entries": entries}


def _kept_waiting(fold: WaitingFold, player: Player) -> dict[str, Any]:
    """What is kept of a person in the waiting lists of a room: who waits no longer is in none."""
    waits = () if fold.room is None else fold.room.lists.waits
    own = [
        {"game": one.game, "number": one.number, "since": one.since}
        for one in waits
        if one.person == CARD + player.token
    ]
    return {"waiting": fold.id, "card": player.person, "name": player.name, "token": player.token, "waits": own}
