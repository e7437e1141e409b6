"""`feltd deck antennas`: stickers, read by the antennas that they are fixed to."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.cli.deck_antennas import AntennasError, stickers_at
from feltd.cli.deck_stickers import NO_PACK, Sticker, told
from firmware_bridge.facts import LinkSpec, SessionHandler
from firmware_bridge.link import Link
from firmware_bridge.peer import PeerIdentity
from tests.firmware_bridge.support import KEY, Bench, run
from tests.firmware_bridge.support import Device as AnyDevice

ONE, OTHER, CARD = (bytes.fromhex(f"04a1b2c3d4e5f{n}") for n in "678")
STICKERS = {"seat:1": [[ONE, "down"]], "board:1": [[OTHER, "up"]]}


class Reader(AnyDevice):
    """Tells these states, the last one for ever."""

    def __init__(self, states: list[Any]) -> None:
        super().__init__()
        self._states = states

    def state(self) -> Mapping[str, Any]:
        told = self._states[0]
        del self._states[: len(self._states) > 1]
        return {"zones": told, "collecting": False} if isinstance(told, dict | list) else {}


def looked(*states: Any, serving: bool = True, lost: bool = False) -> list[str]:
    """What is told of a reader that has kept an event for the table, and keeps it."""

    async def scene() -> list[str]:
        bench = Bench(
            spec=LinkSpec("reader", "reader", KEY, "R-1"),
            identity=PeerIdentity("reader", "R-1", KEY, "test 1"),
            serving=serving,
        )
        bench.device = Reader(list(states))
        bench.peer = bench.new_peer()
        bench.emit(1)
        if lost:
            asyncio.get_running_loop().call_later(1.5, bench.plugged.clear)
            asyncio.get_running_loop().call_later(1.5, bench.cut)

        def make(handler: SessionHandler) -> Link:
            bench.journal = handler  # type: ignore[assignment]
            return Link(bench.spec, bench.connect, handler, clock=asyncio.get_running_loop().time)

        try:
            return told(await stickers_at(make, "reader", 3.0, lambda number: number == CARD))
        finally:
            assert bench.peer.pending == 1
            await bench.finish()

    return run(scene())


def test_each_zones_one_chip_is_its_sticker() -> None:
    assert looked(STICKERS) == [
        "settings.py (firmware in C): seat:1=04:A1:B2:C3:D4:E5:F6 board:1=up,04:A1:B2:C3:D4:E5:F7",
        'device.json (MicroPython):    "stickers": '
        '{"seat:1": "04:A1:B2:C3:D4:E5:F6", "board:1": "04:A1:B2:C3:D4:E5:F7"}',
    ]


def test_a_sticker_of_iso_15693_is_one() -> None:
    words = looked({"seat:1": [[bytes.fromhex("e004015012345678"), "down"]]})
    assert words == ["settings.py (firmware in C): seat:1=E0:04:01:50:12:34:56:78"]


@pytest.mark.parametrize(
    ("states", "words"),
    [
        ([{"seat:1": []}], "seat:1: there is no chip: fix its sticker"),
        ([{"seat:1": [[CARD, "down"]]}], "seat:1: a card of a pack lies there"),
        ([{"seat:1": [[ONE, "down"], [OTHER, "down"]]}], "seat:1: 2 chips lie there"),
        ([{"seat:1": [["As", "down"]]}], "seat:1: its reader tells cards by name"),
        ([{"seat:1": [[bytes.fromhex("08a1b2c3"), "down"]]}], "seat:1: that is no sticker"),
        ([{"seat:1": [[bytes.fromhex("88a1b2c3"), "down"]]}], "seat:1: that is no sticker"),
        ([{"seat:1": [[b"\xe1" + bytes(7), "down"]]}], "seat:1: that is no sticker"),
        ([{"seat:1": [[b"\x04" + bytes(9), "down"]]}], "seat:1: that is no sticker"),
        ([{"seat:1": [[ONE, "down"]], "seat:2": [[ONE, "down"]]}], "seat:1 and seat:2: they see one chip: move"),
        ([{"seat:1": [[ONE, "down"]]}, {"seat:1": []}], "seat:1: what lies there has changed meanwhile"),
        ([{"seat:1": 3}], "reader: it tells its zones in no form"),
        ([None], "reader: it tells no zones: name a reader"),
    ],
)
def test_what_is_no_sticker_is_named_with_its_zone_and_a_remedy(states: list[Any], words: str) -> None:
    with pytest.raises(AntennasError) as raised:
        looked(*states)
    assert words in str(raised.value)
    assert ONE.hex(":") not in str(raised.value).lower()


def test_a_reader_that_does_not_answer_or_goes_away_is_named() -> None:
    with pytest.raises(AntennasError, match=r"reader: .*Stop feltd for as long as this looks"):
        looked(STICKERS, serving=False)
    with pytest.raises(AntennasError, match="reader: it went away meanwhile"):
        looked(STICKERS, lost=True)


CONFIG = """
[table]
name = "Table 7"
rulebook = "tas-2018-holdem"
seats = [1, 2, 3]
[[device]]
name = "reader:seats"
role = "reader"
port = "/dev/serial/by-id/reader"
key_file = "{folder}/reader.key"
serial = "R-1"
settings = {{ zones = ["seat:1"] }}
[[device]]
name = "reader:board"
role = "reader"
adapter = "pcsc"
pcsc = {{ reader = "ACS" }}
adapter_settings = {{ zone = "board:1", face = "up" }}
settings = {{ zones = ["board:1"], look = false, faces = false }}
[journal]
path = "{folder}/table.journal"
sealing_key_file = "{folder}/journal.key"
"""


def test_the_command_asks_the_tables_own_reader_and_knows_its_packs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def looking(
        make: Callable[[object], Link], name: str, seconds: float, is_card: Callable[[bytes], bool]
    ) -> list[Sticker]:
        asked = make(object())
        assert asked.spec == LinkSpec("reader:seats", "reader", KEY, "R-1")
        assert not is_card(ONE)
        assert (name, seconds) == ("reader:seats", 10)
        return [Sticker("seat:1", ONE, up=False)]

    monkeypatch.setattr("feltd.cli.deck_antennas.stickers_at", looking)
    for key in ("journal.key", "reader.key"):
        (tmp_path / key).write_bytes(KEY)
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(folder=tmp_path))
    done = CliRunner().invoke(cli, ["deck", "antennas", "reader:seats", "--config", str(config)])
    assert (done.stderr, done.stdout) == (f"{NO_PACK}\n", "\n".join(told([Sticker("seat:1", ONE, up=False)])) + "\n")
    for other in ("reader:board", "nobody"):
        refused = CliRunner().invoke(cli, ["deck", "antennas", other, "--config", str(config)])
        assert f'no device "{other}" that speaks feltd\'s own wire' in refused.output + str(refused.exception)
