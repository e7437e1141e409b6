"""Waiting lists as browsers have them: whole at the desk, by the names that the operator chooses on the screen."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import ValidationError

from feltd.door.pit.waiting import RoomNews, SeatsKnown, TableFree
from feltd.page.pit.tournaments.screens import Names, shown_words
from feltd.text.errors import FeltdError
from floor_fsm.waiting.room import lists_of
from floor_fsm.waiting.state import Game, Lists, Wait


class ListsNotShownError(FeltdError):
    """Lists that cannot be shown now; the message says why, and what to do."""


def lists_told(news: RoomNews) -> Lists:
    """The lists of a room. Raises ListsNotShownError."""
    if news.wrong is not None:
        raise ListsNotShownError(f"nobody can go on with these lists: {news.wrong}")
    try:
        return lists_of(news.lists)
    except ValidationError:
        raise ListsNotShownError(
            "the floor tells of these lists in another way: bring floord and this page to one version, floord first"
        ) from None


def desk_as_json(news: RoomNews) -> dict[str, Any]:
    """The lists with everything that a desk needs of each person."""
    lists = lists_told(news)
    return {
        **_frame(news, lists),
        "book": news.book,
        "closed": lists.closed,
        "next": lists.last + 1,
        "games": [{**_game(game), "tables": _tables(game, news), "waits": _waits(game, lists)} for game in lists.games],
        "rules": [asdict(rule) for rule in news.rules],
        "log": [asdict(line) for line in news.lines],
    }


def screen_as_json(news: RoomNews, names: Names) -> dict[str, Any]:
    """Who is called, who waits in which order, how many seats are free.

    No card, no reason, nobody who changes tables unapproved.
    """
    lists = lists_told(news)
    return {
        **_frame(news, lists),
        "called": [
            {"name": _name(one, names), "table": one.held.table, "seat": one.held.seat, "until": one.held.until}
            for one in lists.waits
            if one.held is not None
        ],
        "games": [
            {
                "name": game.name,
                "free": sum(len(one.free) for one in news.free if _is_free_now(one, game)),
                "waits": [_name(one, names) for one in lists.of_game(game.id) if _is_in_line(one)],
            }
            for game in lists.games
        ],
    }


def _is_in_line(wait: Wait) -> bool:
    """Whether somebody can be called: whoever changes tables unapproved keeps nobody waiting."""
    return wait.held is None and not wait.needs_approval


def _frame(news: RoomNews, lists: Lists) -> Mapping[str, Any]:
    return {"id": news.id, "title": news.title, "seq": news.seq, "t": news.t, "wall": news.wall}


def _game(game: Game) -> Mapping[str, Any]:
    return {"id": game.id, "name": game.name, "hold": game.hold}


def _is_free_now(one: TableFree, game: Game) -> bool:
    return one.game == game.id and one.known is SeatsKnown.NOW


def _tables(game: Game, news: RoomNews) -> list[Mapping[str, Any]]:
    """The tables of a game that the person sees, with their free seats, in the order in which they are offered."""
    seats = {one.table: one.seats for one in game.tables}
    return [
        {"table": one.table, "seats": seats[one.table], "free": one.free, "known": one.known, "heard": one.heard}
        for one in news.free
        if one.game == game.id and one.table in seats
    ]


def _name(wait: Wait, names: Names) -> str:
    return shown_words(wait.number, wait.name, names)


def _waits(game: Game, lists: Lists) -> list[Mapping[str, Any]]:
    return [_at_desk(one, lists) for one in lists.of_game(game.id)]


def _at_desk(wait: Wait, lists: Lists) -> Mapping[str, Any]:
    """`card`: empty where nobody has said one, and the name stands for it."""
    card = "" if wait.person == "".join(wait.name.split()) else wait.person
    may = lists.may_be_called(wait)
    return {**asdict(wait), "card": card, "needs_approval": wait.needs_approval, "may_be_called": may}
