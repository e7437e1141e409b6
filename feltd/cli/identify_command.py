"""`feltd identify [FILE]`."""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from feltd.cli.exits import FINE, PROBLEMS

if TYPE_CHECKING:
    from feltd.cli.identified import Book, Identified
    from feltd.installed.compare import Difference
    from feltd.installed.mark import PackageMark
    from feltd.record.said_by_devices import SaidByDevice


@click.command(
    short_help="Say what runs, file by file.",
    epilog="Exit codes: 0 the files are as the package was built; 1 they are not, or nothing says what they must be, "
    "or the signature is another; 2 wrong usage, or a key that cannot be read.",
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--signed-by",
    metavar="KEY",
    help="The maker's public key, 64 hexadecimal digits or a file with them: no other signature will do.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Look at the package in another root: a board's card, mounted on a machine that you trust.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
@click.pass_context
def identify(ctx: click.Context, file: Path | None, signed_by: str | None, root: Path | None, as_json: bool) -> None:
    """Say what runs here: compare each file of the installed package with its manifest, and name the rest by digest.

    The manifest has path, size and SHA-256 of every file of the package, and was made and signed when that was built. A
    file that differs, is missing, or lies in a folder of the package and is not its own is named. With a table's FILE
    its own rulebooks are told too, and what its devices said of their firmware when they last came. A table that still
    plays a round by the version before an upgrade is named, and the files that it plays by are compared too.

    Who is root here can change this command as well: for proof look at the card from another machine (--root).

    \b
    Examples:
      feltd identify /etc/feltd/table.toml
      feltd identify --signed-by maker.pub --json
      feltd identify --root /mnt/card --signed-by maker.pub
    """
    from feltd.cli.identified import add_books, add_kept, add_machine, add_table, identify_root, prefix_below
    from feltd.installed.signing import read_public_key

    if root is not None and file is not None:
        raise click.UsageError("FILE is a table's of this machine, and --root another machine's: give one of them")
    key = None if signed_by is None else read_public_key(signed_by)
    if root is not None:
        found = identify_root(root, prefix_below(root), key)
    else:
        found = identify_root(Path("/"), Path(sys.prefix), key)
        add_machine(found)
        add_kept(found, key)
        if file is not None:
            add_table(found, file)
        else:
            add_books(found, None)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=1))
    else:
        for line in _lines(found):
            click.echo(_printable(line))
    for problem in found.problems:
        click.echo(f"feltd identify: {_printable(problem)}", err=True)
    ctx.exit(PROBLEMS if found.problems else FINE)


def _printable(line: str) -> str:
    """A name on a disk may hold what rewrites a terminal."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


def _lines(found: "Identified") -> Iterator[str]:
    if found.mark is not None and found.manifest is not None:
        yield f"feltd {found.manifest.version} ({found.manifest.architecture})"
        yield f"manifest   {found.mark.manifest}"
        yield f"signature  {_signature(found.mark)}"
    if found.comparison is not None:
        yield f"files      {found.comparison.same} as built"
        yield from _named("differs", found.comparison.differs)
        yield from (f"  missing  {path}" for path in found.comparison.missing)
        yield from _named("extra", found.comparison.extra)
        yield from _named("configured", found.comparison.changed)
    for one in found.kept:
        yield f"plays      {one.unit} by feltd {one.version}, manifest {one.mark.manifest}, until its round is over"
        yield from _named("differs", one.comparison.differs)
        yield from (f"  missing  {path}" for path in one.comparison.missing)
        yield from _named("extra", one.comparison.extra)
    yield from _named("beside", found.beside)
    if found.configuration is not None:
        yield from _named("table", [found.configuration])
    yield from _books(found.books)
    yield from _devices(found.devices)
    if found.python is not None:
        yield f"Python     {found.python}"
        yield f"kernel     {found.kernel}"


def _signature(mark: "PackageMark") -> str:
    from feltd.installed.mark import SignatureState

    if mark.signature is SignatureState.SIGNED:
        return f"good, by the key {mark.key}"
    if mark.signature is SignatureState.UNSIGNED:
        return "none: an unsigned build; nothing says who built it"
    return "FALSE: it is not of this manifest"


def _named(kind: str, found: "Sequence[Difference]") -> Iterator[str]:
    return (f"  {kind}  {one.path}: {one.how}" for one in found)


def _books(books: "Sequence[Book]") -> Iterator[str]:
    return (f"rulebook   {book.digest}  {book.id}{' (own)' if book.own else ''}" for book in books)


def _devices(devices: "Sequence[SaidByDevice]") -> Iterator[str]:
    for one in devices:
        when = datetime.fromtimestamp(one.wall, UTC).strftime("%Y-%m-%d %H:%M")
        yield f"device     {one.device}: {one.said} (as it said, {when} UTC, entry {one.entry})"
