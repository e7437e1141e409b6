"""Chips that prove themselves: NXP's own examples, the modelled chip, and each way in which a chip fails.

Of NXP's examples (AN10922, 2.2.1; AN12196, tables 14, 20 and 27) the bytes alone are here: facts of a specification.
"""

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters.chip_proof import (
    MAKERS_KEY,
    SELECT,
    Asks,
    ChipLostError,
    Session,
    UnprovenError,
    change_key,
    diversified,
    is_changed,
    key_of,
    prove,
)
from tests.devices.dna_chip import DELAYS_AFTER, SHUTS_AFTER, DnaChip, cmac

hexa = bytes.fromhex
NUMBER = hexa("04782E21801D80")
SECRET = hexa("00112233445566778899AABBCCDDEEFF")
PROOFS = {
    0: (
        "13C5DB8A5930439FC3DEF9A4C675360F", "A04C124213C186F22399D33AC2A30215",
        "35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D",
        "3FA64DB5446D1F34CD6EA311167F5E4985B89690C04A05F17FA7AB2F08120663",
        "9D00C4DF", "1309C877509E5A215007FF0ED19CA564", "4C6626F5E72EA694202139295C7A7FC7",
    ),
    3: (
        "B98F4C50CF1C2E084FD150E33992B048", "B875CEB0E66A6C5CD00898DC371F92D1",
        "FF0306E47DFBC50087C4D8A78E88E62DE1E8BE457AA477C707E2F0874916A8B1",
        "0CC9A8094A8EEA683ECAAC5C7BF20584206D0608D477110FC6B3D5D3F65C3A6A",
        "7614281A", "7A93D6571E4B180FCA6AC90C9A7488D4", "FC4AF159B62E549B5812394CAB1918CC",
    ),
}  # fmt: skip
"""By the key's number: what the host draws, the challenge, what the host says, what the chip says, and the session."""


def test_a_chips_key_is_made_as_nxps_example_says() -> None:
    made = diversified(SECRET, NUMBER + hexa("3042F5") + b"NXP Abu")
    assert made == hexa("A8DD63A3B89D54B37CA802473FDA9175")
    assert key_of(SECRET, NUMBER) == cmac(SECRET, b"\x01" + NUMBER + b"feltd card")
    assert len({key_of(SECRET, NUMBER), key_of(SECRET, NUMBER[::-1]), key_of(SECRET[::-1], NUMBER), SECRET}) == 4


@pytest.mark.parametrize("length", [0, 15, 32])
def test_of_too_little_or_too_much_no_key_is_made(length: int) -> None:
    with pytest.raises(ValueError, match="between 16 and 31"):
        diversified(SECRET, bytes(length))


@pytest.mark.parametrize("number", PROOFS)
def test_a_proof_is_nxps_example(number: int) -> None:
    draws, challenge, says, answers, transaction, encryption, authentication = map(hexa, PROOFS[number])
    script = {
        SELECT: b"\x90\x00",
        hexa("9071000002") + bytes((number, 0, 0)): challenge + b"\x91\xaf",
        hexa("90AF000020") + says + b"\x00": answers + b"\x91\x00",
    }
    proved = prove(script.__getitem__, MAKERS_KEY, lambda count: draws[:count], number)
    assert proved == Session(transaction, encryption, authentication)
    assert draws.hex() not in repr(proved)
    assert encryption.hex() not in repr(proved)


def test_a_key_is_changed_as_nxps_example_says() -> None:
    encryption, authentication = hexa("4CF3CB41A22583A61E89B158D252FC53"), hexa("5529860B2FC5FB6154B7F28361D30BF9")
    session = Session(hexa("7614281A"), encryption, authentication, counter=3)
    assert change_key(session, hexa("5004BF991F408672B1EF00F08F9E8647")) == hexa(
        "90C400002900C0EB4DEEFEDDF0B513A03A95A75491818580503190D4D05053FF75668A01D6FDA6610234BDED643200"
    )


@given(secret=st.binary(min_size=16, max_size=16), number=st.binary(min_size=7, max_size=7))
def test_the_modelled_chip_proves_itself_by_its_own_key_alone(secret: bytes, number: bytes) -> None:
    key = key_of(secret, number)
    chip = DnaChip(number, key)
    assert len(prove(chip.answer, key, secrets.token_bytes).transaction) == 4
    for other in (MAKERS_KEY, key[::-1]):
        with pytest.raises(UnprovenError):
            prove(chip.answer, other, secrets.token_bytes)
    assert chip.failed == chip.in_a_row == 2


def test_a_chip_takes_a_key_of_its_own_in_the_place_of_the_makers() -> None:
    chip = DnaChip(NUMBER)
    key = key_of(SECRET, NUMBER)
    assert is_changed(chip.answer(change_key(prove(chip.answer, MAKERS_KEY, secrets.token_bytes), key)))
    prove(chip.answer, key, secrets.token_bytes)
    with pytest.raises(UnprovenError):
        prove(chip.answer, MAKERS_KEY, secrets.token_bytes)
    assert not is_changed(b"\x91\x9d")
    with pytest.raises(ChipLostError):
        is_changed(None)


def test_a_chip_that_delays_is_asked_later_and_one_that_is_shut_has_failed() -> None:
    chip = DnaChip(NUMBER, in_a_row=DELAYS_AFTER)
    with pytest.raises(ChipLostError):
        prove(chip.answer, MAKERS_KEY, secrets.token_bytes)
    prove(chip.answer, MAKERS_KEY, secrets.token_bytes)
    chip.failed = SHUTS_AFTER
    with pytest.raises(UnprovenError):
        prove(chip.answer, MAKERS_KEY, secrets.token_bytes)


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_a_chip_that_goes_away_has_failed_nothing(answered: int) -> None:
    chip = DnaChip(NUMBER, torn=answered)
    with pytest.raises(ChipLostError):
        prove(chip.answer, MAKERS_KEY, secrets.token_bytes)


def test_a_chip_without_the_application_is_unproven() -> None:
    with pytest.raises(UnprovenError):
        prove(lambda _command: b"\x6a\x82", MAKERS_KEY, secrets.token_bytes)


def replaying(chip: DnaChip) -> Asks:
    """A copy that says again what it has heard a chip say."""
    heard = {}

    def listens(command: bytes) -> bytes | None:
        heard[command[:2]] = chip.answer(command)
        return heard[command[:2]]

    prove(listens, MAKERS_KEY, secrets.token_bytes)
    return lambda command: heard[command[:2]]


def test_what_a_chip_has_said_before_proves_nothing() -> None:
    copy = replaying(DnaChip(NUMBER))
    with pytest.raises(UnprovenError):
        prove(copy, MAKERS_KEY, secrets.token_bytes)


@given(answers=st.lists(st.binary(max_size=40), min_size=2, max_size=2))
def test_nonsense_proves_nothing(answers: list[bytes]) -> None:
    said = iter([b"\x90\x00", answers[0] + b"\x91\xaf", answers[1] + b"\x91\x00"])
    with pytest.raises(UnprovenError):
        prove(lambda _command: next(said), MAKERS_KEY, secrets.token_bytes)
