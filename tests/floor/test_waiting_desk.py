"""The desk of waiting lists by its API, and the players' screen: who may what, refusals with their clause, names."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from feltd.door.pit.directing import Opening, Step, Stepped
from feltd.door.pit.waiting import RoomAsk, RoomNews, RoomTile, SeatsKnown, TableFree
from feltd.floor.streams import MemoryStreams
from feltd.floor.waiting import Waiting
from feltd.page.access.roles import Role
from tests.floor.desk_support import Desk, House, NearDoor
from tests.floor.waiting_support import waiting


class CashHouse(House):
    """A floord's waiting lists."""

    def __init__(self) -> None:
        super().__init__()
        self.streams = MemoryStreams()
        self.waiting: Waiting = waiting(self.streams, self.clock)


class CashDoor(NearDoor):
    """The floor's calls of waiting lists without a socket between."""

    def __init__(self, place: Path, house: CashHouse) -> None:
        super().__init__(place, house)
        self.lists = house.waiting

    async def waiting_rooms(self, account: str) -> tuple[RoomTile, ...]:
        return self.lists.tiles()

    async def waiting_room(self, asked: RoomAsk) -> RoomNews:
        return self.lists.news(asked)

    async def open_room(self, opening: Opening) -> Stepped:
        return await self.lists.open(opening)

    async def room_step(self, step: Step) -> Stepped:
        return await self.lists.step(step)


class CashDesk(Desk):
    """A browser at the desk of waiting lists."""

    door = CashDoor

    def say(self, ev: str, **fields: Any) -> httpx.Response:
        """A step upon the lists as they are now."""
        assert isinstance(self.house, CashHouse)
        seq = self.house.waiting.news(RoomAsk("cash")).seq
        return self.post("/waiting/cash/steps", {"expected": seq, "event": {"ev": ev, **fields}, "why": "at the desk"})

    def said(self, ev: str, **fields: Any) -> Any:
        """A step that is taken; what is said."""
        answer = self.say(ev, **fields)
        assert answer.status_code == 200, answer.text
        return answer.json()["outputs"]


def opened(folder: Path, role: Role | None = Role.SUPERVISOR, screens: str | None = None) -> CashDesk:
    """A desk whose lists have two games, and three people who wait."""
    house = CashHouse()
    desk = CashDesk(folder, house, Role.SUPERVISOR)
    body = {"id": "cash", "title": "Cash games", "book": "onyx-cash", "why": "the room opens"}
    assert desk.post("/waiting", body).json() == {"seq": 1, "outputs": []}
    for game, name in (("nl-1-2", "Hold'em 1/2"), ("plo-2-5", "Omaha 2/5")):
        desk.said("game.listed", game=game, name=name)
    for number, name in enumerate(("Anna Lena Meier", "Ben Okafor", "Gio"), 1):
        person = "Gio" if name == "Gio" else f"100{number}"
        desk.said("waiting.joined", number=number, person=person, name=name, game="nl-1-2")
    return CashDesk(folder, house, role, screens)


def test_a_desk_has_the_lists_with_their_clauses_and_who_did_what(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    told = desk.get("/waiting/cash")
    assert (told["title"], told["seq"], told["next"], told["closed"]) == ("Cash games", 6, 4, False)
    assert [(game["id"], game["hold"], len(game["waits"])) for game in told["games"]] == [
        ("nl-1-2", 300.0, 3), ("plo-2-5", 300.0, 0),
    ]  # fmt: skip
    assert [(one["number"], one["name"], one["card"]) for one in told["games"][0]["waits"]] == [
        (1, "Anna Lena Meier", "1001"), (2, "Ben Okafor", "1002"), (3, "Gio", ""),
    ]  # fmt: skip
    assert [(rule["matter"], rule["clause"]) for rule in told["rules"]][-2:] == [
        ("transfers", "Cash 14"),
        ("balance", "Cash 1"),
    ]
    assert (told["log"][-1]["who"], told["log"][-1]["why"], told["log"][-1]["name"]) == (
        "supervisor", "at the desk", "Gio",
    )  # fmt: skip
    assert [game["tables"] for game in told["games"]] == [[], []]
    [room] = desk.get("/waiting")["rooms"]
    assert room["free"] == 0
    assert (room["id"], room["games"], room["waiting"], room["called"], room["wrong"]) == ("cash", 2, 3, 0, None)
    assert desk.get("/waiting")["books"] == {"onyx-cash": "Onyx, waiting lists of cash games"}


def test_steps_are_taken_once_and_refusals_have_reason_and_clause(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    refused = desk.say("waiting.called", number=2, table="T1", seat=4)
    assert (refused.status_code, refused.json()["reason"], refused.json()["clause"]) == (
        409, "others_wait_longer", "ours",
    )  # fmt: skip
    assert desk.said("waiting.called", number=1, table="T1", seat=4)[0]["until"] == 300.0
    late = desk.post(
        "/waiting/cash/steps", {"expected": 6, "event": {"ev": "waiting.sat_down", "number": 1}, "why": "sat down"}
    )
    assert (late.status_code, late.json()["reason"]) == (409, "moved_on")
    for event, words in (
        ({"ev": "waiting.slept"}, "an event here is one of"),
        ({"ev": "waiting.sat_down", "number": 0}, "number"),
        ({"ev": "waiting.sat_down", "number": 1, "t": 1.0}, "floor's to fill in"),
    ):
        answer = desk.post("/waiting/cash/steps", {"expected": 7, "event": event, "why": "as said"})
        assert (answer.status_code, words in answer.json()["detail"]) == (422, True)
    assert desk.ask("get", "/api/v1/waiting/stud").status_code == 404
    body = {"id": "cash", "title": "Again", "book": "onyx-cash", "why": "a second time"}
    assert desk.post("/waiting", body).status_code == 409


def test_who_may_seat_works_at_the_desk_and_others_look(tmp_path: Path) -> None:
    desk = opened(tmp_path, Role.OBSERVER)
    assert desk.get("/waiting")["rooms"][0]["waiting"] == 3
    assert desk.ask("get", "/api/v1/waiting/cash").status_code == 403
    assert desk.say("waiting.taken_off", number=1).status_code == 403
    assert [one["waits"] for one in desk.get("/waiting/cash/screen")["games"]] == [["1", "2", "3"], []]
    for path, there in (("/waiting", True), ("/waiting/cash", False), ("/waiting/cash/screen", True)):
        assert (desk.ask("get", path).status_code == 200) is there
    nobody = CashDesk(tmp_path, CashHouse(), None)
    assert nobody.ask("get", "/waiting/cash/screen").headers["location"].startswith("/sign-in")
    assert nobody.ask("get", "/api/v1/waiting/cash/screen").status_code == 401


def test_the_screen_without_sign_in_has_names_as_the_operator_chooses_and_nothing_else_of_them(tmp_path: Path) -> None:
    desk = opened(tmp_path, None, "short")
    CashDesk(tmp_path, desk.house, Role.SUPERVISOR).said("waiting.called", number=1, table="T1", seat=4)
    told = desk.get("/waiting/cash/screen")
    assert told["called"] == [{"name": "Anna M.", "table": "T1", "seat": 4, "until": 300.0}]
    assert [one["waits"] for one in told["games"]] == [["Ben O.", "Gio"], []]
    assert told.keys() == {"id", "title", "seq", "t", "wall", "called", "games"}
    assert "1001" not in desk.ask("get", "/api/v1/waiting/cash/screen").text
    assert desk.ask("get", "/waiting/cash/screen").status_code == 200


def test_the_screen_has_who_changes_tables_once_it_is_approved(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    joins = {"person": "1004", "name": "Dora Berg", "game": "plo-2-5", "from_table": "T2"}
    desk.said("waiting.joined", number=4, **joins)
    assert desk.get("/waiting/cash/screen")["games"][1]["waits"] == []
    desk.said("transfer.approved", number=4)
    assert len(desk.get("/waiting/cash/screen")["games"][1]["waits"]) == 1


def test_a_desk_is_told_who_may_be_called(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    desk.said("waiting.joined", number=4, person="1001", name="Anna Lena Meier", game="plo-2-5")
    desk.said("waiting.joined", number=5, person="1005", name="Dora Berg", game="plo-2-5", from_table="T2")
    desk.said("waiting.called", number=1, table="T1", seat=4)
    told = [
        (one["number"], one["may_be_called"]) for game in desk.get("/waiting/cash")["games"] for one in game["waits"]
    ]
    assert told == [(1, False), (2, True), (3, True), (4, False), (5, False)], "Anna has a seat on the other list"


def test_the_desk_has_the_free_seats_of_each_table_and_the_screen_how_many_there_are(tmp_path: Path) -> None:
    class WithTables(CashDoor):
        async def waiting_room(self, asked: RoomAsk) -> RoomNews:
            free = (
                TableFree("nl-1-2", "T1", (3, 5), SeatsKnown.NOW, 90.0),
                TableFree("nl-1-2", "T2", (1,), SeatsKnown.AWAY, 30.0),
            )
            return replace(self.lists.news(asked), free=free)

    class Told(CashDesk):
        door = WithTables

    desk = opened(tmp_path)
    tables = [{"table": f"T{number}", "seats": [1, 2, 3, 4, 5]} for number in (1, 2, 3)]
    desk.said("game.tables", game="nl-1-2", tables=tables)
    with_tables = Told(tmp_path, desk.house, Role.SUPERVISOR)
    [game, other] = with_tables.get("/waiting/cash")["games"]
    assert game["tables"] == [
        {"table": "T1", "seats": [1, 2, 3, 4, 5], "free": [3, 5], "known": "now", "heard": 90.0},
        {"table": "T2", "seats": [1, 2, 3, 4, 5], "free": [1], "known": "away", "heard": 30.0},
    ], "who does not see T3 is told of it by nobody"
    assert other["tables"] == []
    assert [one["free"] for one in with_tables.get("/waiting/cash/screen")["games"]] == [2, 0]


def test_lists_that_cannot_be_shown_say_why(tmp_path: Path) -> None:
    desk = opened(tmp_path)
    assert isinstance(desk.house, CashHouse)
    kept = desk.house.streams.kept["cash"]
    del kept[0]
    asyncio.run(desk.house.waiting.look())
    assert desk.ask("get", "/api/v1/waiting/cash").status_code == 409
    assert "put the floor's database back" in desk.get("/waiting")["rooms"][0]["wrong"]


def test_lists_of_a_later_floor_are_told_as_such(tmp_path: Path) -> None:
    class Later(CashDoor):
        async def waiting_room(self, asked: RoomAsk) -> RoomNews:
            news = self.lists.news(asked)
            return RoomNews(news.id, news.title, news.book, news.seq, news.t, news.wall, {"waits": "many"})

    desk = opened(tmp_path)

    class LaterDesk(CashDesk):
        door = Later

    answer = LaterDesk(tmp_path, desk.house, Role.SUPERVISOR).ask("get", "/api/v1/waiting/cash")
    assert (answer.status_code, "to one version, floord first" in answer.json()["detail"]) == (409, True)
