"""Times for people: one zone, the controller's own, and each date with its offset."""

from collections.abc import Callable, Iterator

import pytest

from feltd.text.zone import UNNAMED, choose, clock, hours, moment, own_zone_name, zone_name

SUMMER = 1_800_000_000.0 - 25 * 86_400
"""In December: summer in Melbourne."""


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Set the controller's zone."""

    def put(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        own_zone_name.cache_clear()

    yield put
    own_zone_name.cache_clear()


def test_a_moment_is_told_in_the_zone_with_its_offset(zone: Callable[[str], None]) -> None:
    zone("Australia/Melbourne")
    assert moment(SUMMER) == "2026-12-21 19:00:00 +11:00"
    assert clock(SUMMER) == "19:00:00"
    zone("UTC")
    assert moment(SUMMER) == "2026-12-21 08:00:00 +00:00"


@pytest.mark.parametrize("name", ["Nowhere/Atlantis", "../etc/passwd", "Europe"])
def test_a_zone_that_there_is_not_is_passed_over(
    zone: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("feltd.text.zone.os.path.realpath", lambda _: "/etc/localtime")
    zone(name)
    assert zone_name() == UNNAMED


def test_the_zone_is_the_one_that_the_controller_is_set_to(
    zone: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feltd.text.zone.os.path.realpath", lambda _: "/usr/share/zoneinfo/Europe/Vienna")
    zone("")
    assert zone_name() == "Europe/Vienna"


def test_the_tables_file_chooses_zone_and_clock(zone: Callable[[str], None]) -> None:
    zone("UTC")
    choose("Australia/Melbourne", twelve_hours=True)
    try:
        assert (zone_name(), hours()) == ("Australia/Melbourne", 12)
        assert moment(SUMMER) == "2026-12-21 07:00:00 pm +11:00"
        assert [clock(SUMMER + 3600.0 * later) for later in (5, 6, 17)] == ["12:00:00 am", "01:00:00 am", "12:00:00 pm"]
    finally:
        choose(None, twelve_hours=False)
    assert (zone_name(), hours()) == ("UTC", 24)
