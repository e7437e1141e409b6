"""The streams that lead to a moment: a real break, and a first fault that was put right before the second."""

import pytest

from feltd.books.moments.again import to_the_same_again
from feltd.books.moments.all_moments import all_moments
from feltd.books.moments.cell import Stage
from feltd.books.moments.croupier import Croupier
from feltd.books.moments.fault import Fault
from feltd.books.moments.faults.all_faults import BY_KEY
from feltd.books.moments.moment import Absent, Moment
from feltd.books.moments.scene import CannotError, Scene
from feltd.books.moments.setting import Setting
from feltd.books.moments.stream import Stream
from table_fsm.view.shapes import TournamentView
from tests.table_fsm.streams import HOLDEM, UTH, books

STAR = "star-2025-holdem"
STUD = "act-2001-stud7"


def moments(book: str, prefix: str) -> list[Moment]:
    found = all_moments(Setting(books()[book]), books())
    return [moment for moment in found if isinstance(moment, Moment) and moment.name.startswith(prefix)]


def moment(book: str, name: str) -> Moment:
    return next(one for one in moments(book, name) if one.name == name)


def shown(book: str, name: str, fault: str) -> str:
    return Stage(moment(book, name), books()).run(BY_KEY[fault]).shown


def tournament(stream: Stream) -> TournamentView:
    view = stream.table.view()["tournament"]
    assert view is not None
    return view


def test_a_break_is_one_of_the_schedule_with_the_clock_running() -> None:
    found = moments(STAR, "break/")
    assert {"break/deal.1", "break/cut-before/deal.last"} <= {one.name for one in found}
    for one in found:
        stream = Stream.after(one.setting, books(), one.done)
        assert tournament(stream)["running"]
        assert tournament(stream)["break_left"], one.name
        assert not stream.told, one.name


def test_a_deal_in_the_break_is_ruled_on_and_one_cut_before_it_is_none() -> None:
    assert shown(STAR, "break/deal.1", "not_released.break") == "4 call_floor"
    assert shown(STAR, "break/cut-before/deal.1", "not_released.break").endswith("the deal was begun before the break")


def test_the_croupier_deals_once_the_break_is_over() -> None:
    one = moment(STAR, "break/deal.1")
    stream = Stream.after(one.setting, books(), one.done)
    Croupier(stream).step()
    assert not tournament(stream)["break_left"]
    assert stream.layout.zones
    assert not stream.told


def test_a_book_without_breaks_has_no_moment_in_one() -> None:
    found = [one for one in all_moments(Setting(books()[HOLDEM]), books()) if one.name.startswith("break/")]
    assert [type(one) for one in found] == [Absent]


def twice(one: Moment, fault: Fault) -> tuple[list[object], list[object]] | None:
    """What the first fault and the second one name; None where there is no second, or a shuffle between."""
    stream = Stream.after(one.setting, books(), one.done)
    scene = Scene.of(stream)
    try:
        first = to_the_same_again(scene, fault.make)
        at = len(stream.done)
        fault.make(scene)
    except CannotError:
        return None
    both = first, stream.done[at:]
    named, again = ([(deed["ev"], deed.get("card"), deed.get("seat")) for deed in deeds] for deeds in both)
    return (list(named), list(again)) if first else None


@pytest.mark.parametrize("book", [HOLDEM, UTH, STUD])
@pytest.mark.parametrize(
    "fault", ["hole_exposed.lying", "player_exposed", "card_left_table.dealer", "wager_after_deal.more"]
)
def test_the_second_fault_is_of_another_card_or_box(book: str, fault: str) -> None:
    compared = [twice(one, BY_KEY[fault]) for one in moments(book, "again/")]
    pairs = [pair for pair in compared if pair is not None]
    assert pairs or (fault == "wager_after_deal.more") == (book != UTH)
    for first, second in pairs:
        assert not set(first) & set(second)


@pytest.mark.parametrize("book", [HOLDEM, STUD])
def test_nothing_of_the_first_fault_lies_there_when_the_second_comes(book: str) -> None:
    seen = 0
    for one in moments(book, "again/deal"):
        stream = Stream.after(one.setting, books(), one.done)
        scene = Scene.of(stream)
        try:
            to_the_same_again(scene, BY_KEY["extra_hand"].make)
        except CannotError:
            continue
        seen += 1
        assert set(stream.layout.seats()) <= set(scene.seats), one.name
    assert seen


def test_a_shoe_that_does_not_answer_tells_nothing() -> None:
    one = moment(HOLDEM, "deal.1b")
    stream = Stream.after(one.setting, books(), one.done)
    stream.do("device.state", device="shoe", online=False)
    told = len(stream.deeds)
    stream.do("shoe.card", card=stream.layout.draw(), face="down", deck=stream.deck)
    assert len(stream.deeds) == told
    Croupier(stream).step()
    assert [deed["ev"] for deed in stream.deeds[told:]] == ["device.state", "shoe.card", "card.placed"]


def test_who_acts_out_of_turn_owes_their_own() -> None:
    one = moment(HOLDEM, "pre_flop.begun")
    scene = Scene.of(Stream.after(one.setting, books(), one.done))
    posts = {int(seat): int(cents) for seat, cents in scene.view["posts"].items()}
    assert posts
    acted = {deed["seat"] for deed in scene.stream.done if deed["ev"] == "action" and deed["action"] == "call"}
    owed = {seat: scene.owed_by(seat) for seat in scene.live}
    assert owed == {seat: 0 if seat in acted else max(posts.values()) - posts.get(seat, 0) for seat in scene.live}
