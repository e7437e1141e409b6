"""A reader over PC/SC at which each chip proves itself: played, and with a real pcscd and modelled chips."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from devices.adapters import AdapterFault, FaultCode, Place
from devices.adapters.chip_proof import MAKERS_KEY, key_of
from devices.adapters.interface import At, PcscName
from devices.adapters.link import AdapterLink
from devices.adapters.loading import Wanted, misfits
from devices.adapters.pcsc import TRIES, PcscSettings
from devices.adapters.pcsc_proving import ProvingReader
from tests.devices.dna_chip import DnaChip
from tests.devices.played_pcsc import ACR, PlayedPcsc
from tests.devices.test_pcsc import CHIPS, PHONE, QUIET, TABLE, Scene
from tests.devices.test_pcsc_real import ReaderTable, placed, up
from tests.devices.virtual_reader import READERS, Service, use_debians, why_not
from tests.firmware_bridge.support import run
from tests.ports import free_port
from tests.running import eventually, running

SECRET = bytes(range(30, 46))
SETTINGS = PcscSettings(zone="seat:3", face="down", gone_after=0.3)
COPY = "there is a chip that does not prove itself, a copy or one without its own key: take it away and call the floor"
REAL = pytest.mark.skipif(bool(why := why_not()), reason=why or "")


def card(place: int, key: bytes | None = None) -> DnaChip:
    """The chip of a card of the pack; `key`: in the place of its own."""
    number = CHIPS[place]
    return DnaChip(number, key_of(SECRET, number) if key is None else key)


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(monkeypatch)
    place = Place("reader:3", pcsc=PcscName(ACR), chips=made.host.at_hand, key=SECRET)
    made.adapter = ProvingReader(place, SETTINGS, lambda: made.now)
    return made


def test_a_card_that_proves_itself_comes_and_goes(scene: Scene) -> None:
    chip = card(0)
    scene.play(None, lambda: scene.reader.lay(chip), *QUIET, scene.put(None), *QUIET)
    assert scene.told == [("placed", "As"), ("removed", "As")]
    assert chip.tried == 1


def test_a_chip_that_went_and_is_back_proves_itself_anew(scene: Scene) -> None:
    chip, copy = card(0), card(0, MAKERS_KEY)
    scene.play(lambda: scene.reader.lay(chip), None, lambda: scene.reader.lay(chip), *QUIET)
    assert (scene.told, chip.tried) == ([("placed", "As")], 2)
    assert COPY in scene.fault(None, lambda: scene.reader.lay(copy), *QUIET).fault.text


@pytest.mark.parametrize("key", [MAKERS_KEY, key_of(SECRET, CHIPS[1]), key_of(SECRET[::-1], CHIPS[0])])
def test_a_copy_or_a_chip_of_another_key_is_a_fault_and_never_a_card(scene: Scene, key: bytes) -> None:
    fault = scene.fault(None, lambda: scene.reader.lay(card(0, key)), *QUIET)
    assert COPY in fault.fault.text
    assert fault.fault.code is FaultCode.MALFORMED
    assert scene.told == []


def test_a_chip_that_has_the_number_alone_is_a_fault(scene: Scene) -> None:
    assert COPY in scene.fault(None, scene.put(CHIPS[0]), *QUIET).fault.text
    scene.reader.put(bytes.fromhex("11223344"))
    scene.host.at_hand.being_laid = True  # while a pack is laid every number is told, and has to prove itself too
    assert COPY in scene.fault(*QUIET).fault.text
    assert (scene.told, scene.laid) == ([], [])


@pytest.mark.parametrize(("chip", "words"), [(CHIPS[4], "two packs are mixed"), (PHONE, "a phone")])
def test_what_is_no_card_is_named_as_that_and_not_asked(scene: Scene, chip: bytes, words: str) -> None:
    dna = DnaChip(chip)
    assert words in scene.fault(None, lambda: scene.reader.lay(dna), *QUIET).fault.text
    assert dna.tried == 0


def test_a_chip_that_failed_is_not_asked_again_while_it_lies_there(scene: Scene) -> None:
    """A thousand failures shut a chip for ever, and a device that is down is tried again every few seconds."""
    chip = card(0, MAKERS_KEY)
    scene.reader.lay(chip)
    for _ in range(5):
        assert COPY in scene.fault(*QUIET).fault.text
    assert chip.failed == 1
    scene.reader.lay(chip)
    assert COPY in scene.fault(*QUIET).fault.text
    assert chip.failed == 2


@pytest.mark.parametrize("answered", [0, 1, 2, 3])
def test_a_chip_that_goes_away_meanwhile_is_no_copy(scene: Scene, answered: int) -> None:
    torn, whole = card(0), card(0)
    torn.torn = answered
    scene.play(None, lambda: scene.reader.lay(torn), None, lambda: scene.reader.lay(whole), *QUIET)
    assert scene.told == [("placed", "As")]


def test_another_program_that_keeps_the_chip_for_itself_is_waited_for(scene: Scene) -> None:
    def busy() -> None:
        scene.reader.lay(card(0))
        scene.reader.busy = PlayedPcsc.SCARD_W_UNRESPONSIVE_CARD

    def free() -> None:
        scene.reader.busy = 0

    scene.play(None, busy, None, free, *QUIET)
    assert scene.told == [("placed", "As")]
    assert "tells no whole number" in scene.fault(None, busy, *(None,) * TRIES).fault.text


@pytest.mark.parametrize(("key", "words"), [(None, "there is none"), (bytes(16), "all its bytes are the same")])
def test_without_a_key_of_its_own_it_does_not_start(key: bytes | None, words: str) -> None:
    adapter = ProvingReader(Place("reader:3", pcsc=PcscName(ACR), key=key), SETTINGS)
    with pytest.raises(AdapterFault, match=words) as caught:
        adapter.run(TABLE)
    assert caught.value.fault.code is FaultCode.WRONG_KEY


def test_it_comes_with_feltd_under_its_name_and_needs_its_key() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entered = project["entry-points"]["feltd.devices"]["pcsc-proving"]
    assert entered == f"{ProvingReader.__module__}:{ProvingReader.__name__}"
    facts = {"zone": "seat:3", "face": "down"}
    wanted = Wanted("reader:3", "pcsc-proving", "reader", At.PCSC, has_key=False, settings=facts)
    assert dict(misfits(ProvingReader, wanted))["key_file"].endswith("needs a key of 16 bytes")
    assert not ProvingReader.authenticated, "a chip proves itself, and no message about where it lies"


# -- with a real pcscd


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    use_debians(tmp_path)
    made = Service(tmp_path, free_port())
    made.start()
    yield made
    made.stop()


@REAL
def test_through_pcscd_a_card_proves_itself_and_a_copy_does_not(service: Service) -> None:
    async def scene() -> None:
        table = ReaderTable("seat:3")
        place = Place("reader", pcsc=PcscName(READERS[0]), chips=table.host.at_hand, key=SECRET)
        link = AdapterLink("reader", "pcsc-proving", "reader", lambda: ProvingReader(place, SETTINGS), table)
        async with running(link.run()):
            await up(table)
            copy = service.lay(card(0, MAKERS_KEY).answer)
            await eventually(lambda: [fault for fault in table.downs if COPY in fault.text])
            copy.lift()
            await up(table, 2)
            assert table.told == []
            service.lay(card(0).answer)
            await eventually(lambda: table.told)
            assert table.told == [placed("As")]

    run(scene(), jumping=False)
