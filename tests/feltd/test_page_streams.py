"""Streams: so many of a person, of an address and in all; who gets in where all are taken, and whose stream ends."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from feltd.page.access.roles import Role
from feltd.page.limits.places import NoPlaceError, Place, StreamPlaces
from feltd.page.limits.refusals import Refusals
from tests.feltd.page_support import Browser, Page, limits
from tests.running import eventually


def places(**changed: float) -> StreamPlaces:
    return StreamPlaces(limits(**changed), Refusals())


def taken(at: StreamPlaces, person: str, address: str) -> Place:
    return at.take(f"person {person}", address, person=True)


def test_the_last_of_a_person_gets_in_one_more_does_not_and_what_is_closed_makes_room() -> None:
    at = places(streams_per_person=2)
    first, _ = taken(at, "anna", "a"), taken(at, "anna", "b")
    with pytest.raises(NoPlaceError, match="2 streams are open already: close one"):
        taken(at, "anna", "c")
    taken(at, "berta", "a")
    at.leave(first)
    assert not taken(at, "anna", "c").lost
    assert at._refusals.counts["streams"] == 1


def test_those_who_are_not_signed_in_share_the_places_of_their_address() -> None:
    at = places(streams_per_person=1, streams_per_address=3)
    for _ in range(3):
        at.take("address a", "a", person=False)
    with pytest.raises(NoPlaceError, match="3 streams are open already"):
        at.take("address a", "a", person=False)


def test_behind_a_full_address_whoever_has_fewest_gets_a_place_of_who_has_most() -> None:
    at = places(streams_per_address=4, streams_per_person=4)
    annas = [taken(at, "anna", "a") for _ in range(3)]
    bertas = [taken(at, "berta", "a")]
    bertas.append(taken(at, "berta", "a"))  # two and two now
    assert [place.lost for place in (*annas, *bertas)] == [True, False, False, False, False]
    with pytest.raises(NoPlaceError, match="4 streams of this address are open already: come again in a while"):
        taken(at, "berta", "a")
    assert not taken(at, "clara", "a").lost
    assert len(at) == 4


def test_where_all_are_taken_it_is_the_same() -> None:
    at = places(streams=4, streams_per_address=3, streams_per_person=3)
    annas = [taken(at, "anna", address) for address in "abc"]
    taken(at, "berta", "d")
    clara = taken(at, "clara", "e")
    assert [place.lost for place in annas] == [True, False, False]
    with pytest.raises(NoPlaceError, match="4 streams are open already"):
        taken(at, "clara", "e")
    at.leave(clara)
    at.leave(clara)
    assert len(at) == 3


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def made() -> Page:
        page = Page(tmp_path)
        page.bench.open_table()
        await page.bench.synced()
        return page

    page = asyncio.run(made())
    yield page
    page.close()


def test_both_streams_count_one_too_many_is_told_and_the_end_gives_the_place_back(page: Page) -> None:
    page.places._limits = limits(streams_per_person=2)
    browser = Browser(page, page.session(Role.OBSERVER), address="192.0.2.1")

    async def scene() -> httpx.Response:
        open_ = [asyncio.ensure_future(browser.ask("get", f"/api/v1/{name}")) for name in ("stream", "events")]
        await eventually(lambda: page.hub.browsers and page.feed.listeners)
        refused = await browser.ask("get", "/api/v1/stream")
        page.hub.close()
        page.feed.close()
        await asyncio.gather(*open_)
        return refused

    refused = asyncio.run(scene())
    assert refused.status_code == 503
    assert refused.headers["retry-after"] == "30"
    assert refused.json()["detail"] == "2 streams are open already: close one"
    assert len(page.places) == 0


def test_a_stream_whose_place_is_lost_ends(page: Page) -> None:
    browser = Browser(page, page.session(Role.OBSERVER), address="192.0.2.1")

    async def scene() -> httpx.Response:
        open_ = asyncio.ensure_future(browser.ask("get", "/api/v1/stream"))
        await eventually(lambda: page.hub.browsers)
        next(iter(page.places._taken)).lost = True
        while not open_.done():
            page.door._name += "."
            page.hub.changed()
            await asyncio.sleep(0.01)
        return await open_

    assert asyncio.run(scene()).status_code == 200
    assert page.hub.browsers == 0
