"""`feltd update install|status|good`, and what RAUC asks: `system` and `allowed`."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from feltd.update.board import Board
    from feltd.update.boot_block import BootBlock
    from feltd.update.bundles import Bundle

ADDRESS_FILE: Final = Path("/etc/feltd/update.url")


@click.group(
    short_help="Install a new system on a board made from an image.",
    epilog="Exit codes: 0 done; 1 the table has not come up; 2 refused, with the reason, or no board of that kind.",
)
def update() -> None:
    """A board that was made from an image has two systems. An update is written over the one that does not run, and is
    tried at the next start, once. It is kept where the table comes up with it; else the next start takes the proven
    system again.

    \b
    Examples:
      feltd update status
      feltd update install http://updates.example/feltd.raucb
      feltd update install /data/update/feltd_0.9.0_amd64.raucb
    """


@update.command(short_help="Write an update over the system that does not run.")
@click.argument("bundle", required=False)
@click.option("--newer", is_flag=True, help="Do nothing where the update has the version that runs.")
@click.option(
    "--together",
    metavar="CONFIG",
    type=click.Path(path_type=Path),
    help="Only a version that two people want, on this table's page or at the floor. Without it, root alone installs.",
)
@click.option(
    "--door",
    metavar="SOCKET",
    type=click.Path(path_type=Path),
    help="With --together: the socket over which the table is asked, in place of CONFIG's.",
)
@click.pass_context
def install(ctx: click.Context, bundle: str | None, newer: bool, together: Path | None, door: Path | None) -> None:
    """Check BUNDLE, a file or an address, and write the system in it over the one that does not run.

    Without BUNDLE the address stands in /etc/feltd/update.url. It is refused where its signature is not by the key of
    /etc/feltd/update.pem, where it is for another kind of board, older than what runs, called back by its maker, or
    torn. The board goes on with what runs until somebody switches it off and on, between two rounds. The list of
    versions called back is fetched from ADDRESS.called-back, and the newest one is kept.

    With --together, as the board's own timer has it, two people have said which version comes: on the table's page, or,
    where that file lets the floor ([floor] versions), at the floor.
    """
    from feltd.cli.allowed_by_two import allowed_versions, take_version
    from feltd.update.board import FETCHED, board_at
    from feltd.update.bundles import parts_of
    from feltd.update.errors import UpdateError
    from feltd.update.fetching import address_in, fetch, is_address

    board = board_at()
    if board.on_trial:
        raise UpdateError(
            f"system {board.running} is on trial: wait until it is called good, or until the board is back"
        )
    wished = None if together is None else _wished(together)
    if wished is not None and wished.version in {None, board.version}:
        click.echo(f"the floor wishes {wished.version or 'no version yet'}, and {board.version} runs")
        ctx.exit(FINE)
    place = bundle or address_in(ADDRESS_FILE)
    if together is not None and wished is None and not allowed_versions(together, door):
        click.echo(f"{place}: not fetched: two people have allowed no update on the page of the table's devices")
        ctx.exit(FINE)  # each night: it is no fault, and the card is spared
    if is_address(place):
        _keep_list(place, board)
    file = fetch(place, board.root / FETCHED) if is_address(place) else Path(place)
    try:
        offered = _checked(file, place, board)
        if newer and parts_of(offered.version) == parts_of(board.version):
            click.echo(f"{place}: it has {offered.version}, which runs")
            ctx.exit(FINE)
        if wished is not None and offered.version != wished.version:
            click.echo(f"{place}: it has {offered.version}, and the floor wishes {wished.version}")
            ctx.exit(FINE)
        if together is not None and wished is None:
            take_version(together, offered.version, door)
        done = _ask("rauc", "install", str(file))
    finally:
        if is_address(place):
            file.unlink(missing_ok=True)  # the record wants the room
    if done.returncode != 0:
        raise UpdateError(f"{place}: {_refusal(done, file, board)}")
    click.echo(f"{offered.version} is installed as system {board.other}; it is tried at the next start")


@update.command(short_help="Say which system runs, which is proven and which is to be tried.")
def status() -> None:
    """Say which of the two systems runs, which is proven, and which is to be tried at the next start."""
    from feltd.update.board import board_at
    from feltd.update.boot_block import read
    from feltd.update.called_back import kept

    board = board_at()
    block = read(board.block)
    click.echo(f"board        {board.compatible}")
    click.echo(f"runs         {board.running}, {board.version}{' (on trial)' if board.on_trial else ''}")
    click.echo(f"proven       {block.proven}")
    click.echo(f"next start   {block.starts_next()}{' (to be tried once)' if block.trial else ''}")
    for version, why in kept(board.called_back, board.certificate).versions.items():
        here = " (it runs)" if version == board.version else ""
        click.echo(f"called back  {version}{here}{f': {why}' if why else ''}")


@update.command("call-back", short_help="Make the signed list of versions that no board may install any more.")
@click.argument("versions", nargs=-1, metavar='["VERSION WHY"]...')
@click.option("--number", type=click.IntRange(min=1), required=True, help="Higher than that of the list before.")
@click.option("--certificate", type=click.Path(path_type=Path), required=True, help="Boards have it as update.pem.")
@click.option("--key", type=click.Path(path_type=Path), required=True, help="The key to it.")
@click.option("--into", type=click.Path(path_type=Path), default=Path("feltd.raucb.called-back"), show_default=True)
def call_back(versions: Sequence[str], number: int, certificate: Path, key: Path, into: Path) -> None:
    """Make the list that boards fetch from beside their updates; it needs no board. Each list has all versions that are
    called back, and counts where its number is higher than that of the one before.

    \b
    Example:
      feltd update call-back --number 1 --certificate update.pem --key update.key "0.9.1 a marker is read twice"
    """
    from feltd.update.called_back import CalledBack, entries, made

    into.write_bytes(made(CalledBack(number, entries(versions)), certificate, key))
    click.echo(f"{into}: put it beside the updates: their address, and .called-back behind it")


@update.command(short_help="Keep the system on trial once its table has come up.")
@click.pass_context
def good(ctx: click.Context) -> None:
    """Wait until table and page have run for a minute without a fault; then call the running system the proven one.

    A unit does this at the start of a system on trial. Where the table does not come up, nothing is written, the exit
    code is 1, and feltd-update-trial.timer starts the board again, with the proven system.
    """
    from feltd.update.board import GOOD_MARK, board_at
    from feltd.update.errors import UpdateError
    from feltd.update.health import PROPERTIES, UNITS, wait_until_steady

    board = board_at()
    if board.on_trial:
        try:
            wait_until_steady(lambda: _ask("systemctl", "show", f"--property={','.join(PROPERTIES)}", *UNITS).stdout)
        except UpdateError as fault:
            click.echo(f"feltd: {fault}", err=True)
            ctx.exit(PROBLEMS)
        with _changing(board) as block:
            block.append(block[0].called_good(board.running))
        (board.root / GOOD_MARK).touch()
    click.echo(f"system {board.running} is good")


@update.command(hidden=True)
@click.argument("words", nargs=-1, required=True)
def system(words: Sequence[str]) -> None:
    """Answer RAUC, which asks for and sets the system that starts (its custom boot loader backend)."""
    from feltd.update.board import board_at
    from feltd.update.boot_block import read
    from feltd.update.errors import UpdateError

    board = board_at()
    match tuple(words):
        case ("get-primary",):
            click.echo(read(board.block).starts_next())
        case ("get-current",):
            click.echo(board.running)
        case ("get-state", name):
            click.echo("good" if read(board.block).is_good(name) else "bad")
        case ("set-primary", name):
            with _changing(board) as block:
                block.append(block[0].to_try(name))
        case ("set-state", name, "good") if name == board.running:
            with _changing(board) as block:
                block.append(block[0].called_good(name))
        case ("set-state", name, "bad"):
            with _changing(board) as block:
                block.append(block[0].called_bad(name))
        case _:
            raise UpdateError(
                f"RAUC asks for {' '.join(words)}: feltd does not know it, or what does not run is no good"
            )


@update.command(hidden=True)
@click.argument("manifest", type=click.Path(path_type=Path))
def allowed(manifest: Path) -> None:
    """Refuse what this board may not take, no matter who asked RAUC to install it (its pre-install handler)."""
    from feltd.update.board import board_at
    from feltd.update.bundles import Bundle

    _require_allowed(Bundle.from_manifest(manifest.read_text(encoding="utf-8")), board_at())


class _Wished(NamedTuple):
    """What the floor says at a board where it may. `version`: None while it has wished none."""

    version: str | None


def _wished(table: Path) -> "_Wished | None":
    """What the floor wishes for this board; None where the table's own file does not let it. Raises UpdateError."""
    from feltd.table.keeper.wished_version import floor_decides, wished_version
    from feltd.text.errors import FeltdError
    from feltd.update.errors import UpdateError

    try:
        return _Wished(wished_version(table)) if floor_decides(table) else None
    except FeltdError as fault:
        raise UpdateError(f"it is not known which version the floor wishes: {fault}") from fault


def _checked(file: Path, place: str, board: "Board") -> "Bundle":
    """What the bundle is, once its signature is found good and it is one for this board. Raises UpdateError."""
    from feltd.update.bundles import Bundle
    from feltd.update.errors import UpdateError

    done = _ask("rauc", "info", "--output-format=json", str(file))
    try:
        if done.returncode != 0:
            raise UpdateError(_refusal(done, file, board))
        offered = Bundle.from_rauc(done.stdout)
        _require_allowed(offered, board)
    except UpdateError as fault:
        raise UpdateError(f"{place}: {fault}") from fault
    return offered


def _refusal(done: "subprocess.CompletedProcess[str]", file: Path, board: "Board") -> str:
    """Why RAUC refuses the file, in words."""
    from datetime import UTC, datetime

    from feltd.update.bundles import refused_by_rauc
    from feltd.update.validity import outside_of_clock

    said = done.stderr + done.stdout
    return outside_of_clock(said, board.certificate, file, datetime.now(UTC)) or refused_by_rauc(said)


def _require_allowed(offered: "Bundle", board: "Board") -> None:
    from feltd.update.bundles import require_allowed
    from feltd.update.called_back import kept

    require_allowed(offered, board.compatible, board.version)
    kept(board.called_back, board.certificate).require_kept(offered.version)


def _keep_list(address: str, board: "Board") -> None:
    """Fetch the list of versions that are called back, and keep it where it is newer. Raises UpdateError."""
    from feltd.update.called_back import ENDING, keep
    from feltd.update.errors import UpdateError
    from feltd.update.fetching import fetch_list

    content = fetch_list(address)
    if content is None:
        return
    try:
        keep(content, board.called_back, board.certificate)
    except UpdateError as fault:
        raise UpdateError(f"{address}{ENDING}: {fault}") from fault


def _ask(*words: str) -> "subprocess.CompletedProcess[str]":
    """Ask a program of the system. Raises UpdateError where it is not here."""
    from feltd.update.errors import UpdateError

    try:
        return subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    except FileNotFoundError as fault:
        raise UpdateError(f"{words[0]} is not installed here. A board's image has it") from fault


@contextmanager
def _changing(board: "Board") -> "Iterator[list[BootBlock]]":
    """Give the boot loader's block, and write the one that is appended; the boot partition can be written meanwhile."""
    from feltd.update.boot_block import read, write

    blocks = [read(board.block)]
    yield blocks
    if blocks[-1] == blocks[0]:
        return
    partition = str(board.root / "boot/efi")
    _ask("mount", "-o", "remount,rw", partition)
    try:
        write(board.block, blocks[-1])
    finally:
        _ask("mount", "-o", "remount,ro", partition)
