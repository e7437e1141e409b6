"""Two faults told by two devices at once: which device tells first is chance, and does not matter to the ruling."""

from itertools import combinations

import pytest

from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.fault import Make
from feltd.books.moments.faults.all_faults import BY_KEY
from feltd.books.moments.moment import Moment
from feltd.books.moments.scene import CannotError, Scene
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from tests.table_fsm.streams import HOLDEM, UTH, books

BY_DEVICE = {
    "the drop box": BY_KEY["dropbox_unsafe.unlocked"].make,
    "the shoe": BY_KEY["shoe_malfunction.lid_open"].make,
    "the link of the shoe": BY_KEY["shoe_unavailable.shoe"].make,
    "the reader of a seat": BY_KEY["hole_exposed.lying"].make,
    "the reader of the burn": BY_KEY["burn_exposed.lying"].make,
    "the reader of the dealer's hand": BY_KEY["dealer_hand_exposed.lying"].make,
    "the count of the chips": BY_KEY["commission_mismatch.chip"].make,
}
"""A fault of one event for each device, which another cannot bring about or prevent."""
ENDS = frozenset({"misdeal", "void_round"})


def told(moment: Moment, *makes: Make) -> set[tuple[str, str, str, int | None]] | None:
    """What is ruled where these happen in this order; None where one of them cannot, or where the round is ended."""
    stream = Stream.after(moment.setting, books(), moment.done)
    try:
        for make in makes:
            make(Scene.of(stream))
    except CannotError:
        return None
    if any(ruling.outcome in ENDS for ruling in stream.rulings):
        return None
    return {(r.irregularity, r.rule, r.outcome, r.seat) for r in stream.rulings}


@pytest.mark.parametrize("book", [HOLDEM, UTH, "onyx-cash", "act-2001-omaha", "tas-2018-stud5"])
def test_which_of_two_devices_tells_first_does_not_matter(book: str) -> None:
    compared, unlike = 0, []
    for moment in all_moments(Setting(books()[book]), books()):
        if not isinstance(moment, Moment) or "/" in moment.name:
            continue
        for (one, first), (two, second) in combinations(BY_DEVICE.items(), 2):
            ahead, behind = told(moment, first, second), told(moment, second, first)
            compared += ahead is not None
            if ahead != behind:
                unlike.append((moment.name, one, two, ahead, behind))
    assert compared > 30
    assert not unlike
