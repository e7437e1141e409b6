"""Passwords as a table keeps them: slow on purpose. (Other tests keep them quickly: `tests/conftest.py`.)"""

import pytest

from feltd.page.access import passwords
from tests.conftest import SLOW_ON_PURPOSE


@pytest.fixture(autouse=True)
def _as_at_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_HASHER", SLOW_ON_PURPOSE)


def test_a_guess_costs_what_rfc_9106_proposes_for_a_small_memory() -> None:
    kept = passwords.hash_password("a horse, and a staple")
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert passwords.fits(kept, "a horse, and a staple")
    assert not passwords.fits(kept, "a horse and a staple")


def test_two_who_have_the_same_password_are_not_seen_to() -> None:
    assert passwords.hash_password("a horse, and a staple") != passwords.hash_password("a horse, and a staple")


def test_a_name_that_does_not_exist_costs_a_guesser_as_much() -> None:
    made = passwords.nobodys.__wrapped__()
    assert made.split("$")[:4] == passwords.hash_password("a horse, and a staple").split("$")[:4]
    assert not passwords.fits(made, "a horse, and a staple")
