"""Passwords as a table keeps them: slow on purpose. (Other tests keep them quickly: `tests/conftest.py`.)"""

from itertools import pairwise

import pytest

from feltd.page.access import passwords
from feltd.page.access.guesses import ENOUGH, bits, common_words
from tests.quick_passwords import SLOW_ON_PURPOSE


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


@pytest.mark.parametrize(
    "password", ["a horse, and a staple", "correcthorsebattery", "xkqvmtzwplrn", "copper velvet lantern"]
)
def test_words_that_have_nothing_to_do_with_each_other_are_taken(password: str) -> None:
    passwords.check_password("anna", password)


@pytest.mark.parametrize("word", ["summer", "dragon", "1qaz2wsx3edc", "football", "sommer", "schlüssel", "schluessel"])
def test_a_word_of_the_list_is_little_also_where_it_stands_twice(word: str) -> None:
    assert word in common_words()
    assert bits("anna", word) < ENOUGH / 2
    assert bits("anna", word * 2) < ENOUGH


@pytest.mark.parametrize("password", ["Regen2024!!", "Schlüssel123!", "fußballfußball", "Muenchen1860!"])
def test_what_german_speakers_try_first_is_refused(password: str) -> None:
    with pytest.raises(passwords.PasswordError):
        passwords.check_password("anna", password)


def test_german_words_that_have_nothing_to_do_with_each_other_are_taken() -> None:
    passwords.check_password("anna", "regal laterne kupfer zwiebel")


def test_the_more_signs_a_password_has_the_more_there_is_to_guess() -> None:
    password = "Summer2024!! xq 7 blue"
    found = [bits("anna", password[:count]) for count in range(len(password) + 1)]
    assert found[0] == 0.0
    assert all(after <= before + 5.0 for before, after in pairwise(found)), "no sign is worth more"
    assert found[-1] > ENOUGH > found[12]
