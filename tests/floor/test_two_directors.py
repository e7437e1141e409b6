"""Two directors at once, each with a browser's connection of their own to a pit page that is served at an address."""

import threading
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from feltd.floor.streams import MemoryStreams
from feltd.page.access.roles import Role
from feltd.page.api.guard import CSRF_HEADER
from floor_fsm.state.seating import Seating
from tests.floor.directing_support import At, directing
from tests.floor.pit_support import ServedPit, served_pit

pytestmark = pytest.mark.slow
ENTRIES: Final = 8
SEATS: Final = [(table, seat) for table in ("T1", "T2") for seat in range(1, 5)]


class Director:
    """One of them: signs in over HTTP, looks, and gives seats to whoever waits until nobody does."""

    def __init__(self, served: ServedPit, role: Role) -> None:
        name, password = served.account(role)
        self.client = httpx.Client(base_url=f"{served.address}/api/v1", timeout=60)
        answer = self.client.post("/session", json={"name": name, "password": password})
        assert answer.is_success, answer.text
        self.client.headers[CSRF_HEADER] = self.client.get("/session").json()["csrf"]
        self.told: list[tuple[int, str | None]] = []

    def seat_all(self, backwards: bool) -> None:
        """Give each who waits the first free seat, from the first or from the last."""
        while True:
            desk = self.client.get("/tournaments/cup").json()
            waiting = [one["entry"] for one in desk["entries"] if one["standing"] == "waiting"]
            taken = {(one["table"], one["seat"]) for one in desk["entries"] if one["table"] is not None}
            free = [place for place in SEATS if place not in taken]
            if not waiting:
                return
            entry, (table, seat) = waiting[-1 if backwards else 0], free[0]
            event: dict[str, Any] = {"ev": "seat.given", "entry": entry, "table": table, "seat": seat}
            answer = self.client.post(
                "/tournaments/cup/steps", json={"expected": desk["seq"], "event": event, "why": "by hand"}
            )
            self.told.append((answer.status_code, answer.json().get("reason")))


def test_two_directors_at_once_seat_nobody_twice_and_the_second_is_told_what_came_first(tmp_path: Path) -> None:
    floor = directing(MemoryStreams())
    with served_pit(tmp_path, floor) as served:
        served.do(At(floor).opened(entries=ENTRIES))
        directors = [Director(served, role) for role in (Role.DIRECTOR, Role.SUPERVISOR)]
        threads = [threading.Thread(target=one.seat_all, args=(number == 1,)) for number, one in enumerate(directors)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tournament = floor.fold("cup").tournament
        assert tournament is not None
        places = tournament.parts.of(Seating).places
        assert len(set(places.values())) == len(places) == ENTRIES
        answers = [one for director in directors for one in director.told]
        assert sum(status == 200 for status, _ in answers) == ENTRIES
        assert {reason for status, reason in answers if status != 200} <= {"moved_on"}
        for director in directors:
            director.client.close()


def test_of_two_steps_upon_the_same_event_one_is_taken(tmp_path: Path) -> None:
    floor = directing(MemoryStreams())
    with served_pit(tmp_path, floor) as served:
        served.do(At(floor).opened(entries=2))
        first, second = (Director(served, role) for role in (Role.DIRECTOR, Role.SUPERVISOR))
        seq = first.client.get("/tournaments/cup").json()["seq"]
        answers = []
        for number, director in enumerate((first, second), 1):
            event = {"ev": "seat.given", "entry": number, "table": "T1", "seat": 1}
            said = {"expected": seq, "event": event, "why": "by hand"}
            answers.append(director.client.post("/tournaments/cup/steps", json=said))
        assert [one.status_code for one in answers] == [200, 409]
        assert answers[1].json()["reason"] == "moved_on"
        assert "came first, with seat.given" in answers[1].json()["detail"]
        for director in (first, second):
            director.client.close()
