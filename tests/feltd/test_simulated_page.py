"""Sitting down in the simulated dealer's place: who may, what goes over the wire, what the table makes of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from devices.simulated.people.dealer import Dealer
from devices.simulated.things.equipment import lay_out
from feltd.record import JournalReader, Span
from feltd.simulated.plan import Plan, game_of
from tests.feltd.simulated_support import simulated_table
from tests.feltd.table_support import BOOKS, HOLDEM, UTH
from tests.feltd.test_daemon_run import daemon

PLACE = "/api/v1/simulated"
RANKS = "23456789TJQKA"


class Somebody:
    """At this machine, with nobody signed in."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, timeout=None)
        self.token = {"x-csrf-token": self.look()["csrf"]}

    def look(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(PLACE).json()
        return found

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/api/v1/state").json()
        return found

    @property
    def prompt(self) -> dict[str, Any]:
        return self.state()["table"]["prompt"] or {}

    def ask(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(f"{PLACE}/{path}", headers=self.token, json=body)

    def do(self, path: str, **body: Any) -> list[dict[str, Any]]:
        """What was ruled on it; nothing was refused."""
        answer = self.ask(path, **body)
        assert answer.status_code == 200, answer.text
        said = answer.json()
        assert said["refused"] == []
        return list(said["rulings"])

    def follow_to(self, key: str, value: object = None) -> None:
        """Do what the table asks until it asks for this."""
        for _ in range(80):
            prompt = self.prompt
            if key in prompt and value in (None, prompt[key]):
                return
            assert self.do("follow") == []
        raise AssertionError(f"the table never asks for {key}")


@pytest.fixture
def somebody(tmp_path: Path) -> Iterator[Somebody]:
    with simulated_table(tmp_path) as address:
        made = Somebody(address)
        yield made
        made.client.close()


@pytest.mark.slow
def test_a_visitor_deals_errs_is_ruled_on_and_hands_back(somebody: Somebody, tmp_path: Path) -> None:
    assert somebody.ask("follow").json()["detail"] == "the simulated dealer deals: take over first"
    somebody.do("take-over")
    assert somebody.look()["visited"]
    if somebody.state()["table"]["phase"] != "waiting":
        somebody.do("staff", decision="misdeal") if somebody.prompt.get("shuffle") is None else None
    somebody.do("shoe", do="shuffle")
    somebody.follow_to("deal")
    due = somebody.prompt["deal"]
    somebody.do("cards", do="deal", zone=due)
    wrong = next(zone for zone in ("seat:1", "seat:5", "seat:8") if zone not in {due, somebody.prompt["deal"]})
    [ruling] = somebody.do("cards", do="deal", zone=wrong)
    assert (ruling["irregularity"], ruling["rulebook"]) == ("dealt_out_of_turn", HOLDEM)
    looked = somebody.look()
    assert looked["mats"][wrong] == ["back"]
    [boxed] = [*somebody.do("shoe", do="box_card"), *somebody.do("shoe", do="draw")]
    assert boxed["irregularity"] == "boxed_card"
    assert looked["hand"] == []
    [card] = somebody.look()["hand"]
    assert card[0] in RANKS
    [jam] = somebody.do("shoe", do="jam")
    assert jam["irregularity"] == "shoe_malfunction"
    assert somebody.ask("shoe", do="draw").status_code == 409  # the gate is locked
    assert (
        somebody.ask("cables", device="camera", do="pull")
        .json()["detail"]
        .startswith("there is no device camera: choose one of badge, ")
    )
    somebody.do("hand-back")
    began = somebody.state()["table"]["round"]
    while somebody.state()["table"]["round"] < began + 2:
        pass  # the dealer goes on; the test's own time limit ends this if not
    assert not somebody.look()["visited"]
    with JournalReader.open(tmp_path / "table.journal") as reader:
        assert list(reader.entries(Span(name="error"))) == []
        faults = list(reader.entries(Span(name="shoe.fault")))
    assert faults[0].source is not None, "it came from the device, over the wire"
    assert faults[0].source.device == "shoe"


@pytest.mark.slow
def test_a_round_of_the_houses_game_by_chips_raises_nothing_and_what_is_no_card_is_named(tmp_path: Path) -> None:
    with simulated_table(tmp_path, book=UTH, more=("--chips",)) as address:
        somebody = Somebody(address)
        somebody.do("take-over")
        if "shuffle" not in somebody.prompt:
            somebody.do("staff", decision="misdeal")
        somebody.do("shoe", do="shuffle")
        somebody.follow_to("collect")
        assert somebody.state()["faults"] == []
        for thing, zone, words in (
            ("phone", "burn", "burn: there is a chip whose number changes, as a phone"),
            ("strange", "board:5", "board:5: there is a chip that is in no pack of this table"),
            ("half", "burn", "burn: a chip's number was not read whole: it has 2 bytes"),
            ("copy", "seat:9", "seat:9: a chip comes to seat:9, and lies at"),
        ):
            assert somebody.do("chips", thing=thing, zone=zone) == []
            assert words in somebody.state()["faults"][0]["text"]
            somebody.do("cards", do="take_back", zone=zone)
        assert any(card != "back" for card in somebody.look()["mats"]["dealer"])
        somebody.do("follow")
        assert somebody.state()["table"]["phase"] == "complete"
        somebody.client.close()


@pytest.mark.slow
def test_a_visitor_keys_each_hand_that_lies_open_where_no_reader_knows_a_side(tmp_path: Path) -> None:
    with simulated_table(tmp_path, more=("--no-faces",)) as address:
        somebody = Somebody(address)
        somebody.do("take-over")
        if "shuffle" not in somebody.prompt:
            somebody.do("staff", decision="misdeal")
        somebody.do("shoe", do="shuffle")
        somebody.follow_to("act")
        [refused] = somebody.ask("seats", seat=somebody.prompt["act"], action="shown").json()["refused"]
        assert "not to be shown now" in refused
        somebody.follow_to("show")
        seats = somebody.prompt["show"]
        assert somebody.prompt["by_key"]
        assert somebody.look()["lamps"]["attention"]
        assert not any(seat["tabled"] for seat in somebody.state()["table"]["seats"])
        somebody.follow_to("collect")
        assert [seat["seat"] for seat in somebody.state()["table"]["seats"] if seat["tabled"]] == sorted(seats)
        somebody.client.close()


@pytest.mark.slow
def test_box_keys_staff_and_seats_work_and_cards_face_down_are_never_told(somebody: Somebody) -> None:
    for sent in ({}, {"x-csrf-token": "guessed"}):
        assert somebody.client.post(f"{PLACE}/take-over", headers=sent).status_code == 403
    evil = {**somebody.token, "origin": "https://evil.example"}
    assert somebody.client.post(f"{PLACE}/take-over", headers=evil).status_code == 403
    somebody.do("take-over")
    somebody.do("take-over")  # twice is once
    if "shuffle" not in somebody.prompt:
        somebody.do("staff", decision="misdeal")
    somebody.do("shoe", do="shuffle")
    somebody.follow_to("act")
    told = somebody.look()
    down = [card for zone, cards in told["mats"].items() if zone.startswith("seat") for card in cards]
    assert len(down) == 12
    assert set(down) == {"back"}
    [unsafe] = somebody.do("box", do="open")
    assert unsafe["irregularity"] == "dropbox_unsafe"
    assert somebody.look()["lamps"]["stop"] or somebody.look()["lamps"]["attention"]
    assert somebody.look()["display"] != []
    somebody.do("box", do="close")
    somebody.do("staff", decision="resume")
    seat = somebody.prompt["act"]
    somebody.do("seats", seat=seat, action="fold")
    [exposed] = somebody.do("cards", do="flash", zone=f"seat:{somebody.prompt['act']}")
    assert exposed["rule"]
    refused = somebody.ask("seats", seat=9, action="check").json()
    assert refused["refused"] != []
    assert somebody.ask("cards", do="deal", zone="race:1").status_code == 422
    page = somebody.client.get("/simulated")
    assert page.status_code == 200
    assert 'href="/simulated" aria-current="page"' in page.text
    assert "/simulated" in somebody.client.get("/").text


@pytest.mark.slow
def test_a_real_table_has_no_such_page(tmp_path: Path) -> None:
    with daemon(tmp_path) as (_, address, _):
        client = httpx.Client(base_url=address, timeout=None)
        assert client.get("/").status_code == 200
        for path in ("/simulated", PLACE):
            assert client.get(path).status_code == 404
        assert client.post(f"{PLACE}/take-over").status_code in {404, 405}
        described = client.get("/api/v1/openapi.json").json()
        assert not [path for path in described["paths"] if "simulated" in path]
        assert "/simulated" not in client.get("/").text
        client.close()


class _Table:
    """A table that says nothing."""

    async def outputs(self) -> list[dict[str, Any]]:
        return []


def test_a_dealer_told_to_leave_touches_nothing_more(tmp_path: Path) -> None:
    """In the middle of the time that a motion takes: its device is not ordered, and the dealer is gone."""

    async def scene() -> None:
        game = game_of(Plan((BOOKS[HOLDEM],), 1, 0.0, None, 1.0), BOOKS[HOLDEM], None)
        resting = asyncio.Event()

        async def forever(_: float) -> None:
            resting.set()
            await asyncio.Event().wait()

        dealer = Dealer(game, lay_out(tmp_path, game), _Table(), sleep=forever)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dealer._hands, "order", lambda _motion: pytest.fail("a device was ordered"))
            dealing = asyncio.create_task(dealer.run())
            await resting.wait()
            dealer.leave()
            await dealing

    asyncio.run(scene())
