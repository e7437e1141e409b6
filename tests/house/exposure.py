"""Play and profile a hole card that is exposed during the deal, and print figures as JSON.

    PYTHONPATH=TREE python -P tests/house/exposure.py TREE [--bare]

The script runs in a process of its own, because two trees have modules of the same names. It imports nothing of
`tests.house`; what it needs of the tree it finds by the name of its definition, wherever that lies in the tree.

Five players are at a table of Hold'em, the first of them has one card, and the dealer exposes it.
"""

import argparse
import asyncio
import json
import logging
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

PRODUCT: Final = ("toml_text", "firmware_bridge", "devices", "table_fsm", "floor_fsm", "feltd")
SIMULATED: Final = "devices/simulated/"
"""Works the devices from within the daemon's process here: it is no part of the way from the bytes to the page."""
BOOK: Final = "tas-2018-holdem"
SEATS: Final = (1, 2, 3, 4, 5)
BLINDS: Final = (100, 200)
IRREGULARITY: Final = "hole_exposed"
_WITHIN: Final = 60.0
_POLL: Final = 0.02
_SETTLE: Final = 10.0


class Call(NamedTuple):
    """A product function that was entered; a generator or coroutine each time it goes on."""

    file: str
    function: str


class Recorder:
    """The project's calls in this thread, in order, with marks between them."""

    def __init__(self, root: Path) -> None:
        self._root = f"{root.resolve()}/"
        self._names: dict[str, str | None] = {}
        self.calls: list[Call] = []
        self.passes: list[tuple[int, int]] = []
        """Each pass of an asyncio loop that ended meanwhile, as the part of `calls` that was made in it."""
        self.applied: list[tuple[int, Any]] = []
        """Each return of `Table.apply`, with how many calls there were by then and the outputs."""
        self._begun: int | None = None

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is called in the block, in place of a profiler that this thread may have."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: FrameType, event: str, arg: Any) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_name == "_run_once" and code.co_filename.endswith("asyncio/base_events.py"):
            self._turn(event)
            return
        name = self._name(code.co_filename)
        if name is None:
            return
        if event == "call":
            self.calls.append(Call(name, code.co_qualname))
        elif code.co_qualname == "Table.apply":
            self.applied.append((len(self.calls), arg))

    def _turn(self, event: str) -> None:
        if event == "call":
            self._begun = len(self.calls)
        elif self._begun is not None:
            self.passes.append((self._begun, len(self.calls)))

    def _name(self, file: str) -> str | None:
        """A product file by its path in the tree; None for other files and for simulated devices."""
        if file not in self._names:
            inside = file.removeprefix(self._root)
            counts = inside != file and inside.split("/")[0] in PRODUCT and not inside.startswith(SIMULATED)
            self._names[file] = inside if counts else None
        return self._names[file]

    def pass_of_the_ruling(self) -> list[Call]:
        """The calls of the one pass in which the table ruled on the exposure. Raises LookupError."""
        for count, outputs in self.applied:
            if _rules(outputs):
                for start, end in self.passes:
                    if start < count <= end:
                        return self.calls[start:end]
        raise LookupError(f"no ruling {IRREGULARITY} in any pass of the loop")


def _rules(outputs: Sequence[Any] | None) -> bool:
    """Whether one of the outputs is the ruling on the exposure."""
    return any((o.to_dict().get("ruling") or {}).get("irregularity") == IRREGULARITY for o in outputs or ())


def figures(calls: Sequence[Call]) -> dict[str, Any]:
    """Files in the order of their first call, moves between files, calls, calls of `core`.

    A move is a call in another file than the call before it; the first call is a move too.
    """
    files = [call.file for call in calls]
    moves = sum(here != before for here, before in zip(files, [None, *files], strict=False))
    core = [file for file in files if file in ("table_fsm/core.py", "table_fsm/core/core.py")]
    return {
        "files": list(dict.fromkeys(files)),
        "moves": moves,
        "calls": len(calls),
        "of_core": len(core),
    }


class Tree:
    """The tree that is measured, whose packages this process imports."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def get(self, name: str, under: str) -> Any:
        """What is defined under a name at the top of one module of a package. Raises LookupError."""
        defined = re.compile(rf"^(?:async )?(?:def|class) {name}\b", re.MULTILINE)
        folder = self.root.joinpath(*under.split("."))
        found = [file for file in sorted(folder.rglob("*.py")) if defined.search(file.read_text(encoding="utf-8"))]
        if len(found) != 1:
            raise LookupError(f"{name} is defined in {len(found)} modules of {under}, not in one: {found}")
        parts = found[0].relative_to(self.root).with_suffix("").parts
        return getattr(import_module(".".join(part for part in parts if part != "__init__")), name)

    def books(self) -> Mapping[str, Any]:
        """The shipped rulebooks, loaded."""
        rulebooks, structures = self.get("rulebook_sources", "feltd")(), self.get("structure_sources", "feltd")()
        loaded: Mapping[str, Any] = self.get("load_library", "table_fsm")(rulebooks, structures)
        return loaded


def bare(tree: Tree) -> dict[str, Any]:
    """The one event played to a bare table: `Table.apply`, without device, daemon and record."""
    table = import_module("table_fsm.table").Table(tree.books())
    by_name: Mapping[str, Callable[..., Any]] = import_module("table_fsm.events").BY_NAME
    *before, exposed = [by_name[name](t=t / 2, **fields) for t, (name, fields) in enumerate(_events(), 1)]
    for event in before:
        table.apply(event)
    recorder = Recorder(tree.root)
    with recorder.recording():
        outputs = table.apply(exposed)
    assert _rules(outputs), [output.to_dict() for output in outputs]
    return figures(recorder.calls)


def _events() -> list[tuple[str, dict[str, Any]]]:
    """The events from the check of the pack to the exposure, which is the last."""
    first, second = SEATS[0], SEATS[1]
    return [
        ("shoe.deck_checked", {"deck": "blue", "count": 52}),
        ("table.open", {"rulebook": BOOK, "seats": list(SEATS), "button": SEATS[-1], "options": _options()}),
        ("shoe.shuffled", {"deck": "blue", "count": 52}),
        ("cut", {"depth": 20}),
        ("action", {"seat": first, "action": "post", "cents": BLINDS[0]}),
        ("action", {"seat": second, "action": "post", "cents": BLINDS[1]}),
        ("shoe.card", {"deck": "blue"}),
        ("card.placed", {"zone": f"seat:{first}", "card": "Kd", "face": "down"}),
        ("card.exposed", {"zone": f"seat:{first}", "by": "dealer", "card": None}),
    ]


def _options() -> dict[str, Any]:
    return {"blinds": list(BLINDS), "table_min": BLINDS[1]}


async def through_the_daemon(tree: Tree, folder: Path) -> dict[str, Any]:
    """The same through a daemon in this process, with simulated devices on pseudo-terminals.

    `pass`: the pass of the loop that reads the device's bytes and in which the table rules. `to_page`: everything the
    loop's thread does from there until a browser's stream has the ruling; that includes what other devices say then.
    """
    book = tree.books()[BOOK]
    game = tree.get("game_for", "feltd")(book, SEATS, _options(), seed=3, mistake_rate=0.0, rounds=1)
    equipment = tree.get("lay_out", "devices")(folder, game)
    file = tree.get("write_config", "feltd")(equipment, game, _options(), "127.0.0.1", 8080)
    config = tree.get("load_config", "feltd")(file)
    async with (
        tree.get("running", "devices")(equipment),
        tree.get("serving", "feltd")(config, port=0) as running,
        _hand(tree, equipment) as hand,
    ):
        daemon = getattr(running, "table", running)  # until 0.1.0 the daemon itself was what ran
        await _until(lambda: daemon.bridge.complete, "the devices do not come up")
        await _deal_one_card(tree, hand, game, daemon)
        async with _stream(running.address) as until_ruled:
            recorder = Recorder(tree.root)
            with recorder.recording():
                await hand("reader:seats", "expose", zone=f"seat:{SEATS[0]}", by="dealer")
                await asyncio.wait_for(until_ruled, _WITHIN)
    ruling_pass = recorder.pass_of_the_ruling()
    start = next(start for start, end in recorder.passes if recorder.calls[start:end] == ruling_pass)
    return {"pass": figures(ruling_pass), "to_page": figures(recorder.calls[start:])}


async def _deal_one_card(tree: Tree, hand: Callable[..., Any], game: Any, daemon: Any) -> None:
    """From the check of the pack to the first seat's first card. Raises TimeoutError."""
    deck, first = game.decks[0], SEATS[0]
    await hand("shoe", "change_deck", deck=deck)
    badge = tree.get("badge", "devices")(game.staff, game.staff_role)  # with its PIN: without one it confirms no deck
    await hand(badge.role, **badge.order)
    await hand("shoe", "check", deck=deck)
    await _until(lambda: daemon.keeper.table.view()["open"], "the table does not open")
    await hand("markers", "place", marker="button", seat=SEATS[-1])
    await hand("shoe", "shuffle", deck=deck)
    await hand("keys", "press", body={"ev": "cut", "by": "dealer", "depth": 20})
    for seat, cents in zip(SEATS, BLINDS, strict=False):
        await hand("keys", "press", body={"ev": "action", "seat": seat, "action": "post", "cents": cents})
    dealt = await hand("shoe", "deal")
    await hand("reader:seats", "place", zone=f"seat:{first}", card=dealt["card"], deck=dealt["deck"], face="down")
    view = daemon.keeper.table.view()
    assert view["phase"] == "dealing", view["phase"]
    assert not view["pending"], view["pending"]


@asynccontextmanager
async def _hand(tree: Tree, equipment: Any) -> AsyncIterator[Callable[..., Any]]:
    """Orders to the simulated devices; each ends when the daemon has recorded what came of it."""
    control = tree.get("Control", "devices")
    controls = {device.name: control(device.control, name=device.name) for device in equipment.devices}

    async def hand(device: str, do: str, **fields: Any) -> dict[str, Any]:
        reply: dict[str, Any] = await controls[device].order(do, **fields)
        while (await controls[device].order("settle", seconds=_SETTLE))["pending"]:
            pass  # its journal is still being synced: the next order would come too early
        return reply

    try:
        yield hand
    finally:
        for its_control in controls.values():
            await its_control.close()


@asynccontextmanager
async def _stream(address: str) -> AsyncIterator["asyncio.Task[None]"]:
    """A browser's stream of the page, open; the task ends when it brings the ruling."""
    host, port = address.removeprefix("http://").strip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=2**20)
    writer.write(f"GET /api/v1/stream HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    while not (await asyncio.wait_for(reader.readline(), _WITHIN)).startswith(b"data: "):
        pass

    async def until_ruled() -> None:
        while f'"{IRREGULARITY}"'.encode() not in await reader.readline():
            assert not reader.at_eof(), "the page closed the stream"

    task = asyncio.create_task(until_ruled())
    try:
        yield task
    finally:
        task.cancel()
        writer.close()


async def _until(true: Callable[[], bool], problem: str) -> None:
    end = time.monotonic() + _WITHIN
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"{problem} within {_WITHIN:g} s")
        await asyncio.sleep(_POLL)


def main() -> None:
    """Print the figures of a tree as one JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("--bare", action="store_true", help="the bare table alone, without the daemon")
    given = parser.parse_args()
    tree = Tree(given.tree)
    measured = {"bare": bare(tree)}
    if not given.bare:
        logging.disable(logging.WARNING)  # devices go down when it is over
        with tempfile.TemporaryDirectory(prefix="house-") as folder:
            measured |= asyncio.run(through_the_daemon(tree, Path(folder)))
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main()
