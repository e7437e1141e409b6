"""Packs of cards that are chips: the list, its sealed file, and the commands."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import IO

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters.chip_numbers import PackFault, sticker_mark
from feltd.cli import cli, deck_commands, deck_lines
from feltd.door.packs import PackState
from feltd.table.packs.pack_file import PackShelf, packs_file_of, read_packs, write_packs
from feltd.table.packs.pack_list import PackError, PackList, laying_order, pack_of
from feltd.table.packs.turns import PackFileError, RoundHold, between_rounds
from table_fsm.felt import full_deck

KEY = bytes(range(32))
ORDER = laying_order(52)


def chips(start: int, count: int = 52) -> list[bytes]:
    """Numbers of seven bytes, as NTAG chips have them."""
    return [bytes([4, *(start + place).to_bytes(2, "big"), 1, 2, 3, 4]) for place in range(count)]


RED, BLUE = pack_of("red-1", "red", chips(0), ORDER), pack_of("blue-1", "blue", chips(100), ORDER)
BOTH = PackList().with_pack(RED).with_pack(BLUE)


class TestThePackList:
    @pytest.mark.parametrize("cards", [52, 40, 32])
    @pytest.mark.parametrize("joker", [False, True])
    def test_the_laying_order_is_the_whole_deck_once(self, cards: int, joker: bool) -> None:
        order = laying_order(cards, joker=joker)
        assert len(order) == len(set(order)) == cards + joker
        assert set(order) == full_deck(cards, joker)
        assert order[0] == "As"

    def test_no_pack_has_51_cards(self) -> None:
        with pytest.raises(PackError, match="no pack has 51 cards: choose one of 52"):
            laying_order(51)

    def test_a_chip_is_its_card_while_its_pack_is_in_use(self) -> None:
        assert [BOTH.card_of(number) for number in chips(0)] == list(ORDER)
        resting = BOTH.with_state("red-1", PackState.RESTING)
        assert resting.card_of(chips(0)[3]) is PackFault.OTHER_PACK
        assert resting.with_state("red-1", PackState.IN_USE).card_of(chips(0)[3]) == ORDER[3]
        assert BOTH.with_state("red-1", PackState.RETIRED).card_of(chips(0)[3]) is PackFault.RETIRED
        assert BOTH.card_of(b"\x04nobody") is PackFault.UNKNOWN

    def test_a_stickers_mark_is_the_one_that_readers_are_told_to_send(self) -> None:
        # printf 'feltd sticker\x04\xa1\xb2\xc3\xd4\xe5\xf6' | sha256sum
        assert sticker_mark(bytes.fromhex("04a1b2c3d4e5f6")).hex() == "491c61c6"

    def test_a_stickers_mark_tells_a_card_of_any_pack(self) -> None:
        marks = {sticker_mark(number) for number in chips(0)}
        assert len(marks) == 52
        for state in PackState:
            known = BOTH.with_state("red-1", state)
            assert all(known.has_mark(mark) for mark in marks)
        assert not any(PackList().with_pack(BLUE).has_mark(mark) for mark in marks)

    def test_the_pack_of_a_chip_is_told_where_several_are_in_use(self) -> None:
        red, blue = chips(0)[3], chips(100)[3]
        assert (BOTH.pack_of(red), BOTH.pack_of(blue), BOTH.pack_of(b"\x04nobody")) == ("red-1", "blue-1", None)
        resting = BOTH.with_state("red-1", PackState.RESTING)
        assert (resting.pack_of(red), resting.pack_of(blue)) == (None, None)

    def test_a_retired_pack_comes_back_no_more(self) -> None:
        retired = BOTH.with_state("red-1", PackState.RETIRED)
        assert retired.with_state("red-1", PackState.RETIRED) == retired
        with pytest.raises(PackError, match='"red-1" is retired'):
            retired.with_state("red-1", PackState.IN_USE)

    def test_a_chip_laid_twice_is_named_by_its_places(self) -> None:
        twice = [*chips(0, 51), chips(0)[9]]
        with pytest.raises(PackError, match="the chip of card 52 was laid already, as card 10"):
            pack_of("red-1", "red", twice, ORDER)

    def test_a_part_of_a_pack_is_no_pack(self) -> None:
        with pytest.raises(PackError, match="51 chips of 52 cards: nothing is kept"):
            pack_of("red-1", "red", chips(0, 51), ORDER)

    @pytest.mark.parametrize(("name", "back"), [("", "red"), ("x" * 41, "red"), ("a\nb", "red"), ("red-1", " ")])
    def test_a_name_is_printable_and_not_long(self, name: str, back: str) -> None:
        with pytest.raises(PackError, match="must be one to 40 printable characters"):
            pack_of(name, back, chips(0), ORDER)

    def test_packs_that_are_mixed_are_not_enrolled(self) -> None:
        mixed = pack_of("green", "green", [*chips(300, 51), chips(0)[51]], ORDER)
        with pytest.raises(PackError, match='the chip of card 52 belongs to the pack "red-1": two packs are mixed'):
            BOTH.with_pack(mixed)

    def test_a_name_is_of_one_pack(self) -> None:
        with pytest.raises(PackError, match='there is a pack "red-1" already'):
            BOTH.with_pack(pack_of("red-1", "red", chips(300), ORDER))

    def test_a_spare_card_takes_the_place_of_one(self) -> None:
        spare = chips(500, 1)[0]
        changed = BOTH.with_card("red-1", "7h", spare)
        before = next(number for number, card in RED.cards.items() if card == "7h")
        assert (changed.card_of(spare), changed.card_of(before)) == ("7h", PackFault.UNKNOWN)
        assert changed.look("red-1", [*chips(0), spare]).unknown == 1
        for card, number, words in [
            ("7x", spare, 'has no card "7x"'),
            ("7h", chips(100)[0], 'belongs to the pack "blue-1" already'),
        ]:
            with pytest.raises(PackError, match=words):
                BOTH.with_card("red-1", card, number)

    def test_two_cards_that_were_laid_the_wrong_way_round_are_exchanged(self) -> None:
        changed = BOTH.with_swap("red-1", "5s", "6s")
        assert changed.look("red-1", chips(0)).misplaced == ("5s", "6s")
        assert changed.with_swap("red-1", "6s", "5s") == BOTH
        with pytest.raises(PackError, match='has no card "6x"'):
            BOTH.with_swap("red-1", "5s", "6x")

    @given(st.integers(0, 2**32), st.integers(0, 52))
    def test_cards_out_of_order_are_named_where_most_lie_in_order(self, seed: int, moved: int) -> None:
        chance, laid = Random(seed), chips(0)
        places = chance.sample(range(52), moved)
        for place, other in pairwise(places):
            laid[place], laid[other] = laid[other], laid[place]
        wrong = [ORDER[place] for place in range(52) if laid[place] != chips(0)[place]]
        look = BOTH.look("red-1", laid)
        assert look.is_whole
        assert list(look.misplaced) == (wrong if len(wrong) < 26 else [])

    def test_a_card_that_was_replaced_has_its_place_in_the_order(self) -> None:
        spare = chips(900, 1)[0]
        laid = [spare if card == "7h" else number for number, card in RED.cards.items()]
        assert BOTH.with_card("red-1", "7h", spare).look("red-1", laid).misplaced == ()

    def test_a_retired_pack_is_enrolled_anew_by_its_name_and_by_no_other(self) -> None:
        retired = BOTH.with_state("red-1", PackState.RETIRED)
        turned = pack_of("red-1", "red", list(reversed(chips(0))), ORDER)
        anew = retired.with_pack(turned)
        assert [pack.name for pack in anew.packs] == ["blue-1", "red-1"]
        assert anew.card_of(chips(0)[0]) == ORDER[-1]
        with pytest.raises(PackError, match='"red-1": it is retired; enrol it anew by that name'):
            retired.with_pack(pack_of("red-2", "red", chips(0), ORDER))
        with pytest.raises(PackError, match='"blue-1": two packs are mixed'):
            retired.with_pack(pack_of("red-1", "red", [*chips(0, 51), chips(100)[0]], ORDER))

    def test_who_is_not_there_is_said_with_who_is(self) -> None:
        with pytest.raises(PackError, match='there is no pack "gold"; there are: red-1, blue-1'):
            BOTH.named("gold")
        with pytest.raises(PackError, match="there are: none"):
            PackList().named("gold")

    @given(st.integers(0, 2**32))
    def test_what_lies_there_is_counted_whatever_the_order(self, seed: int) -> None:
        chance = Random(seed)
        there, gone = chips(0), chance.sample(range(52), 3)
        kept = [number for place, number in enumerate(there) if place not in gone]
        laid = [*kept, kept[0], *chips(100, 2), *chips(900, 4)]
        chance.shuffle(laid)
        look = BOTH.look("red-1", laid)
        assert set(look.missing) == {ORDER[place] for place in gone}
        assert (look.found, look.twice, look.of_others, look.unknown) == (49, 1, {"blue-1": 2}, 4)
        assert not look.is_whole
        chance.shuffle(there)
        assert BOTH.look("red-1", there).is_whole

    def test_a_pack_never_shows_its_chips(self) -> None:
        assert "card" not in repr(RED)
        assert chips(0)[0].hex() not in repr(BOTH)
        assert repr(chips(0)[0]) not in repr(BOTH)


class TestTheFile:
    def test_it_comes_back_and_is_sealed_and_for_its_owner_alone(self, tmp_path: Path) -> None:
        file = packs_file_of(tmp_path / "table.journal")
        packs = BOTH.with_state("blue-1", PackState.RESTING)
        write_packs(file, KEY, packs)
        assert read_packs(file, KEY) == packs
        assert file.stat().st_mode & 0o777 == 0o600
        sealed = file.read_bytes()
        for told in (b'"red"', b'"As"', chips(0)[0], chips(0)[0].hex().encode()):
            assert told not in sealed
        write_packs(file, KEY, packs)
        assert file.read_bytes() != sealed

    def test_no_file_is_no_packs(self, tmp_path: Path) -> None:
        assert read_packs(tmp_path / "packs.sealed", KEY) == PackList()
        assert PackShelf(tmp_path / "packs.sealed", KEY).in_play() is None

    @pytest.mark.parametrize(
        ("spoil", "words"),
        [
            (lambda sealed: sealed[:-1], "does not open"),
            (lambda sealed: sealed[:20], "does not open"),
            (lambda sealed: sealed[:-1] + bytes([sealed[-1] ^ 1]), "does not open"),
            (lambda sealed: b"{}", "is no file of packs"),
            (lambda sealed: b"", "is no file of packs"),
            (lambda sealed: sealed + bytes(1 << 20), "is no file of packs"),
        ],
    )
    def test_a_file_that_was_damaged_is_named(
        self, tmp_path: Path, spoil: Callable[[bytes], bytes], words: str
    ) -> None:
        file = tmp_path / "packs.sealed"
        write_packs(file, KEY, BOTH)
        file.write_bytes(spoil(file.read_bytes()))
        with pytest.raises(PackFileError, match=words):
            read_packs(file, KEY)

    def test_one_changes_the_list_at_a_time(self, tmp_path: Path) -> None:
        shelf = PackShelf(tmp_path / "packs.sealed", KEY)
        refused = pytest.raises(PackFileError, match="another command is changing it")
        with shelf.alone(wait=True), refused, shelf.alone(wait=False):
            pytest.fail("two at once")
        with shelf.alone(wait=False):
            shelf.write(BOTH)

    def test_another_tables_key_does_not_open_it(self, tmp_path: Path) -> None:
        write_packs(tmp_path / "packs.sealed", KEY, BOTH)
        with pytest.raises(PackFileError, match="of another table"):
            read_packs(tmp_path / "packs.sealed", bytes(32))

    def test_a_round_waits_for_the_command_that_changes_the_list_and_holds_it_at_the_next_look(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "packs.sealed"
        first, later = RoundHold(file), RoundHold(file)
        first.be(in_a_round=True)
        first.be(in_a_round=True)
        first.be(in_a_round=False)
        with between_rounds(file):
            later.be(in_a_round=True)
        with between_rounds(file):
            pass  # the command was there first, so the round holds nothing yet
        later.be(in_a_round=True)
        with pytest.raises(PackFileError, match="in a round"), between_rounds(file):
            pass
        later.be(in_a_round=False)

    def test_a_folder_where_the_lock_should_be_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "packs.round").symlink_to(tmp_path)
        with (
            pytest.raises(PackFileError, match=r"packs\.round: cannot be read"),
            between_rounds(tmp_path / "packs.sealed"),
        ):
            pass
        RoundHold(tmp_path / "packs.sealed").be(in_a_round=True)  # it holds nothing, and the table plays

    def test_a_folder_in_its_place_and_a_disk_that_takes_nothing_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "packs.sealed").mkdir()
        with pytest.raises(PackFileError, match=r"packs\.sealed: cannot be read: Is a directory"):
            read_packs(tmp_path / "packs.sealed", KEY)
        with pytest.raises(PackFileError, match=r"packs\.sealed: cannot be written"):
            write_packs(tmp_path / "packs.sealed", KEY, BOTH)


CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{key}"
"""


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Result]:
    (tmp_path / "journal.key").write_bytes(KEY)
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(folder=tmp_path, key=tmp_path / "journal.key"))

    def asked(*words: str, laid: list[bytes] | str = "") -> Result:
        lines = laid if isinstance(laid, str) else "".join(f"{number.hex(':')}\n" for number in laid)
        return CliRunner().invoke(cli, ["deck", *words, "--config", str(config)], input=lines)

    return asked


class TestTheCommands:
    def test_a_pack_is_enrolled_looked_at_and_retired(self, ask: Callable[..., Result], tmp_path: Path) -> None:
        assert "no packs are enrolled" in ask("list").output
        done = ask("enrol", "red-1", "--back", "red", laid=chips(0))
        assert (done.exit_code, done.output.split(".")[0]) == (0, "red-1: 52 cards enrolled, back red")
        assert ask("check", "red-1", laid=list(reversed(chips(0)))).output == "red-1: 52 of 52 cards\n"
        assert read_packs(tmp_path / "packs.sealed", KEY) == PackList((RED,))
        assert ask("put", "red-1", "rest").output.startswith("red-1: resting.")
        assert ask("put", "red-1", "retire").exit_code == 0
        assert ask("list").output == "red-1  back red  52 cards  retired\n"

    def test_what_is_wrong_with_a_pack_that_lies_there_is_said(self, ask: Callable[..., Result]) -> None:
        ask("enrol", "red-1", "--back", "red", laid=chips(0))
        ask("enrol", "blue-1", "--back", "blue", laid=chips(100))
        done = ask("check", "red-1", laid=[*chips(1, 51), chips(1)[0], *chips(100, 1), *chips(700, 2)])
        assert done.exit_code == 1
        assert done.output.splitlines() == [
            "red-1: 51 of 52 cards",
            "missing: As",
            "read twice: 1",
            'of the pack "blue-1": 1; take them out',
            "in no pack: 2; take them out",
        ]

    @pytest.mark.parametrize("laid", [1, 47])
    def test_no_card_is_named_by_what_is_missing_no_more(self, ask: Callable[..., Result], laid: int) -> None:
        ask("enrol", "red-1", "--back", "red", laid=chips(0))
        done = ask("check", "red-1", laid=chips(0, laid))
        assert done.output.splitlines() == [f"red-1: {laid} of 52 cards", f"missing: {52 - laid}"]
        assert not [card for card in ORDER if card in done.output.partition(":")[2]]

    def test_a_pack_laid_in_the_wrong_order_is_noticed_and_mended(self, ask: Callable[..., Result]) -> None:
        wrong = [*chips(0)[:4], chips(0)[5], chips(0)[4], *chips(0)[6:]]
        ask("enrol", "red-1", "--back", "red", laid=wrong)
        done = ask("check", "red-1", laid=chips(0))
        assert (done.exit_code, "enrolled: 5s 6s." in done.output) == (1, True), done.output
        assert "5s and 6s have each other's chip" in ask("swap", "red-1", "5s", "6s").output
        assert ask("check", "red-1", laid=chips(0)).exit_code == 0
        assert "retire it and then enrol it anew" in ask("enrol", "red-1", "--back", "red", laid=chips(0)).output
        ask("put", "red-1", "retire")
        assert ask("enrol", "red-1", "--back", "red", laid=chips(0)).exit_code == 0
        assert ask("list").output == "red-1  back red  52 cards  in use\n"

    def test_a_smaller_pack_with_a_joker_and_a_spare_card(self, ask: Callable[..., Result], tmp_path: Path) -> None:
        assert ask("enrol", "green", "--back", "green", "--cards", "32", "--joker", laid=chips(0, 33)).exit_code == 0
        assert ask("replace", "green", "Jo", laid=chips(40, 1)).output.startswith("green: Jo has the chip")
        assert read_packs(tmp_path / "packs.sealed", KEY).card_of(chips(40)[0]) == "Jo"
        refused = ask("replace", "green", "Jo", laid=chips(41, 2))
        assert (refused.exit_code, "2 chips: lay the one spare card" in refused.output) == (2, True)

    @pytest.mark.parametrize(
        ("laid", "words"),
        [
            ("04:01:02\n", "line 1: no chip's number"),
            ("\n04010203040506\nnonsense\n", "line 3: no chip's number"),
            ("08010203\n", "line 1: a chip whose number changes"),
            ("04010203040506\n", "1 chips of 52 cards: nothing is kept"),
            ("", "0 chips of 52 cards"),
        ],
    )
    def test_wrong_input_enrols_nothing(
        self, ask: Callable[..., Result], tmp_path: Path, laid: str, words: str
    ) -> None:
        refused = ask("enrol", "red-1", "--back", "red", laid=laid)
        assert (refused.exit_code, words in refused.output) == (2, True), refused.output
        assert not (tmp_path / "packs.sealed").exists()

    def test_no_command_tells_a_number(self, ask: Callable[..., Result]) -> None:
        told = [
            ask("enrol", "red-1", "--back", "red", laid=chips(0)).output,
            ask("enrol", "red-2", "--back", "red", laid=chips(0)).output,
            ask("check", "red-1", laid=chips(0, 50)).output,
            ask("replace", "red-1", "As", laid=chips(0, 1)).output,
            ask("list").output,
        ]
        assert not [one for one in told for number in chips(0) if number.hex() in one or number.hex(":") in one]

    def test_a_key_of_the_service_manager_is_given_by_its_file(
        self, ask: Callable[..., Result], tmp_path: Path
    ) -> None:
        text = (tmp_path / "table.toml").read_text().replace(f"{tmp_path}/journal.key", "credential:journal-key")
        (tmp_path / "table.toml").write_text(text)
        refused = ask("list")
        assert (refused.exit_code, "no credentials have been handed over" in refused.output) == (2, True)
        assert ask("list", "--key", str(tmp_path / "journal.key")).exit_code == 0

    def test_a_command_does_not_undo_what_happened_while_cards_were_laid(
        self, ask: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask("enrol", "red-1", "--back", "red", laid=chips(0))
        spare = chips(900, 1)[0]
        laid = deck_lines.numbers

        def meanwhile(lines: IO[str]) -> Iterator[bytes]:
            monkeypatch.undo()
            yield from laid(lines)
            PackShelf(tmp_path / "packs.sealed", KEY).write(
                BOTH.with_card("red-1", "7h", spare).with_state("blue-1", PackState.RETIRED)
            )

        monkeypatch.setattr(deck_lines, "numbers", meanwhile)
        assert ask("enrol", "green-1", "--back", "green", laid=chips(300)).exit_code == 0
        kept = read_packs(tmp_path / "packs.sealed", KEY)
        assert [(pack.name, pack.state.value) for pack in kept.packs] == [
            ("red-1", "in_use"), ("blue-1", "retired"), ("green-1", "in_use"),
        ]  # fmt: skip
        assert kept.card_of(spare) == "7h"

    def test_a_whole_pack_is_given_at_once_and_then_in_order(self, ask: Callable[..., Result], tmp_path: Path) -> None:
        ask("enrol", "blue-1", "--back", "blue", laid=chips(100))
        heap = [number.hex() for number in [*reversed(chips(0)), *chips(900, 2), chips(100)[7], chips(0)[3]]]
        spare_first = [number.hex() for number in [*chips(901, 1), *chips(0)[1:]]]  # laid where the ace should lie
        lines = "\n".join([*heap, "order", *spare_first[:1], "back", *(one.hex() for one in chips(0))])
        done = ask("enrol", "red-1", "--back", "red", "--whole", "2", laid=f"{lines}\n")
        assert (done.exit_code, "red-1: 52 cards enrolled" in done.output) == (0, True), done.output
        assert 'a card of the pack "blue-1"' in done.output
        assert "this chip was seen already: it counts once" in done.output
        assert read_packs(tmp_path / "packs.sealed", KEY).named("red-1") == RED
        assert not [number for number in heap if number in done.output]

    @pytest.mark.parametrize(
        ("lines", "words"),
        [
            ([*chips(0, 51), "order"], "1 of 52 chips have not been seen"),
            ([*chips(0), *chips(900, 1), "order"], "1 chips too many were seen"),
            ([*chips(0), *chips(900, 1)], "one chip too many: take out the card"),
            ([*chips(0), "order", *chips(900, 1)], "this chip was not among those of the pack"),
            ([*chips(0), "order", "order"], "in order already"),
            (["back"], "no chip has been seen yet"),
            ([*chips(0, 51), "back", *chips(0, 1)], "1 chips were seen, and none was laid in order: nothing is kept"),
        ],
    )
    def test_a_whole_pack_that_is_none_is_named_and_not_kept(
        self, ask: Callable[..., Result], tmp_path: Path, lines: list[bytes | str], words: str
    ) -> None:
        laid = "".join(f"{line if isinstance(line, str) else line.hex()}\n" for line in lines)
        refused = ask("enrol", "red-1", "--back", "red", "--whole", "0", laid=laid)
        assert (refused.exit_code, words in refused.output) == (2, True), refused.output
        assert not (tmp_path / "packs.sealed").exists()

    def test_no_command_changes_a_pack_while_the_table_is_in_a_round(
        self, ask: Callable[..., Result], tmp_path: Path
    ) -> None:
        ask("enrol", "red-1", "--back", "red", laid=chips(0))
        table = RoundHold(tmp_path / "packs.sealed")
        table.be(in_a_round=True)
        for words, laid in (
            (("swap", "red-1", "5s", "6s"), []),
            (("put", "red-1", "retire"), []),
            (("replace", "red-1", "7h"), chips(900, 1)),
            (("enrol", "blue-1", "--back", "blue"), chips(100)),
        ):
            refused = ask(*words, laid=laid)
            assert (refused.exit_code, "packs change between two rounds" in refused.output) == (2, True)
        assert ask("list").output == "red-1  back red  52 cards  in use\n"
        assert ask("check", "red-1", laid=chips(0)).exit_code == 0
        table.be(in_a_round=False)
        assert ask("put", "red-1", "retire").exit_code == 0

    def test_a_pack_that_was_laid_as_a_round_began_is_enrolled_at_its_end(
        self, ask: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table, laid, waits = RoundHold(tmp_path / "packs.sealed"), deck_lines.numbers, deck_commands._say_that_it_waits

        def overtaken(lines: IO[str]) -> Iterator[bytes]:
            yield from laid(lines)
            table.be(in_a_round=True)

        def told() -> None:
            waits()
            table.be(in_a_round=False)

        monkeypatch.setattr(deck_lines, "numbers", overtaken)
        monkeypatch.setattr(deck_commands, "_say_that_it_waits", told)
        done = ask("enrol", "red-1", "--back", "red", laid=chips(0))
        assert (done.exit_code, "the pack is enrolled at its end" in done.output) == (0, True), done.output
        assert read_packs(tmp_path / "packs.sealed", KEY) == PackList((RED,))

    def test_a_file_of_numbers_is_said_to_tell_the_cards_still(
        self, ask: Callable[..., Result], tmp_path: Path
    ) -> None:
        file = tmp_path / "chips.txt"
        file.write_text("".join(f"{number.hex()}\n" for number in chips(0)), encoding="ascii")
        done = ask("enrol", "red-1", str(file), "--back", "red")
        assert (done.exit_code, f"{file} still tells each card" in done.output) == (0, True), done.output
        assert "in clear" not in ask("enrol", "blue-1", "--back", "blue", laid=chips(100)).output

    def test_a_byte_that_is_no_text_is_named_by_its_line(self, ask: Callable[..., Result], tmp_path: Path) -> None:
        (tmp_path / "chips.txt").write_bytes(b"04010203040506\n\xff\xfe\n")
        refused = ask("enrol", "red-1", str(tmp_path / "chips.txt"), "--back", "red")
        assert (refused.exit_code, "line 2: no chip's number" in refused.output) == (2, True), refused.output
