"""Chips get keys of their own: the modelled chip, and `feltd deck keys` at a played reader."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from devices.adapters.chip_keys import Given, give_key
from devices.adapters.chip_proof import MAKERS_KEY, ChipLostError, key_of
from feltd.cli import cli
from feltd.cli.deck_commands import DEFAULT_CONFIG
from feltd.cli.deck_stickers import NO_PACK
from feltd.door.packs import PackState
from feltd.table.packs.pack_file import packs_file_of, write_packs
from feltd.table.packs.pack_list import Pack, PackList
from tests.devices.dna_chip import DnaChip
from tests.devices.played_pcsc import ACR, PlayedPcsc, PlayedReader
from tests.feltd.test_packs import CONFIG

SECRET = bytes(range(30, 46))
NUMBERS = [bytes.fromhex(f"04a1b2c3d4e5{number:02x}") for number in range(8)]


def give(chip: DnaChip) -> Given:
    return give_key(chip.answer, chip.number, SECRET, secrets.token_bytes)


def test_a_chip_gets_its_own_key_once() -> None:
    chip = DnaChip(NUMBERS[0])
    assert [give(chip), give(chip)] == [Given.NEW, Given.BEFORE]
    assert chip.key == key_of(SECRET, NUMBERS[0])
    assert chip.failed == 0


def test_a_chip_with_a_key_from_elsewhere_and_one_without_any_are_left_as_they_are() -> None:
    chip = DnaChip(NUMBERS[0], bytes(range(16)))
    assert (give(chip), chip.key) == (Given.STRANGE, bytes(range(16)))
    assert give(DnaChip(bytes.fromhex("11223344"))) is Given.STRANGE
    assert give_key(lambda _command: b"\x6a\x82", NUMBERS[0], SECRET, secrets.token_bytes) is Given.STRANGE


def test_a_chip_that_refuses_the_key_is_told() -> None:
    chip = DnaChip(NUMBERS[0])
    answer = chip.answer
    assert (
        give_key(
            lambda asked: b"\x91\x9d" if asked[1] == 0xC4 else answer(asked), NUMBERS[0], SECRET, secrets.token_bytes
        )
        is Given.REFUSED
    )


@pytest.mark.parametrize("answered", range(10))
def test_a_chip_that_goes_away_at_any_moment_is_mended_by_laying_it_once_more(answered: int) -> None:
    chip = DnaChip(NUMBERS[0], torn=answered)
    with pytest.raises(ChipLostError):
        give(chip)
    chip.torn = None
    assert give(chip) in {Given.NEW, Given.BEFORE}
    assert chip.key == key_of(SECRET, NUMBERS[0])


# -- the command


class AtTheReader:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.reader = PlayedReader()
        self.pcsc = PlayedPcsc({f"{ACR} 00 00": self.reader})
        self.key = folder / "chips.key"
        self.key.write_text(SECRET.hex())
        monkeypatch.setattr("feltd.cli.deck_keys.scard_or_none", lambda: self.pcsc)

    def lay(self, chip: DnaChip) -> Callable[[], Any]:
        return lambda: self.reader.lay(chip)

    def take(self) -> Callable[[], Any]:
        return lambda: self.reader.put(None)

    def put(self, number: bytes) -> Callable[[], Any]:
        return lambda: self.reader.put(number)

    def asked(self, *script: Any, cards: int = 1, reader: str = ACR) -> Result:
        self.pcsc.script = list(script)
        said = CliRunner().invoke(cli, ["deck", "keys", str(self.key), "--reader", reader, "--cards", str(cards)])
        assert not [number for number in NUMBERS if number.hex() in said.output.lower()]
        return said


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AtTheReader:
    return AtTheReader(monkeypatch, tmp_path)


def test_one_chip_after_the_other_gets_its_key(at: AtTheReader) -> None:
    chips = [DnaChip(number) for number in NUMBERS[:2]]
    at.reader.lay(DnaChip(NUMBERS[2], key_of(SECRET, NUMBERS[2])))  # it lay there as the command began
    strange = DnaChip(NUMBERS[3], bytes(range(16)))
    said = at.asked(
        None, at.take(), None, at.lay(chips[0]), None, at.take(), at.lay(strange), at.take(), at.lay(chips[0]),
        at.take(), at.lay(chips[1]), cards=3,
    )  # fmt: skip
    assert said.exit_code == 0, said.output
    lines = said.output.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["1 of 3", "2 of 3", "2 of 3", "2 of 3", "3 of 3"]
    kinds = [Given.BEFORE, Given.NEW, Given.STRANGE, Given.BEFORE, Given.NEW]
    assert [line.partition("the chip ")[2] for line in lines] == [kind.value for kind in kinds]
    assert [chip.key for chip in chips] == [key_of(SECRET, number) for number in NUMBERS[:2]]
    assert MAKERS_KEY not in [chip.key for chip in chips]


def test_a_chip_that_goes_away_is_asked_for_once_more(at: AtTheReader) -> None:
    gone = [DnaChip(NUMBERS[0], torn=answered) for answered in (0, 4)]
    said = at.asked(at.lay(gone[0]), at.take(), at.lay(gone[1]), at.take(), at.lay(DnaChip(NUMBERS[0])))
    assert said.output.count("went away before it was done: lay it down flat") == 2
    assert said.output.splitlines()[-1].startswith("1 of 1")


def test_what_is_in_the_way_is_said_with_its_remedy(at: AtTheReader, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"pcscd has no reader ACR1252 (there are: {ACR})" in at.asked(reader="ACR1252").output
    gone = at.asked(at.lay(DnaChip(NUMBERS[0], bytes(range(16)))), at.pcsc.readers.clear)
    assert (gone.exit_code, "the reader is gone" in gone.output) == (2, True)
    at.key.write_text("00" * 16)
    assert "all its bytes are the same" in at.asked().output
    at.key.write_text(SECRET.hex())
    monkeypatch.setattr("feltd.cli.deck_keys.scard_or_none", lambda: None)
    assert "apt install python3-pyscard" in at.asked().output


# -- the stickers of the antennas


def read(at: AtTheReader, *script: Any, zones: tuple[str, ...] = ("seat:1", "board:1")) -> Result:
    at.pcsc.script = list(script)
    return CliRunner().invoke(cli, ["deck", "stickers", *zones, "--reader", ACR])


def test_stickers_are_read_in_the_order_of_their_zones(at: AtTheReader) -> None:
    stickers = [at.put(number) for number in NUMBERS[:2]]
    phone, vicinity, nothing = at.put(b"\x08abc"), at.put(bytes.fromhex("e004015012345678")), at.put(b"\x04")
    said = read(at, None, stickers[0], stickers[0], at.take(), phone, vicinity, nothing, stickers[1])
    assert said.exit_code == 0, said.output
    assert said.stdout.splitlines() == [
        "settings.py (firmware in C): seat:1=04:A1:B2:C3:D4:E5:00 board:1=04:A1:B2:C3:D4:E5:01",
        "    where cards lie face up write ZONE=up,NUMBER; name the zones in the order in which they hang",
        'device.json (MicroPython):    "stickers": '
        '{"seat:1": "04:A1:B2:C3:D4:E5:00", "board:1": "04:A1:B2:C3:D4:E5:01"}',
    ]
    told = [line.partition(": lay the sticker of board:1")[0] for line in said.stderr.splitlines()[2:]]
    no = "that is no sticker of ISO/IEC 14443 A whose number stays"
    assert told == ["read", "that is the one of seat:1", no, no, "not read whole"]
    assert said.stderr.startswith(f"{DEFAULT_CONFIG} is not here: cards are not told from stickers.")


@pytest.mark.parametrize("state", [PackState.IN_USE, PackState.RETIRED])
def test_a_card_is_no_sticker_and_which_card_it_is_nobody_hears(
    at: AtTheReader, tmp_path: Path, state: PackState
) -> None:
    """A reader tells no card by the number of its own sticker: the card would vanish over that antenna."""
    key = bytes(range(32))
    (tmp_path / "journal.key").write_bytes(key)
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(folder=tmp_path, key="credential:journal-key"))
    pack = Pack("red-1", "red", {NUMBERS[0]: "As"}, state)
    write_packs(packs_file_of(tmp_path / "table.journal"), key, PackList((pack,)))
    at.pcsc.script = [None, at.put(NUMBERS[0]), at.take(), at.put(NUMBERS[1])]
    asked = ["deck", "stickers", "seat:1", "--reader", ACR, "--config", str(config), "--key", f"{tmp_path}/journal.key"]
    said = CliRunner().invoke(cli, asked)
    assert (said.exit_code, "seat:1=04:A1:B2:C3:D4:E5:01\n" in said.stdout) == (0, True), said.output
    assert said.stderr.splitlines() == [
        "lay the sticker of seat:1",
        "that is a card of a pack: put it back, and take a sticker that is in no pack: lay the sticker of seat:1",
    ]


def test_a_table_without_packs_says_that_it_knows_no_card(at: AtTheReader, tmp_path: Path) -> None:
    (tmp_path / "journal.key").write_bytes(bytes(range(32)))
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(folder=tmp_path, key=tmp_path / "journal.key"))
    at.pcsc.script = [None, at.put(NUMBERS[0])]
    said = CliRunner().invoke(cli, ["deck", "stickers", "seat:1", "--reader", ACR, "--config", str(config)])
    assert said.stderr.splitlines() == [NO_PACK, "lay the sticker of seat:1"], said.output


def test_a_table_whose_packs_cannot_be_read_refuses_before_a_sticker_is_laid(at: AtTheReader, tmp_path: Path) -> None:
    asked = ["deck", "stickers", "seat:1", "--reader", ACR, "--config", str(tmp_path / "none.toml")]
    said = CliRunner().invoke(cli, asked)
    assert (said.exit_code, "none.toml" in said.output, "lay the sticker" in said.output) == (2, True, False)


@pytest.mark.parametrize(
    ("zones", "words"), [(("seat:13",), "a zone is seat:1"), (("seat:1", "seat:1"), "each zone has one sticker")]
)
def test_a_zone_that_there_is_not_and_one_named_twice_are_refused(
    at: AtTheReader, zones: tuple[str, ...], words: str
) -> None:
    said = read(at, zones=zones)
    assert (said.exit_code, words in said.output) == (2, True)
