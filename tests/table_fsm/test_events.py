"""Events on the line: each reads back as it was written; each kind of bad line is refused by what is wrong with it."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_fsm.errors import EventSyntaxError, UnknownEventError
from table_fsm.events import (
    BY_NAME,
    EVENT_TYPES,
    FIELDS,
    CardPlaced,
    Event,
    SeatIn,
    TableOpen,
    Tick,
    event_to_dict,
    parse_event,
    parse_with_unknown,
)

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine too
WHOLE: list[dict[str, Any]] = [
    {"ev": "table.open", "rulebook": "b", "seats": [1, 2], "options": {"burn": 1, "blinds": [1, 2]}, "button": 3},
    {"ev": "table.close"},
    {"ev": "seat.in", "seat": 1},
    {"ev": "seat.out", "seat": 1},
    {"ev": "seat.away", "seat": 1},
    {"ev": "seat.back", "seat": 1},
    {"ev": "stack", "seat": 1, "cents": 5},
    {"ev": "penalty", "seat": 1, "hands": 2, "orbits": 1},
    {"ev": "badge", "staff": "s", "role": "supervisor"},
    {
        "ev": "supervisor",
        "decision": "overrule",
        "staff": "s",
        "ruling": 3,
        "outcome": "misdeal",
        "reason": "r",
        "seat": 2,
        "alarm": "jam",
        "device": "shoe",
        "minutes": 30,
        "deck": "blue",
        "devices": ["shoe"],
        "until": 4.5,
        "cleared": True,
    },
    {"ev": "device.state", "device": "shoe", "online": False, "reason": "r"},
    {"ev": "zone.state", "device": "reader:board", "zone": "board:1", "trouble": "chip"},
    {"ev": "test.mode", "on": True},
    {"ev": "tick"},
    {"ev": "counts.lost"},
    {"ev": "shoe.deck_checked", "count": 52, "deck": "blue", "missing": ["As"], "foreign": ["Jo"], "duplicate": ["2c"]},
    {"ev": "deck.changed", "deck": "red"},
    {"ev": "shoe.shuffled", "deck": "red", "count": 52},
    {"ev": "cut", "by": "seat:1", "depth": 4, "exposed": 0},
    {"ev": "cut.offered", "to": "seat:1"},
    {"ev": "shoe.card", "card": "As", "face": "up", "deck": "blue", "pack": "blue-1"},
    {"ev": "shoe.fault", "kind": "jam", "deck": "blue"},
    {"ev": "shoe.cleared", "kind": "jam", "deck": "blue"},
    {"ev": "card.placed", "zone": "seat:1", "card": "As", "face": "down", "deck": "blue", "pack": "blue-1"},
    {"ev": "card.turned", "zone": "seat:1", "card": "As", "face": "up"},
    {"ev": "card.exposed", "zone": "seat:1", "card": "As", "by": "player"},
    {"ev": "card.removed", "zone": "seat:1", "card": "As"},
    {"ev": "card.left_table", "zone": "seat:1", "card": "As", "by": "player"},
    {"ev": "stub.shuffled", "count": 40},
    {"ev": "hand.looked", "seat": 1},
    {"ev": "hand.shown", "seat": 1},
    {"ev": "marker.placed", "marker": "button", "seat": 1},
    {"ev": "button.draw"},
    {"ev": "deal.start"},
    {"ev": "wager", "seat": 1, "box": "ante", "cents": 0, "marker": True},
    {"ev": "action", "seat": 1, "action": "bet", "cents": 5},
    {"ev": "betting.closed"},
    {"ev": "draw", "seat": 1, "count": 2},
    {"ev": "run_twice"},
    {"ev": "floor.called", "by": "seat:2"},
    {"ev": "clock.called", "seat": 1, "by": "seat:2"},
    {"ev": "clock.start", "seat": 1},
    {"ev": "clock.stop", "seat": 1},
    {"ev": "pot", "cents": 5, "pot": 2},
    {"ev": "hand.end"},
    {"ev": "dropbox.chip", "cents": 5},
    {"ev": "dropbox.state", "present": True, "locked": False},
    {"ev": "float.commission", "cents": 5},
    {"ev": "float.colour_change", "cents": 5},
    {"ev": "tournament.clock", "running": True, "elapsed": 2.5},
    {"ev": "tournament.hand_for_hand", "on": True},
    {"ev": "tournament.go"},
    {"ev": "race.start", "chip": 25, "new_chip": 100, "odd": {"3": 2}, "last": [3]},
    {"ev": "tournament.field", "entrants": 80, "remaining": 23},
    {"ev": "tournament.moves", "comes": [5], "goes": [2, 3], "waits": 5},
    {"ev": "seat.entry", "seat": 3, "entry": 17, "nth": 2, "cents": 90000, "rebuys": 1, "add_ons": 1},
    {"ev": "seat.conduct", "seat": 3, "entry": 17, "order": 2, "left": 3, "imposed": 4, "banks": 1, "absent": True},
    {"ev": "tournament.placed", "entry": 17, "first": 4, "last": 5},
    {"ev": "tournament.race", "chip": 25, "new_chip": 100},
]
"""Every event with every field."""


def line(**raw: Any) -> str:
    return json.dumps(raw)


def problem(text: str | bytes) -> str:
    with pytest.raises(EventSyntaxError) as caught:
        parse_event(text)
    return str(caught.value)


# -- there and back


def test_every_event_and_every_field_is_shown_here() -> None:
    assert [raw["ev"] for raw in WHOLE] == list(BY_NAME)
    for raw in WHOLE:
        assert {"t", *raw} == set(FIELDS[BY_NAME[raw["ev"]]])


@pytest.mark.parametrize("raw", WHOLE, ids=lambda raw: raw["ev"])
def test_an_event_is_written_as_it_was_read(raw: dict[str, Any]) -> None:
    text = line(t=1.5, **raw)
    event = parse_event(text)
    assert type(event) is BY_NAME[raw["ev"]]
    assert event_to_dict(event) == {"t": 1.5, **raw}
    assert list(event_to_dict(event))[:2] == ["t", "ev"]
    assert parse_event(json.dumps(event_to_dict(event))) == event
    assert parse_with_unknown(text) == (event, ())


@pytest.mark.parametrize("raw", WHOLE, ids=lambda raw: raw["ev"])
def test_a_field_of_the_wrong_type_is_named(raw: dict[str, Any]) -> None:
    for name in raw:
        if name != "ev":
            told = problem(line(t=1.5, **{**raw, name: {"no": {"such": None}}}))
            assert told.startswith(raw["ev"] + ": ")
            assert f"`{name}" in told


def test_what_may_be_left_out_has_its_usual_meaning() -> None:
    event = parse_event('{"t": 0, "ev": "card.placed", "zone": "seat:1"}')
    assert event == CardPlaced(t=0.0, zone="seat:1", card=None, face="down", deck=None)
    assert event_to_dict(event) == {"t": 0.0, "ev": "card.placed", "zone": "seat:1", "face": "down"}


def test_bytes_are_read_as_text() -> None:
    assert parse_event(b'{"t": 1, "ev": "tick"}') == Tick(t=1.0)


def test_events_are_facts_and_do_not_change() -> None:
    event = parse_event('{"t": 1, "ev": "tick"}')
    with pytest.raises(AttributeError):
        event.t = 2.0  # type: ignore[misc]  # the point of this test


def test_two_openings_do_not_share_their_options() -> None:
    one, two = (TableOpen(t=0.0, rulebook="b", seats=[]) for _ in "12")
    one.options["burn"] = 1
    assert two.options == {}


ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


@UNHURRIED
@given(st.sampled_from(EVENT_TYPES), st.data())
def test_a_line_of_an_event_s_fields_is_an_event_or_names_its_fault(kind: type[Event], data: st.DataObject) -> None:
    raw = {name: data.draw(ANY) for name in FIELDS[kind] if name != "ev" and data.draw(st.booleans())}
    raw["ev"] = kind.__dataclass_fields__["ev"].default
    try:
        event = parse_event(json.dumps(raw))
    except EventSyntaxError:
        return
    assert type(event) is kind
    assert parse_event(json.dumps(event_to_dict(event))) == event


@UNHURRIED
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60), ANY.map(json.dumps)))
def test_whatever_the_line_it_is_an_event_or_a_named_fault(text: str | bytes) -> None:
    with pytest.raises((EventSyntaxError, UnknownEventError)):
        parse_event(text)


# -- bad lines


@pytest.mark.parametrize("text", ["", "{", "tick", '{"t": 1, "ev": "tick"} x', b"\xff\xfe", "[1"])
def test_what_is_no_json_says_where(text: str | bytes) -> None:
    assert problem(text).startswith("not JSON: ")


@pytest.mark.parametrize("text", ["1", '"tick"', "null", '[{"t": 1, "ev": "tick"}]'])
def test_what_is_no_object_says_how_an_event_is_written(text: str) -> None:
    assert problem(text) == 'not a JSON object: an event is written {"t": seconds, "ev": name, …}'


@pytest.mark.parametrize("t", [None, "1", True, [1], float("nan"), float("inf"), float("-inf")])
def test_a_time_that_is_no_number_of_seconds(t: Any) -> None:
    assert problem(line(t=t, ev="tick")) == "`t` must be a number of seconds"


def test_a_missing_time() -> None:
    assert problem('{"ev": "tick"}') == "`t` must be a number of seconds"


@pytest.mark.parametrize("raw", [{}, {"ev": None}, {"ev": 3}])
def test_a_missing_name(raw: dict[str, Any]) -> None:
    assert problem(line(t=1, **raw)) == "`ev` must be the event's name"


def test_an_unknown_event_keeps_its_time_for_the_answer() -> None:
    with pytest.raises(UnknownEventError, match=r"unknown event 'card\.plaecd': see the list of events") as caught:
        parse_event('{"t": 3, "ev": "card.plaecd", "zone": 4}')
    assert (caught.value.t, caught.value.ev) == (3.0, "card.plaecd")


def test_every_fault_of_a_line_is_told_at_once() -> None:
    told = problem(line(t=1, ev="wager", seat="one", cents=1.5))
    assert told.startswith("wager: ")
    assert all(f"`{name}`" in told for name in ("seat", "box", "cents"))


@pytest.mark.parametrize("cents", [1.0, "100", True, None])
def test_money_is_whole_cents(cents: Any) -> None:
    assert "`cents`" in problem(line(t=1, ev="dropbox.chip", cents=cents))


def test_a_fault_within_a_list_says_at_which_place() -> None:
    assert "`seats.1`" in problem(line(t=1, ev="table.open", rulebook="b", seats=[1, "2"]))


# -- fields of a newer writer


def test_unknown_fields_are_named_and_do_not_make_a_line_bad() -> None:
    text = line(t=1, ev="tick", mood="good", colour=3)
    assert parse_event(text) == Tick(t=1.0)
    assert parse_with_unknown(text) == (Tick(t=1.0), ("mood", "colour"))
    assert parse_with_unknown('{"t":1,"x":0,"ev":"seat.in","y":0,"seat":2}') == (SeatIn(t=1.0, seat=2), ("x", "y"))


def test_a_fault_beside_an_unknown_field_is_what_is_told() -> None:
    with pytest.raises(EventSyntaxError, match="seat"):
        parse_with_unknown('{"t":1,"ev":"seat.in","seat":"2","y":0}')
