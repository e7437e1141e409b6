"""Every kind of message of every driver: the good ones become their event, the bad ones are named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.drivers.base import Driver
from devices.drivers.keys import ALL_PARTS
from devices.drivers.registry import ROLES, driver_for
from devices.drivers.status import read_status
from devices.errors import DeviceMessageError, DeviceSettingsError, UnknownRoleError
from table_fsm import events as ev
from table_fsm.events import event_to_dict, parse_event
from table_fsm.felt import CARDS
from tests.devices.messages import GOOD, SETTINGS, Good, T

HOST_ONLY = {
    "table.open", "table.close", "device.state", "zone.state", "tick", "counts.lost", "tournament.field",
    "tournament.moves", "seat.entry", "seat.conduct", "tournament.placed", "tournament.race",
}  # fmt: skip
"""Events that no device causes: the host opens and closes the table, minds links and time, and hears the floor."""


def make(role: str, **settings: Any) -> Driver[Any]:
    return driver_for(role)(f"{role}:1", {**SETTINGS[role], **settings})


@pytest.mark.parametrize("good", GOOD, ids=lambda good: f"{good.role}-{good.body['ev']}")
def test_a_good_message_becomes_its_event(good: Good) -> None:
    assert make(good.role).events(good.body, T) == [good.event]


@pytest.mark.parametrize("good", GOOD, ids=lambda good: f"{good.role}-{good.body['ev']}")
def test_every_event_a_driver_makes_is_one_the_table_reads(good: Good) -> None:
    assert parse_event(json.dumps(event_to_dict(good.event))) == good.event


def test_every_table_event_that_hardware_can_cause_is_reachable() -> None:
    assert {good.event.ev for good in GOOD} == {name for name in ev.BY_NAME if name not in HOST_ONLY}


@pytest.mark.parametrize("role", ROLES)
def test_the_good_messages_cover_every_event_of_a_driver(role: str) -> None:
    assert {good.body["ev"] for good in GOOD if good.role == role} == set(make(role).event_names)


@pytest.mark.parametrize("role", ROLES)
def test_messages_md_names_every_event_of_a_driver(role: str) -> None:
    text = Path("devices/MESSAGES.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {role}\n")[2].partition("\n## ")[0]
    missing = [name for name in make(role).event_names if f"`{name}`" not in section]
    assert section
    assert missing == []


def test_messages_md_says_what_parts_and_decks_do() -> None:
    text = " ".join(Path("devices/MESSAGES.md").read_text(encoding="utf-8").split())
    assert ", ".join(f"`{part}`" for part in ALL_PARTS) in text
    keys, any_part = driver_for("keys")("keys", {"parts": ["deal"]}), driver_for("keys")("keys", {})
    assert keys.events({"ev": "deal_start"}, 1.0)
    assert any_part.events({"ev": "seat_in", "seat": 1}, 1.0)
    with pytest.raises(DeviceMessageError):
        keys.events({"ev": "seat_in", "seat": 1}, 1.0)
    assert "`settings.decks`" in text
    shoe, any_deck = driver_for("shoe")("shoe", {"decks": ["blue"]}), driver_for("shoe")("shoe", {"decks": []})
    for body in ({"ev": "shuffled"}, {"ev": "shuffled", "deck": "blue"}):
        assert shoe.events(body, 1.0)
    assert any_deck.events({"ev": "shuffled", "deck": "red"}, 1.0)
    with pytest.raises(DeviceMessageError, match="not one of this device's decks"):
        shoe.events({"ev": "shuffled", "deck": "red"}, 1.0)


@pytest.mark.parametrize("good", GOOD, ids=lambda good: f"{good.role}-{good.body['ev']}")
def test_every_key_of_a_message_is_checked(good: Good) -> None:
    """A value of no possible kind in any key is refused, naming device and key."""
    driver = make(good.role)
    for key in good.body:
        if key == "ms" or key.startswith("x_"):
            continue
        with pytest.raises(DeviceMessageError) as refused:
            driver.events({**good.body, key: object()}, T)
        assert refused.value.device == f"{good.role}:1"
        assert refused.value.field == key
        assert refused.value.remedy


@pytest.mark.parametrize("good", GOOD, ids=lambda good: f"{good.role}-{good.body['ev']}")
def test_a_key_that_nobody_reads_is_refused(good: Good) -> None:
    with pytest.raises(DeviceMessageError, match="a key that this message does not have"):
        make(good.role).events({**good.body, "colour": 1}, T)


BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("shoe", {"ev": "shuffled", "count": -1}, "count"),
    ("shoe", {"ev": "shuffled", "count": True}, "count"),
    ("shoe", {"ev": "shuffled", "count": 256}, "count"),
    ("shoe", {"ev": "shuffled", "deck": "blue\n"}, "deck"),
    ("shoe", {"ev": "card_out", "face": "down"}, "card"),
    ("shoe", {"ev": "card_out", "card": "1s", "face": "down"}, "card"),
    ("shoe", {"ev": "card_out", "card": "As"}, "face"),
    ("shoe", {"ev": "fault", "kind": "fire"}, "kind"),
    ("shoe", {"ev": "deck_checked", "count": 52, "missing": [None]}, "missing"),
    ("shoe", {"ev": "deck_checked", "count": 52, "missing": ["As"] * 61}, "missing"),
    ("shoe", {"ev": "cut", "by": "seat:11"}, "by"),
    ("reader", {"ev": "placed", "zone": "seat:5", "card": "As", "face": "down"}, "zone"),
    ("reader", {"ev": "placed", "zone": "seat:0", "card": "As", "face": "down"}, "zone"),
    ("reader", {"ev": "looked", "zone": "board:1"}, "zone"),
    ("reader", {"ev": "exposed", "zone": "seat:3", "card": "As", "by": "nobody"}, "by"),
    ("markers", {"ev": "placed", "marker": "hat", "seat": 1}, "marker"),
    ("markers", {"ev": "placed", "marker": "buck", "seat": 11}, "seat"),
    ("markers", {"ev": "placed", "marker": "buck", "seat": 1.0}, "seat"),
    ("dropbox", {"ev": "chip", "cents": 0}, "cents"),
    ("dropbox", {"ev": "chip", "cents": 10**13}, "cents"),
    ("dropbox", {"ev": "box", "present": 1, "locked": True}, "present"),
    ("keys", {"ev": "action", "seat": 2, "action": "cheat"}, "action"),
    ("keys", {"ev": "action", "seat": 2, "action": "call", "cents": -1}, "cents"),
    ("keys", {"ev": "penalty", "seat": 2}, "hands"),
    ("keys", {"ev": "penalty", "seat": 2, "hands": 1, "orbits": 1}, "hands"),
    ("keys", {"ev": "decision", "decision": "overrule", "outcome": "Play On"}, "outcome"),
    ("keys", {"ev": "decision", "decision": "resume", "reason": "\x1b\x07"}, "reason"),
    ("keys", {"ev": "tournament_clock", "running": True, "elapsed": float("nan")}, "elapsed"),
    ("keys", {"ev": "race_start", "chip": 1, "new_chip": 5, "odd": {"11": 1}}, ""),
    ("keys", {"ev": "race_start", "chip": 1, "new_chip": 5, "odd": {}, "last": [0]}, "last"),
    ("badge", {"ev": "badge", "staff": "S-7"}, "role"),
    ("badge", {"ev": "badge", "staff": "S-7", "role": "cook"}, "role"),
    ("indicators", {"ev": "pressed"}, "ev"),
    ("keys", {"ev": "reboot"}, "ev"),
    ("keys", {}, "ev"),
    ("keys", {"ev": ["deal_start"]}, "ev"),
)


@pytest.mark.parametrize(("role", "body", "field"), BAD)
def test_a_bad_message_is_named(role: str, body: dict[str, Any], field: str) -> None:
    with pytest.raises(DeviceMessageError) as refused:
        make(role).events(body, T)
    assert refused.value.field == field


def test_a_device_speaks_of_its_own_place_only() -> None:
    reader = make("reader", zones=["seat:3"])
    with pytest.raises(DeviceMessageError, match=r"seat:5 is not a zone of this device, which has seat:3"):
        reader.events({"ev": "placed", "zone": "seat:5", "card": "As", "face": "down"}, T)
    with pytest.raises(DeviceMessageError, match="seat 5 is not one this device serves"):
        make("keys", seats=[1, 2]).events({"ev": "seat_in", "seat": 5}, T)
    with pytest.raises(DeviceMessageError, match="not one of this device's decks"):
        make("shoe", decks=["blue"]).events({"ev": "shuffled", "deck": "green"}, T)
    with pytest.raises(DeviceMessageError, match="no chip of this table"):
        make("dropbox", chips=[100, 500]).events({"ev": "chip", "cents": 250}, T)


def test_a_part_that_is_not_there_cannot_speak() -> None:
    with pytest.raises(DeviceMessageError, match="has no such event"):
        make("keys", parts=["deal"]).events({"ev": "seat_in", "seat": 5}, T)
    with pytest.raises(DeviceMessageError, match="has no such event"):
        make("reader", zones=["seat:3"], look=False).events({"ev": "looked", "zone": "seat:3"}, T)
    for body in ({"ev": "turned", "face": "up"}, {"ev": "exposed", "by": "dealer"}):
        with pytest.raises(DeviceMessageError, match=str(body["ev"])):
            make("reader", zones=["seat:3"], faces=False).events({**body, "zone": "seat:3", "card": "As"}, T)


def test_a_decision_needs_a_name_behind_it() -> None:
    with pytest.raises(DeviceMessageError, match="nobody's staff card"):
        make("keys", key_switch=None).events({"ev": "decision", "decision": "resume"}, T)


def test_the_tables_list_of_staff_says_who_is_who() -> None:
    badge = make("badge", staff={"S-7": "supervisor"})
    assert badge.events({"ev": "badge", "staff": "S-7"}, T) == [ev.Badge(t=T, staff="S-7", role="supervisor")]
    with pytest.raises(DeviceMessageError, match="names no role, and the settings do not list it"):
        badge.events({"ev": "badge", "staff": "S-8"}, T)
    other = {"ev": "badge", "staff": "S-8", "role": "supervisor"}
    assert badge.events(other, T) == [ev.Badge(t=T, staff="S-8", role="supervisor")], "the table's own list says more"
    with pytest.raises(DeviceMessageError, match="the table's list says supervisor"):
        badge.events({"ev": "badge", "staff": "S-7", "role": "director"}, T)


@given(card=st.sampled_from(sorted(CARDS)), field=st.sampled_from(["zone", "face", "deck", "card", "by", "ev"]))
def test_an_error_never_names_a_card(card: str, field: str) -> None:
    """A card in a wrong place, or a wrong message about a card, is refused without saying which card."""
    body = {"ev": "placed", "zone": "seat:5", "card": card, "face": "down", "extra": card, field: card}
    with pytest.raises(DeviceMessageError) as refused:
        make("reader").events(body, T)
    assert card not in str(refused.value).replace("seat:3", "").replace("MESSAGES.md", "")
    assert refused.value.__context__ is None


def test_a_devices_clock_is_not_used() -> None:
    assert make("keys").events({"ev": "deal_start", "ms": 10**18}, T)[0].t == T
    with pytest.raises(ValueError, match="finite"):
        make("keys").events({"ev": "deal_start"}, float("inf"))


X = TypeVar("X")


def attempt(read: Callable[[], list[X]]) -> tuple[list[X], DeviceMessageError | None]:
    """What was read, or the one error that may come instead."""
    try:
        return read(), None
    except DeviceMessageError as error:
        return [], error


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=8)
    | st.sampled_from(["seat:3", "board:1", "As", "down", "up", "dealer", "blue", "call", "button", 3, 100, "resume"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=4),
    max_leaves=10,
)
names = st.sampled_from(sorted({good.body["ev"] for good in GOOD}))
keys = st.sampled_from(sorted({key for good in GOOD for key in good.body})) | st.text(max_size=6) | st.integers()


@given(role=st.sampled_from(ROLES), name=names | values, rest=st.dictionaries(keys, values, max_size=6))
def test_any_map_gives_events_or_a_named_error(role: str, name: Any, rest: dict[Any, Any]) -> None:
    driver = make(role)
    events, refusal = attempt(lambda: driver.events({**rest, "ev": name}, T))
    assert refusal is None or str(refusal).startswith(f"device {role}:1: message ")
    for event in events:
        driver.observe(event)
        assert event.t == T


@given(role=st.sampled_from(ROLES), base=st.sampled_from(GOOD), key=keys, value=values)
def test_a_good_message_spoilt_in_one_place_gives_events_or_a_named_error(
    role: str, base: Good, key: Any, value: Any
) -> None:
    try:
        events = make(base.role).events({**base.body, key: value}, T)
    except DeviceMessageError:
        return
    assert len(events) == 1


@given(role=st.sampled_from(ROLES), state=values | st.dictionaries(keys, values, max_size=5))
def test_any_state_gives_events_or_a_named_error(role: str, state: Any) -> None:
    events, refusal = attempt(lambda: make(role).state_events(state, T))
    assert refusal is None or refusal.message == "state"
    assert all(event.t == T for event in events)


@given(
    status=values
    | st.dictionaries(st.sampled_from(["up_ms", "mv", "temp", "free", "waiting", "note", "keypad"]), values)
)
def test_any_status_is_read_or_named(status: Any) -> None:
    found, refusal = attempt(lambda: [read_status("badge", status, of_badges=True)])
    assert refusal is None or refusal.message == "status"
    assert all(one.note is None or one.note.isprintable() for one in found)


def test_a_status_is_cleaned() -> None:
    found = read_status("shoe", {"up_ms": 1500, "mv": 4980, "temp": 312, "note": "hot\x1b[2J\r\n\u202etoh"})
    assert (found.uptime, found.millivolts, found.decidegrees, found.note) == (1.5, 4980, 312, "hot[2J toh")


def test_a_badge_reader_alone_says_in_its_status_whether_it_has_a_keypad() -> None:
    for said in ({"keypad": True}, {"keypad": False}, {"keypad": None}, {}):
        assert read_status("badge", said, of_badges=True).keypad is said.get("keypad")
    for of_badges, odd in ((False, True), (True, 1), (True, "yes")):
        with pytest.raises(DeviceMessageError, match="keypad"):
            read_status("badge", {"keypad": odd}, of_badges=of_badges)


def test_an_unknown_role_is_named() -> None:
    with pytest.raises(UnknownRoleError, match="shoe, reader, markers"):
        driver_for("croupier")


def test_settings_are_checked_all_at_once() -> None:
    with pytest.raises(DeviceSettingsError) as refused:
        driver_for("keys")("keys", {"parts": ["deal", "bar"], "seats": [0], "colour": "red"})
    assert {problem.split(":")[0] for problem in refused.value.problems} >= {
        "setting parts.1",
        "setting seats.0",
        "setting colour",
    }
    with pytest.raises(DeviceSettingsError, match="zones"):
        driver_for("reader")("reader", {"zones": ["seat:11"]})
    with pytest.raises(DeviceSettingsError, match="zones"):
        driver_for("reader")("reader", {})


@pytest.mark.parametrize("role", ROLES)
def test_a_driver_tells_its_settings(role: str) -> None:
    assert make(role).settings_dict().keys() >= SETTINGS[role].keys()


@pytest.mark.parametrize("good", GOOD, ids=lambda good: f"{good.role}-{good.body['ev']}")
@pytest.mark.parametrize("clock", [946_684_800_000, 1_420_070_400_000, 1_514_764_800_000, 0, -1, 2**63, 1.5, None])
def test_a_device_whose_clock_jumps_between_the_years_changes_no_time(good: Good, clock: float | None) -> None:
    """2000, 2015, 2018 and none at all: the host stamps what it takes."""
    assert make(good.role).events({**good.body, "ms": clock}, T) == [good.event]
