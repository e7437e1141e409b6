"""What the operating system says of itself, in the reader's language with the original behind it."""

import ctypes
import errno
import os

import pytest

from feltd.text.catalogue import catalogue, device_fault, refusal, trouble
from feltd.text.language import Language, speaking

LOOK_UPS = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -10)
"""Of a name's look-up, as glibc's `netdb.h` numbers what went wrong: BADFLAGS to MEMORY."""


def look_up_in_words(number: int) -> str:
    """What glibc says of it: Python does not ask, and would wait for a name server to be told."""
    said = ctypes.CDLL(None).gai_strerror
    said.restype = ctypes.c_char_p
    return str(said(number).decode())


@pytest.mark.parametrize("number", sorted(set(errno.errorcode) - {errno.ETOOMANYREFS}))  # its colon ends a place
def test_each_text_of_the_system_has_our_words_and_its_own_behind_them(number: int) -> None:
    said = os.strerror(number)
    words = catalogue(Language.GERMAN, "faults")["system"][said]
    with speaking(Language.GERMAN):
        assert refusal(str(OSError(number, said))) == f"{words} [{said}]"
        told = device_fault(f"/dev/serial/by-id/x: cannot be read ({said}): is it unplugged?")
        assert told == f"/dev/serial/by-id/x: nicht lesbar ({words} [{said}]): ist es ausgesteckt?"
    assert refusal(said) == device_fault(said) == said


@pytest.mark.parametrize("number", LOOK_UPS)
def test_each_text_of_a_look_up_has_our_words_too(number: int) -> None:
    said = look_up_in_words(number)
    words = catalogue(Language.GERMAN, "faults")["system"][said]
    with speaking(Language.GERMAN):
        assert refusal(f"floor: [Errno {number}] {said}") == f"floor: {words} [{said}]"


def test_it_is_found_in_what_was_filled_in_and_nothing_else_changes() -> None:
    with speaking(Language.GERMAN):
        assert trouble("disk: /srv cannot be looked at (Permission denied): see `disk` in floor.toml").endswith(
            "/srv ist nicht einsehbar (kein Zugriff [Permission denied]): siehe `disk` in floor.toml"
        )
        assert refusal("Zermission deniedly") == "Zermission deniedly"
