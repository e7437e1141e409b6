"""rfid-poker's wired client: its documented messages, noise, and what it cannot tell."""

import contextlib
import tomllib
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import AdapterFault, AdapterStopped, FaultCode, Place, TextLine
from devices.adapters.chip_numbers import PackFault, bits_apart, chip_number
from devices.adapters.link import AdapterLink
from devices.adapters.rfid_poker import NOISE_MAX, RESTARTS_MAX, STAYS, WRONG_MAX, RfidPoker, RfidPokerSettings
from devices.adapters.rfid_poker_lines import LONGEST
from devices.drivers.status import read_status
from devices.errors import DeviceMessageError
from firmware_bridge.facts import DeviceIdentity
from firmware_bridge.link import LinkFault
from table_fsm.events import CardPlaced, Event
from table_fsm.felt import full_deck
from tests.devices.named_chips import NamedChips
from tests.devices.wired_client import BOARD, CHIPS, WiredClient, boot, card, error
from tests.firmware_bridge.support import run
from tests.running import eventually, running

FIVE = ("board:1", "board:2", "board:3", "board:4", "board:5")
PHONE = "08 4a 5b 6c"


class Pack:
    """A list of packs: these chips, in order, are these cards."""

    def __init__(self, *cards: str | PackFault) -> None:
        self.cards = {bytes.fromhex(chip): card for chip, card in zip(CHIPS, cards, strict=False)}

    def card_of(self, uid: bytes) -> str | PackFault:
        return self.cards.get(uid, PackFault.UNKNOWN)

    def pack_of(self, uid: bytes) -> str | None:
        return None

    def has_near(self, number: bytes, bits: int) -> bool:
        others = (uid for uid, card in self.cards.items() if isinstance(card, str) and uid != number)
        return any((apart := bits_apart(uid, number)) is not None and apart <= bits for uid in others)

    def has_mark(self, mark: bytes) -> bool:
        return False


PACK = Pack("As", "Kd", "2c", "7h", "Tc", "9s", PackFault.OTHER_PACK, PackFault.RETIRED)


# -- the adapter, by a clock of its own


class Scene:
    """The table's side without a thread, and a line that gives what is in it: then the table stops the adapter.

    An item of `script`: a line, a number of seconds that pass, or what the table orders."""

    stopping = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch, zones: tuple[str, ...] = FIVE, **settings: Any) -> None:
        self.now, self.dropped = 100.0, 0
        self.script: list[Any] = []
        self.states: list[Mapping[str, Any]] = []
        self.told: list[tuple[str, str | None]] = []
        self.laid: list[tuple[str, bytes]] = []
        self.notes: list[str] = []
        self.strange: set[str] = set()
        self.faults: list[str] = []
        self.restarts = 0
        self.firmware: str | None = "2811b6f"
        monkeypatch.setattr("devices.adapters.rfid_poker.TextLine", lambda _place, *, longest: self)
        self.adapter = self.of(zones, PACK, **settings)

    def of(self, zones: tuple[str, ...], pack: Pack | None, **settings: Any) -> RfidPoker:
        chosen = RfidPokerSettings(zones=zones, face="up", **settings)
        self.host = NamedChips(pack, *zones)
        return RfidPoker(Place("reader", chips=self.host.at_hand), chosen, lambda: self.now)

    def play(self, *script: Any) -> None:
        self.script = list(script)
        with pytest.raises(AdapterStopped):
            self.adapter.run(self)

    def fault(self, *script: Any) -> AdapterFault:
        self.script = list(script)
        with pytest.raises(AdapterFault) as caught:
            self.adapter.run(self)
        assert len(caught.value.fault.text) < 200
        return caught.value

    # as TextLine

    def __enter__(self) -> "Scene":
        return self

    def __exit__(self, *_reason: object) -> None: ...

    def restart_board(self) -> None:
        self.restarts += 1

    def read(self, seconds: float) -> str | None:
        if not self.script:
            raise AdapterStopped
        if isinstance(self.script[0], str):
            return str(self.script.pop(0))
        if isinstance(self.script[0], float):
            self.now += self.script.pop(0)
        else:
            self.now += seconds
        return None

    # as TableSide

    def orders(self, _seconds: float = 0.0) -> dict[str, dict[str, Any]]:
        return {"collect": self.script.pop(0)} if self.script and isinstance(self.script[0], dict) else {}

    def up(self, state: Mapping[str, Any], *, serial: str = "", firmware: str = "") -> None:
        assert (serial, firmware) == (BOARD, self.firmware or firmware)
        self.states.append(self.host.state(state)[0])

    def event(self, body: Mapping[str, Any]) -> int:
        assert (body["ev"], body["face"]) == ("placed", "up")
        if self.host.at_hand.laid():
            self.laid.append((body["zone"], body["card"]))
            return len(self.laid)
        try:
            named, _ = self.host.event(body)
        except DeviceMessageError as fault:
            self.faults.append(str(fault))
        else:
            self.told.append((named["zone"], named["card"]))
        return len(self.told)

    def committed(self, _number: int, _seconds: float = 0.0) -> bool:
        return True

    def status(self, body: Mapping[str, Any]) -> None:
        status = read_status("reader", body, self.adapter.settings.zones)
        self.strange = {zone for zone, told in status.zones.items() if told.trouble == "stranger"}
        if status.note is not None and status.note not in self.notes[-1:]:
            self.notes.append(status.note)


COLLECT, DEAL = {"on": True}, {"on": False}


def test_it_is_restarted_and_up_when_it_has_told_what_lies_there(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.play("ets Jun  8 2016", "# Starting...", boot(), card(CHIPS[0], 2), card(CHIPS[0], 3), 3.0, card(CHIPS[1], 4))
    assert scene.restarts == 1
    assert scene.states == [{"board:1": [["As", "up"]], **{zone: [] for zone in FIVE[1:]}}]
    assert scene.told == [("board:2", "Kd")]
    assert scene.notes == []


def test_cards_take_the_zones_in_the_order_in_which_they_come_and_a_seat_has_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch)
    seen = [card(chip, seq) for seq, chip in enumerate((CHIPS[3], CHIPS[0], CHIPS[3], CHIPS[2]), 2)]
    scene.play(boot(), 3.0, *seen)
    assert scene.told == [("board:1", "7h"), ("board:2", "As"), ("board:3", "2c")]
    seat = Scene(monkeypatch, ("seat:3",))
    seat.play(boot(), 3.0, *seen)
    assert seat.told == [("seat:3", "7h"), ("seat:3", "As"), ("seat:3", "2c")]


def test_without_a_list_a_card_lies_there_and_nobody_knows_which(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.adapter = scene.of(FIVE, None)
    scene.play(boot(), card(CHIPS[0], 2), 3.0, card(CHIPS[1], 3))
    assert scene.states[0]["board:1"] == [[None, "up"]]
    assert scene.told == [("board:2", None)]


@pytest.mark.parametrize(
    ("chip", "words"),
    [(CHIPS[6], "two packs are mixed"), (CHIPS[7], "was retired"), (CHIPS[30], "in no pack"), (PHONE, "a phone")],
)
def test_a_chip_that_is_no_card_of_the_pack_is_named_with_its_zone_and_is_no_card(
    monkeypatch: pytest.MonkeyPatch, chip: str, words: str
) -> None:
    """The reader goes on. While the chip lies there its zone has the trouble, and no second fault comes."""
    scene = Scene(monkeypatch, ("seat:3",))
    scene.play(boot(), 3.0, card(chip, 2), 1.5, card(chip, 3), 1.5, card(chip, 4), 1.5, card(CHIPS[0], 5), 1.5)
    [fault] = scene.faults
    assert "seat:3: there is " in fault
    assert words in fault
    assert "take it away" in fault
    assert chip not in fault
    assert scene.told == [("seat:3", "As")]
    assert scene.strange == {"seat:3"}
    scene.play(boot(), 3.0, card(chip, 2), 1.5, card(chip, 3), STAYS + 1.5)
    assert scene.strange == set()


def test_what_lay_there_and_is_no_card_is_no_state_and_is_told_once_the_reader_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(monkeypatch, ("seat:3",))
    scene.play(boot(), card(CHIPS[30], 2), card(CHIPS[0], 3), 3.0, card(CHIPS[30], 4), 1.5)
    assert scene.states == [{"seat:3": [["As", "up"]]}]
    told = [str(doubt) for doubt in scene.host.driver.doubts()]  # `face` opens no hand, though the settings trust it
    assert any("says up in seat:3: taken for face down" in words for words in told)
    assert any("say faces = false in its settings" in words for words in told)
    assert len(scene.faults) == 1
    assert scene.strange == {"seat:3"}


# -- one wrong bit: the lines have no checksum


def bits_of(line: str) -> Iterator[str]:
    """The line with each bit in turn wrong, as the port would give it: what is no ASCII is dropped there."""
    for at, character in enumerate(line):
        for bit in range(7):
            wrong = chr(ord(character) ^ 1 << bit)
            if wrong not in "\r\n":
                yield line[:at] + wrong + line[at + 1 :]


def test_no_wrong_bit_takes_the_reader_down_or_makes_another_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ace comes, and the line that tells it has a wrong bit; it is told again, and so is the king before it."""
    king, ace = card(CHIPS[1], 2), card(CHIPS[0], 3)
    for wrong in bits_of(ace):
        scene = Scene(monkeypatch)
        again = [card(CHIPS[1], 4), card(CHIPS[0], 5), card(CHIPS[1], 6), card(CHIPS[0], 7)]
        scene.play(boot(), 3.0, king, wrong, *again)
        assert scene.told == [("board:1", "Kd"), ("board:2", "As")], wrong
        assert len(scene.states) == 1, wrong


def test_no_wrong_bit_of_its_first_line_keeps_the_reader_down(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in bits_of(boot()):
        scene = Scene(monkeypatch)
        scene.firmware = None
        scene.play(wrong, *[card(CHIPS[1], seq) for seq in (2, 3, 4)], 3.0)
        assert [state["board:1"] for state in scene.states] == [[["Kd", "up"]]], wrong


@pytest.mark.parametrize(
    "other", ["04 0e 3b d2 28 6b 11", "04 0e 3b d2 28 6b 13", "04 0a 3b d2 28 6b 11", "04 0a 3b d2 28 6b 13"]
)
def test_cards_whose_numbers_three_bits_tell_apart_are_told_when_they_have_come_twice(
    monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    near = "04 0e 3b d2 28 6b 10", other
    pack = Pack()
    pack.cards = {bytes.fromhex(near[0]): "As", bytes.fromhex(near[1]): "Kd"}
    scene = Scene(monkeypatch)
    scene.adapter = scene.of(FIVE, pack)
    scene.play(boot(), 3.0, card(near[0], 2))
    assert scene.told == []
    scene.play(boot(), 3.0, card(near[0], 2), card(near[1], 3), card(near[0], 4))
    assert scene.told == [("board:1", "As")]


def test_no_two_wrong_bits_in_the_number_make_another_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pack has two cards, and each line that two wrong bits make of the ace's is told before the ace is."""
    ace, king = bytes.fromhex("040e3bd2286b10"), bytes.fromhex("040e3bd2286b31")
    pack = Pack()
    pack.cards = {ace: "As", king: "Kd"}
    text = ace.hex(" ")
    made = 0
    for one in bits_of(text):
        for wrong in bits_of(one):
            number = chip_number(wrong)
            if number != king:
                continue
            made += 1
            scene = Scene(monkeypatch)
            scene.adapter = scene.of(FIVE, pack)
            scene.play(boot(), 3.0, card(wrong, 2), card(text, 3), card(text, 4))
            assert scene.told == [("board:1", "As")], wrong
    assert made > 0


def test_no_three_wrong_bits_in_a_line_make_another_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pack of one lot, and each line that so few wrong bits make another card's: each is told as itself."""
    numbers = [bytes.fromhex("040e3bd2286b") + bytes((last,)) for last in range(0, 256, 5)]
    pack = Pack()
    pack.cards = dict(zip(numbers, sorted(full_deck(52)), strict=True))
    near = [pair for pair in permutations(numbers, 2) if 1 < (bits_apart(*pair) or 0) < 4]
    assert {bits_apart(*pair) for pair in near} == {2, 3}
    for number, wrong in near[::9]:
        scene = Scene(monkeypatch)
        scene.adapter = scene.of(FIVE, pack)
        text = number.hex(" ")
        scene.play(boot(), 3.0, card(wrong.hex(" "), 2), card(text, 3), card(text, 4))
        assert scene.told == [("board:1", pack.cards[number])]


@given(st.binary(min_size=7, max_size=7), st.data())
def test_what_wrong_bits_make_of_a_number_is_no_farther_than_they_are_many(number: bytes, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([number.hex(), number.hex().upper()]))
    wrong = bytearray(text.encode())
    bits = data.draw(st.lists(st.tuples(st.integers(0, 13), st.integers(0, 6)), max_size=4, unique=True))
    for at, bit in bits:
        wrong[at] ^= 1 << bit
    try:
        other = bytes.fromhex(wrong.decode("ascii"))
    except ValueError:
        return
    if len(other) == len(number):
        apart = bits_apart(number, other)
        assert apart is not None
        assert apart <= len(bits)


def test_numbers_of_two_lengths_are_not_made_of_one_another() -> None:
    assert bits_apart(bytes(4), bytes(7)) is None
    assert bits_apart(b"\xab", b"\xab") == 0


def test_between_rounds_what_lay_there_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, again_after=15.0)
    first = [card(chip, seq) for seq, chip in enumerate(CHIPS[:5], 2)]
    swept = card(CHIPS[5], 7)
    scene.play(
        boot(), 3.0, DEAL, *first, COLLECT, swept, card(CHIPS[0], 8), 20.0, card(CHIPS[0], 9), DEAL, card(CHIPS[5], 10)
    )
    assert scene.told == [
        ("board:1", "As"), ("board:2", "Kd"), ("board:3", "2c"), ("board:4", "7h"), ("board:5", "Tc"),
        ("board:1", "As"), ("board:1", "9s"),
    ]  # fmt: skip


def test_while_a_pack_is_laid_each_chip_is_told_and_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.host.at_hand.being_laid = True
    laid = [bytes.fromhex(chip) for chip in (*CHIPS[:40], PHONE)]
    scene.play(boot(), 3.0, COLLECT, *[card(chip.hex(" "), seq) for seq, chip in enumerate(laid, 2)])
    assert scene.laid == [("board:1", chip) for chip in laid]
    scene.host.at_hand.being_laid = False
    scene.play(boot(), 3.0, card(CHIPS[39], 2))
    assert "in no pack" in scene.faults[0]


def test_a_chip_too_many_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    fault = scene.fault(boot(), 3.0, *[card(chip, seq) for seq, chip in enumerate(CHIPS[:6], 2)])
    assert "reader at board:1 to board:5: it tells more chips than it has places: take away" in fault.fault.text
    assert len(scene.told) == 5


def test_after_a_lost_link_and_after_a_restart_the_chips_keep_their_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch)
    scene.play(boot(), 3.0, card(CHIPS[2], 2), card(CHIPS[0], 3))
    scene.play(boot(), card(CHIPS[0], 2), card(CHIPS[1], 3), card(CHIPS[2], 4), 3.0, boot(), card(CHIPS[0], 2), 3.0)
    there: dict[str, Any] = {zone: [] for zone in FIVE} | {"board:2": [["As", "up"]]}
    assert scene.states[1:] == [there | {"board:1": [["2c", "up"]], "board:3": [["Kd", "up"]]}, there]


def test_numbers_tell_what_is_missing_and_a_boot_that_was_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that does not follow is believed once the next one follows it."""
    scene = Scene(monkeypatch)
    lost = boot(), 3.0, card(CHIPS[0], 5), card(CHIPS[0], 6)
    scene.play(*lost, 1.5, "half a li", 0.5, "another", 2.0, card(CHIPS[1], 2), card(CHIPS[1], 3), 3.0)
    assert scene.notes[0].startswith("0 lines were no messages, 3 messages are missing")
    assert scene.notes[-1].startswith("2 lines were no messages, 3 messages are missing")
    assert scene.states[1]["board:2"] == [["Kd", "up"]]
    assert scene.told == [("board:1", "As"), ("board:2", "Kd")]


NEAR = "04 0e 3b d2 28 6b 10", "04 0e 3b d2 28 6b 11"


@pytest.mark.parametrize("begins", [NEAR[1], PHONE])
def test_what_a_board_tells_first_after_a_boot_that_was_not_heard_is_believed_no_sooner(
    monkeypatch: pytest.MonkeyPatch, begins: str
) -> None:
    """A number that one wrong bit made of another card's must come twice; a phone is no card."""
    pack = Pack()
    pack.cards = {bytes.fromhex(NEAR[0]): "As", bytes.fromhex(NEAR[1]): "Kd"}
    scene = Scene(monkeypatch)
    scene.adapter = scene.of(FIVE, pack)
    before = [card(NEAR[0], number) for number in range(2, 9)]
    scene.play(boot(), *before, 4.0, card(begins, 2), card(NEAR[0], 3), card(NEAR[0], 4), 4.0)
    assert [state["board:1"] for state in scene.states] == [[["As", "up"]]] * 2
    assert not any(state[zone] for state in scene.states for zone in FIVE[1:])
    assert scene.told == []


@pytest.mark.parametrize(
    ("words", "told"), [
        ("Failed to initialize RFID reader on channel 2", "on channel 2 (board:3) does not answer: check its plug"),
        ("Failed to initialize RFID reader on channel 7", "the reader chip on channel 7 does not answer"),
        ("As Kd", "the device tells an error of its own: read it"),
    ],
)  # fmt: skip
def test_a_dead_reader_chip_is_named_with_its_zone(monkeypatch: pytest.MonkeyPatch, words: str, told: str) -> None:
    fault = Scene(monkeypatch).fault(boot(), error(words))
    assert told in fault.fault.text
    assert fault.fault.code is FaultCode.NO_ANSWER
    assert "As" not in fault.fault.text


@pytest.mark.parametrize(
    ("script", "code", "told"), [
        ((10.0,), FaultCode.NO_ANSWER, "it has said nothing: check its plug"),
        (("noise",) * (NOISE_MAX + 1), FaultCode.MALFORMED, "21 lines in a row are no messages of that"),
        ([boot()] * (RESTARTS_MAX + 1), FaultCode.MALFORMED, "it starts over and over: check its supply"),
        ((boot(), 3.0, *[card(CHIPS[0], 2, "another")] * 2), FaultCode.UNKNOWN_DEVICE,
         "another device speaks in its place"),
        ([boot(device="x" * 65)] * WRONG_MAX, FaultCode.MALFORMED,
         "(boot: device_id is no text of 1 to 64 characters): load"),
    ],
)  # fmt: skip
def test_a_device_that_is_not_the_one_is_told_by_name(
    monkeypatch: pytest.MonkeyPatch, script: tuple[Any, ...], code: FaultCode, told: str
) -> None:
    fault = Scene(monkeypatch).fault(*script)
    assert told in fault.fault.text
    assert fault.fault.code is code


def test_it_is_restarted_only_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene(monkeypatch, restart=False)
    scene.play(boot(), 3.0)
    assert scene.restarts == 0


# -- over a pseudo-terminal


class ReaderTable:
    """The daemon's end with the ordinary driver of readers."""

    def __init__(self) -> None:
        self.host = NamedChips(PACK, *FIVE)
        self.told: list[Event] = []
        self.ups: list[DeviceIdentity] = []
        self.downs: list[LinkFault] = []

    def on_up(self, _name: str, identity: DeviceIdentity, state: Mapping[str, Any]) -> None:
        self.told += self.host.state(state)[1]
        self.ups.append(identity)

    def on_event(self, _name: str, _boot: bytes, _seq: int, body: Mapping[str, Any]) -> None:
        self.told += self.host.event(body)[1]

    def on_status(self, _name: str, status: Mapping[str, Any]) -> None:
        read_status("reader", status, FIVE)

    def on_down(self, _name: str, fault: LinkFault) -> None:
        self.downs.append(fault)


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WiredClient]:
    """A board that starts anew when its port is opened, as one does whose RTS is wired."""
    client = WiredClient(tmp_path / "reader")
    monkeypatch.setattr(TextLine, "restart_board", lambda _line: client.say("ets Jun  8 2016", boot()))
    yield client
    client.close()


@contextlib.asynccontextmanager
async def played(port: Path, serial_number: str | None = None) -> AsyncIterator[tuple[ReaderTable, AdapterLink]]:
    table = ReaderTable()
    settings = RfidPokerSettings(zones=FIVE, face="up", settle=0.0)
    place = Place("reader", str(port), chips=table.host.at_hand)
    link = AdapterLink(
        "reader", "rfid-poker", "reader", lambda: RfidPoker(place, settings), table, wanted_serial=serial_number
    )
    async with running(link.run()):
        yield table, link


def test_over_a_wire_noise_costs_lines_and_never_makes_a_card(board: WiredClient) -> None:
    async def scene() -> None:
        async with played(board.port) as (table, link):
            await eventually(lambda: table.ups)
            assert not link.authenticated
            board.noise(bytes(range(256)) + b"\n" + b"x" * 3 * LONGEST + b"\r\n")
            board.noise(card(CHIPS[0], 2).encode()[:50] + b"\r\n" + b"\xff\xfe\r\n")
            board.say(card(CHIPS[0], 3), card(CHIPS[0], 4) * 9, card(CHIPS[1], 5), *[card(CHIPS[1], 6)])
            await eventually(lambda: len(table.told) == 2)
            assert table.told == [
                CardPlaced(t=1.0, zone="board:1", card="As", face="up"),
                CardPlaced(t=1.0, zone="board:2", card="Kd", face="up"),
            ]
            board.say(*["nothing of it"] * (NOISE_MAX + 1))
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.MALFORMED

    run(scene(), jumping=False)


def test_over_a_wire_another_board_is_refused(board: WiredClient) -> None:
    async def scene() -> None:
        async with played(board.port, "atom-1") as (table, _):
            await eventually(lambda: table.downs)
            assert table.downs[0].code is FaultCode.UNKNOWN_DEVICE
            assert not table.ups

    run(scene(), jumping=False)


def test_it_comes_with_feltd_under_its_name() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["entry-points"]["feltd.devices"]["rfid-poker"]
    assert named == f"{RfidPoker.__module__}:{RfidPoker.__name__}"
    assert not RfidPoker.authenticated
    assert RfidPoker.key_bytes == 0
