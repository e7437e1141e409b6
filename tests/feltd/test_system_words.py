"""What the operating system says of itself, in the reader's language with the original behind it."""

import errno
import os

import pytest

from feltd.text.catalogue import catalogue, device_fault, refusal, trouble
from feltd.text.language import Language, speaking

NAMED = (
    errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EROFS,
    errno.EIO, errno.EBUSY, errno.EAGAIN, errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EMFILE, errno.EPIPE,
    errno.ECONNREFUSED, errno.ECONNRESET, errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH,
)  # fmt: skip
"""The frequent ones: gone, not allowed, full, busy, unplugged, no answer."""


@pytest.mark.parametrize("number", NAMED)
def test_a_frequent_text_of_the_system_has_our_words_and_its_own_behind_them(number: int) -> None:
    said = os.strerror(number)
    words = catalogue(Language.GERMAN, "faults")["system"][said]
    with speaking(Language.GERMAN):
        assert refusal(str(OSError(number, said))) == f"{words} [{said}]"
        told = device_fault(f"/dev/serial/by-id/x: cannot be read ({said}): is it unplugged?")
        assert told == f"/dev/serial/by-id/x: nicht lesbar ({words} [{said}]): ist es ausgesteckt?"
    assert refusal(said) == device_fault(said) == said


def test_it_is_found_in_what_was_filled_in_and_nothing_else_changes() -> None:
    with speaking(Language.GERMAN):
        assert trouble("disk: /srv cannot be looked at (Permission denied): see `disk` in floor.toml").endswith(
            "/srv ist nicht einsehbar (kein Zugriff [Permission denied]): siehe `disk` in floor.toml"
        )
        assert refusal("Zermission deniedly") == "Zermission deniedly"
