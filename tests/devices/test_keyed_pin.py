"""Digits keyed at a badge reader belong to the card before them, and are forgotten soon."""

import pytest

from devices.adapters.keyed_pin import FORGOTTEN_AFTER, KeyedPin
from devices.limits import PIN_MAX, UNREADABLE


class Keypad:
    """A keypad under a clock of the test's own."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pin = KeyedPin(lambda: self.now)


def test_digits_one_by_one_or_together_are_one_message_with_the_card() -> None:
    at = Keypad()
    at.pin.card("S1")
    assert [at.pin.keyed(bytes([key])) for key in b"7095"] == [None] * 4
    assert at.pin.keyed(b"1#") == {"ev": "badge", "staff": "S1", "pin": "70951"}
    assert at.pin.keyed(b"\x0d") is None, "said once"


def test_a_key_takes_all_back() -> None:
    at = Keypad()
    at.pin.card("S1")
    assert at.pin.keyed(b"9999\x7f7095\x0d") == {"ev": "badge", "staff": "S1", "pin": "7095"}


@pytest.mark.parametrize(
    "keys", [b"709#", b"7" * (PIN_MAX + 1) + b"#", b"7" * 500 + b"#", b"70a51#", b"\xb2\xb3\xb9\xb2#", b"#"]
)
def test_what_is_no_pin_is_dropped(keys: bytes) -> None:
    at = Keypad()
    at.pin.card("S1")
    assert at.pin.keyed(keys) is None


def test_digits_without_a_card_too_late_or_after_one_that_was_not_read_are_dropped() -> None:
    at = Keypad()
    assert at.pin.keyed(b"70951#") is None
    at.pin.card("S1")
    at.now += FORGOTTEN_AFTER + 0.1
    assert at.pin.keyed(b"70951#") is None
    at.pin.card(UNREADABLE)
    assert at.pin.keyed(b"70951#") is None


def test_another_card_takes_the_digits_of_the_one_before() -> None:
    at = Keypad()
    at.pin.card("S1")
    at.pin.keyed(b"7095")
    at.pin.card("S2")
    assert at.pin.keyed(b"1#") is None


def test_digits_that_are_not_sent_off_are_kept_no_longer_than_said() -> None:
    at = Keypad()
    at.pin.card("S1")
    at.pin.keyed(b"70951")
    at.now += FORGOTTEN_AFTER
    at.pin.tick()
    assert "70951" in vars(at.pin).values()
    at.now += 0.1
    at.pin.tick()
    assert "70951" not in vars(at.pin).values()
    at.pin.keyed(b"70951")
    assert "70951" not in vars(at.pin).values(), "digits that belong to no card are not kept at all"
    assert at.pin.keyed(b"#") is None


def test_a_card_that_was_not_read_takes_the_digits_of_the_one_before() -> None:
    at = Keypad()
    at.pin.card("S1")
    at.pin.keyed(b"70")
    at.pin.nobody()
    assert at.pin.keyed(b"951#") is None


def test_the_same_card_held_again_gives_time_anew_and_another_one_does_not() -> None:
    at = Keypad()
    at.pin.card("S1")
    at.now += FORGOTTEN_AFTER - 1.0
    at.pin.held("S1")
    at.now += 2.0
    assert at.pin.keyed(b"70951#") == {"ev": "badge", "staff": "S1", "pin": "70951"}
    at.pin.held("S2")
    at.now += FORGOTTEN_AFTER
    assert at.pin.keyed(b"70951#") is None
