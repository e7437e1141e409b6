"""A reader over PC/SC, played: cards that come, go and flicker; chips that tell nothing; pcscd that dies."""

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devices.adapters import AdapterFault, AdapterStopped, FaultCode, Place
from devices.adapters.chip_numbers import PackFault
from devices.adapters.interface import At, PcscName
from devices.adapters.loading import Wanted, misfits
from devices.adapters.pcsc import TRIES, PcscReader, PcscSettings
from devices.adapters.pcsc_service import MISSING, base_of
from devices.udev import Plugged
from firmware_bridge.usb_id import UsbId
from tests.devices.named_chips import NamedChips
from tests.devices.played_pcsc import ACR, PlayedPcsc, PlayedReader

CHIPS = [bytes.fromhex(f"040e3bd2286b{number:02x}") for number in range(0x10, 0x20)]
PHONE = bytes.fromhex("084a5b6c")
FIRST = f"{ACR} 00 00"
COLLECT, DEAL = {"on": True}, {"on": False}


TABLE: Any = None
"""No table: it is not asked."""


class Pack:
    """These chips, in order, are these cards."""

    cards: Mapping[bytes, str | PackFault] = dict(
        zip(CHIPS, ("As", "Kd", "2c", "7h", PackFault.OTHER_PACK, PackFault.RETIRED), strict=False)
    )

    def card_of(self, uid: bytes) -> str | PackFault:
        return self.cards.get(uid, PackFault.UNKNOWN)

    def pack_of(self, uid: bytes) -> str | None:
        return None

    def has_near(self, number: bytes, bits: int) -> bool:
        return False

    def has_mark(self, mark: bytes) -> bool:
        return False


class Scene:
    """The table's side, and a reader whose waits the test's script fills. When it is empty the table stops."""

    stopping = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wanted: PcscName | None = None, pack: Any = None) -> None:
        self.now = 100.0
        self.pcsc = PlayedPcsc({FIRST: PlayedReader()}, passes=self.passes)
        self.reader = self.pcsc.readers[FIRST]
        self.orders_now: list[Mapping[str, Any]] = []
        self.states: list[Any] = []
        self.told: list[tuple[str, str | None]] = []
        self.laid: list[tuple[str, bytes]] = []
        self.host = NamedChips(pack or Pack(), "seat:3")
        monkeypatch.setattr("devices.adapters.pcsc.scard_or_none", lambda: self.pcsc)
        place = Place("reader:3", pcsc=wanted or PcscName(ACR), chips=self.host.at_hand)
        self.adapter = PcscReader(place, PcscSettings(zone="seat:3", face="down", gone_after=0.3), lambda: self.now)

    def passes(self, seconds: float) -> None:
        self.now += seconds or 0.001

    def play(self, *script: Any) -> "Scene":
        self.pcsc.script = list(script)
        with pytest.raises(AdapterStopped):
            self.adapter.run(self)
        assert self.pcsc.released
        return self

    def fault(self, *script: Any) -> AdapterFault:
        self.pcsc.script = list(script)
        with pytest.raises(AdapterFault) as caught:
            self.adapter.run(self)
        text = caught.value.fault.text
        assert text.startswith("reader:3 at seat:3: ")
        assert len(text) < 200
        assert not [chip for chip in (*CHIPS, PHONE) if chip.hex() in text.lower()]
        return caught.value

    def put(self, *chips: bytes | None) -> Any:
        """Chips that come one after the other, faster than anybody looks."""

        def happens() -> None:
            for chip in chips:
                self.reader.put(chip)

        return happens

    def order(self, collect: Mapping[str, Any]) -> Any:
        return lambda: self.orders_now.append(collect)

    # as TableSide

    def orders(self, _seconds: float = 0.0) -> dict[str, Any]:
        if not self.pcsc.script and self.states:
            raise AdapterStopped
        return {"collect": self.orders_now.pop(0)} if self.orders_now else {}

    def up(self, state: Mapping[str, Any], *, serial: str = "", firmware: str = "") -> None:
        assert (serial, firmware) == ("", "")
        zones, _ = self.host.state(state)
        assert state["faces"] is False
        self.states.append(zones["seat:3"])

    def event(self, body: Mapping[str, Any]) -> int:
        if self.host.at_hand.laid():
            self.laid.append((body["ev"], body["card"]))
            return len(self.laid)
        named, [_] = self.host.event(body)
        self.told.append((named["ev"], named["card"]))
        return len(self.told)

    def committed(self, _number: int, _seconds: float = 0.0) -> bool:
        return True

    def status(self, _body: Mapping[str, Any]) -> None: ...


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(monkeypatch)


QUIET = (None,) * 4


def test_a_card_comes_and_goes(scene: Scene) -> None:
    scene.play(None, scene.put(CHIPS[0]), *QUIET, scene.put(None), *QUIET)
    assert scene.states == [[]]
    assert scene.told == [("placed", "As"), ("removed", "As")]


def test_what_lies_there_at_the_start_is_its_state_and_no_event(scene: Scene) -> None:
    scene.reader.put(CHIPS[1])
    scene.play(*QUIET, scene.put(None), *QUIET)
    assert scene.states == [[["Kd", "down"]]]
    assert scene.told == [("removed", "Kd")]


def test_a_chip_that_flickers_is_a_card_that_lies(scene: Scene) -> None:
    scene.play(scene.put(CHIPS[0]), None, scene.put(None, CHIPS[0]), None, scene.put(None), scene.put(CHIPS[0]), *QUIET)
    assert scene.told == [("placed", "As")]


def test_two_cards_that_take_turns_between_two_looks_are_told_in_order(scene: Scene) -> None:
    scene.play(scene.put(CHIPS[0]), None, scene.put(None, CHIPS[1]), None, scene.put(None), *QUIET)
    assert scene.told == [("placed", "As"), ("removed", "As"), ("placed", "Kd"), ("removed", "Kd")]


def test_a_card_that_is_collected_is_no_removal(scene: Scene) -> None:
    scene.play(scene.put(CHIPS[0]), None, scene.order(COLLECT), scene.put(None), *QUIET, scene.order(DEAL), *QUIET)
    assert scene.told == [("placed", "As")]


def test_a_program_that_asks_the_chip_too_is_no_new_card(scene: Scene) -> None:
    scene.play(scene.put(CHIPS[0]), None, *QUIET)
    asked = scene.pcsc.asked
    scene.play(*QUIET)
    assert scene.pcsc.asked == asked + 1  # its start alone


@pytest.mark.parametrize(
    ("chip", "words"),
    [(CHIPS[4], "two packs are mixed"), (CHIPS[5], "was retired"), (CHIPS[9], "in no pack"), (PHONE, "a phone")],
)
def test_a_chip_that_is_no_card_of_the_pack_is_a_fault_and_never_a_card(scene: Scene, chip: bytes, words: str) -> None:
    fault = scene.fault(None, scene.put(chip), *QUIET)
    assert words in fault.fault.text
    assert fault.fault.code is FaultCode.MALFORMED
    assert scene.told == []


def test_without_a_list_a_card_lies_there_and_nobody_knows_which(scene: Scene) -> None:
    scene.host = NamedChips(None, "seat:3")
    scene.adapter.place = Place("reader:3", pcsc=PcscName(ACR), chips=scene.host.at_hand)
    scene.play(None, scene.put(CHIPS[0]), *QUIET)
    assert scene.told == [("placed", None)]


def test_while_a_pack_is_laid_a_chip_of_none_is_told_too(scene: Scene) -> None:
    scene.host.at_hand.being_laid = True
    scene.play(None, scene.put(CHIPS[9]), *QUIET, scene.put(None), *QUIET)
    assert scene.laid == [("placed", CHIPS[9]), ("removed", CHIPS[9])]


def no_answer(data: bytes) -> bool:
    """Whether an answer to the question for a chip's number has none that is whole."""
    return data[-2:] != b"\x90\x00" or len(data) - 2 not in (4, 7, 8, 10)


@given(answer=st.one_of(st.binary(max_size=20), st.binary(max_size=12).map(lambda number: number + b"\x90\x00")))
def test_whatever_a_chip_answers_no_card_is_guessed(answer: bytes) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        scene = Scene(monkeypatch)
        scene.reader.answer = answer
        scene.reader.count += 1
        fault = scene.fault(*QUIET * 3)
        if no_answer(answer):
            assert "tells no whole number: lay one card there" in fault.fault.text
        assert scene.told == scene.states == []


def test_two_chips_that_answer_at_once_tell_nothing_whole_until_one_is_taken_away(scene: Scene) -> None:
    def two_at_once() -> None:
        scene.reader.put(CHIPS[0])
        scene.reader.answer = CHIPS[0][:4] + b"\x63\x00"

    def one_of_them() -> None:
        scene.reader.answer = None

    scene.play(None, two_at_once, None, None, one_of_them, *QUIET)
    assert scene.told == [("placed", "As")]


def test_a_chip_that_says_nothing_at_all_is_named_after_a_few_tries(scene: Scene) -> None:
    scene.reader.mute = True
    fault = scene.fault(None, scene.put(CHIPS[0]), *(None,) * TRIES)
    assert "flat and alone" in fault.fault.text
    assert scene.told == []


def test_a_reader_that_is_pulled_and_one_that_another_program_has_are_named(scene: Scene) -> None:
    fault = scene.fault(None, scene.put(CHIPS[0]), None, scene.pcsc.readers.clear)
    assert (fault.fault.code, "unplugged" in fault.fault.text) == (FaultCode.UNPLUGGED, True)
    scene.pcsc.readers[FIRST] = PlayedReader(chip=CHIPS[0], taken=True)
    fault = scene.fault(None)
    assert (fault.fault.code, "stop that one" in fault.fault.text) == (FaultCode.PORT_BUSY, True)


@pytest.mark.parametrize(
    ("code", "told", "words"), [
        ("SCARD_E_NO_SERVICE", FaultCode.NO_ANSWER, "apt install pcscd"),
        ("SCARD_E_SERVICE_STOPPED", FaultCode.NO_ANSWER, "pcscd does not answer"),
        ("SCARD_E_INVALID_HANDLE", FaultCode.NO_ANSWER, "systemctl restart pcscd"),
        ("SCARD_W_SECURITY_VIOLATION", FaultCode.PORT_DENIED, "the rule for polkit"),
        ("SCARD_E_UNSUPPORTED_FEATURE", FaultCode.PORT_FAILED, "PC/SC fails with 0x8010001f: plug the reader in"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("later", [False, True])
def test_pcscd_that_is_dead_or_refuses_is_named(
    scene: Scene, code: str, told: FaultCode, words: str, later: bool
) -> None:
    def dies() -> None:
        scene.pcsc.dead = getattr(PlayedPcsc, code)

    if not later:
        dies()
    fault = scene.fault(None, scene.put(CHIPS[0]), None, dies, None)
    assert (fault.fault.code, words in fault.fault.text) == (told, True)


def test_codes_with_a_sign_are_the_same_codes(scene: Scene) -> None:
    scene.pcsc.dead = PlayedPcsc.SCARD_E_NO_SERVICE - (1 << 32)
    assert scene.fault(None).fault.code is FaultCode.NO_ANSWER


# -- which reader it is


def test_a_reader_is_found_by_its_whole_name_or_without_the_numbers_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert base_of(FIRST) == base_of(f"{ACR} 0A 01") == ACR
    for name in (ACR, FIRST):
        assert Scene(monkeypatch, PcscName(name)).play(None).states == [[]]
    fault = Scene(monkeypatch, PcscName("ACS ACR1252")).fault(None)
    assert f"has no reader ACS ACR1252 (there are: {ACR})" in fault.fault.text
    assert fault.fault.code is FaultCode.PORT_MISSING
    empty = Scene(monkeypatch)
    empty.pcsc.readers.clear()
    assert "(there are: none)" in empty.fault(None).fault.text


SOCKETS = {f"{ACR} 00 00": ("1-1.2", b"\x04\x01\x20\x00"), f"{ACR} 01 00": ("1-1.3", b"\x05\x01\x20\x00")}


@pytest.fixture
def two_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bus:
        def usb_devices(self) -> list[Plugged]:
            names = {place: frozenset({f"/dev/bus/usb/001/{channel[0]:03d}"}) for place, channel in SOCKETS.values()}
            return [Plugged(UsbId(0x072F, 0x2200), place, ACR, names[place]) for place in names]

    monkeypatch.setattr("devices.adapters.pcsc.Udev", Bus)


@pytest.mark.usefixtures("two_readers")
@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_readers_of_one_name_the_socket_says_which(monkeypatch: pytest.MonkeyPatch, swapped: bool) -> None:
    scene = Scene(monkeypatch, PcscName(ACR, "1-1.3"))
    channels = [channel for _, channel in SOCKETS.values()]
    here, there = (PlayedReader(chip=CHIPS[n], channel=channels[n]) for n in (1, 0))
    names = list(SOCKETS)[:: -1 if swapped else 1]  # they are numbered as they were plugged in
    scene.pcsc.readers = dict(zip(names, (there, here), strict=True))
    assert scene.play(None).states == [[["Kd", "down"]]]
    for wanted, words in [
        (
            PcscName(ACR),
            f"there are 2 readers {ACR}: unplug all but one, or give the socket of this one (1-1.2, 1-1.3)",
        ),
        (PcscName(ACR, "1-4"), "is in socket 1-4 (there are some in 1-1.2, 1-1.3)"),
    ]:
        other = Scene(monkeypatch, wanted)
        other.pcsc.readers = scene.pcsc.readers
        assert words in other.fault(None).fault.text


@pytest.mark.usefixtures("two_readers")
@pytest.mark.parametrize("channel", [None, b"\x04\x01\x01\x00", b"\x04\x01", b"\x09\x01\x20\x00"])
def test_a_reader_whose_driver_tells_no_socket_is_never_taken_for_another(
    monkeypatch: pytest.MonkeyPatch, channel: bytes | None
) -> None:
    scene = Scene(monkeypatch, PcscName(ACR, "1-1.3"))
    scene.reader.channel = channel
    assert "there are some in no socket that its driver tells" in scene.fault(None).fault.text


# -- with feltd


def test_without_pyscard_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "smartcard.scard", None)
    wanted = Wanted("reader:3", "pcsc", "reader", At.PCSC, has_key=False, settings={"zone": "seat:3", "face": "down"})
    assert misfits(PcscReader, wanted) == [("adapter", MISSING)]
    adapter = PcscReader(Place("reader:3", pcsc=PcscName(ACR)), PcscSettings(zone="seat:3", face="down"))
    with pytest.raises(AdapterFault, match="apt install python3-pyscard") as caught:
        adapter.run(TABLE)
    assert caught.value.fault.code is FaultCode.ADAPTER_FAILED


def test_it_comes_with_feltd_under_its_name_and_reads_a_zone_that_there_is() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["feltd.devices"]["pcsc"] == f"{PcscReader.__module__}:{PcscReader.__name__}"
    assert not PcscReader.authenticated
    wanted = Wanted("reader:3", "pcsc", "reader", At.PORT, has_key=True, settings={"zone": "seat:13", "face": "down"})
    found = dict(misfits(PcscReader, wanted))
    assert "pcsc" in found["port"]
    assert "a zone is seat:1" in found["adapter_settings"]
    assert "authenticates nobody" in found["key_file"]
