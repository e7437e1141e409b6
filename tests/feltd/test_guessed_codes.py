"""Codes of a second factor that are guessed at by somebody who has the password, from many addresses."""

import asyncio

import pytest

from feltd.page.access.factors import Proof
from feltd.page.access.guessed_codes import NEXT_WITHIN, REMEMBERED, WITHIN, WRONG_MOST, GuessedCodes
from feltd.page.access.second_factor import INTERVAL, new_secret
from feltd.page.access.signing_in import SignInRefused
from tests.feltd.test_access_guessing import Compared, compared
from tests.feltd.test_access_sessions import SECRET, Clock, Door, at
from tests.feltd.test_second_factor import code_of

__all__ = ["at", "compared"]  # fixtures

NEXT = "give the next code too"


class Anna:
    """An account with codes, and who tries to get in as it."""

    def __init__(self, at: Door) -> None:
        self._at = at
        self.secret = new_secret()
        self._guessers = 0
        at.accounts.put_second_factor("anna", self.secret)

    def code(self) -> str:
        return code_of(self.secret, self._at.clock())

    def tries(self, code: str, address: str, device: str | None = None) -> str:
        try:
            asyncio.run(self._at.door.sign_in("anna", SECRET, address, device, Proof(code=code)))
        except SignInRefused as refused:
            return str(refused)
        return "in"

    def guessed_at(self, times: int = WRONG_MOST) -> None:
        """Each guess comes from another address."""
        for _ in range(times):
            self._guessers += 1
            assert "the code is wrong" in self.tries("x", f"10.0.1.{self._guessers}")

    def waits(self) -> None:
        """Until the app shows the next code."""
        self._at.clock.now += INTERVAL


@pytest.fixture
def anna(at: Door, compared: Compared) -> Anna:
    return Anna(at)


def test_before_codes_are_guessed_at_one_is_enough(anna: Anna) -> None:
    anna.guessed_at(WRONG_MOST - 1)
    assert anna.tries(anna.code(), "10.9.9.9") == "in"


def test_while_they_are_guessed_at_two_in_a_row_let_the_right_person_in(anna: Anna) -> None:
    anna.guessed_at()
    assert NEXT in anna.tries(anna.code(), "10.9.9.9")
    anna.guessed_at(3)  # it goes on, and changes nothing for this address
    anna.waits()
    assert anna.tries(anna.code(), "10.9.9.9") == "in"


def test_the_same_code_is_no_second_one_nor_is_one_from_elsewhere(anna: Anna) -> None:
    anna.guessed_at()
    code = anna.code()
    assert NEXT in anna.tries(code, "10.9.9.9")
    assert "the code is wrong" in anna.tries(code, "10.9.9.9")
    anna.waits()
    assert NEXT in anna.tries(anna.code(), "10.8.8.8"), "the first one that comes from there"
    anna.waits()
    assert NEXT in anna.tries(anna.code(), "10.9.9.9"), "a wrong one came between"


def test_a_second_code_that_comes_late_is_a_first_one(anna: Anna, at: Door) -> None:
    anna.guessed_at()
    assert NEXT in anna.tries(anna.code(), "10.9.9.9")
    at.clock.now += NEXT_WITHIN + 1.0
    assert NEXT in anna.tries(anna.code(), "10.9.9.9")


def test_a_first_code_is_no_failure(anna: Anna, at: Door) -> None:
    anna.guessed_at()
    for _ in range(20):
        assert NEXT in anna.tries(anna.code(), "10.9.9.9")
        at.clock.now += NEXT_WITHIN + 1.0


def test_a_browser_that_is_known_gives_one_as_ever(anna: Anna, at: Door) -> None:
    device = at.devices.token(at.accounts.put_second_factor("anna", anna.secret))
    anna.guessed_at()
    assert anna.tries(anna.code(), "10.9.9.9", device) == "in"


def test_guesses_are_forgotten_after_a_day(anna: Anna, at: Door) -> None:
    anna.guessed_at()
    at.clock.now += WITHIN
    assert anna.tries(anna.code(), "10.9.9.9") == "in"


def test_who_has_guessed_is_not_remembered_without_end() -> None:
    codes = GuessedCodes(Clock())
    for number in range(REMEMBERED + 1):
        for _ in range(WRONG_MOST):
            codes.wrong(f"account {number}", "10.0.0.1")
    assert codes.is_enough("account 0", "10.9.9.9")
    assert not codes.is_enough("account 1", "10.9.9.9")
