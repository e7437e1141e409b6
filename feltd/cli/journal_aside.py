"""`feltd journal set-aside` and `from-floor`."""

from contextlib import ExitStack
from pathlib import Path

import click


@click.command(
    name="set-aside",
    short_help="Put a record aside as evidence, and begin a new one.",
    epilog="Exit codes: 0 done; 2 the configuration or the key cannot be read, the table runs, the files cannot be "
    "moved, or no head can sign the new record's entry.",
)
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--who", required=True, metavar="NAME", help="Who decides it; the new record says so.")
@click.option("--why", required=True, metavar="WORDS", help="Why; the new record says so.")
def set_aside_command(config: Path, who: str, why: str) -> None:
    """Put the record of CONFIG's table aside, and begin a new one whose first entry says so.

    For a record in which a start does not go on: it is empty, shorter than its signed head, another's, changed or
    damaged. All its files and its exports are moved to a folder beside it, none is deleted. The table must be stopped;
    a round in progress is lost with the old record.

    \b
    Example:
      sudo feltd journal set-aside /etc/feltd/table.toml --who "A. Berg" --why "SD card damaged, case 4711"
    """
    from feltd.table.config.config import load_config
    from feltd.table.journal.aside import set_aside
    from feltd.text.as_owner import as_owner_of

    table = load_config(config)
    key = table.journal.sealing_key_file.read()
    path = table.journal.path
    with as_owner_of(path):
        done = set_aside(path, key, table.record.sealed_to, {"who": who, "why": why})
    click.echo(f"{path}: the record before is in {done.folder}; entry {done.entry} of the new one says so")


@click.command(
    name="from-floor",
    short_help="Go on from the floor's copy of a record whose card is gone.",
    epilog="Exit codes: 0 done; 2 the copy, the configuration or the key cannot be read, the copy is not as it was "
    "written, the table runs, there is a record already, or no head can sign the new one's entry.",
)
@click.argument("copy", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--who", required=True, metavar="NAME", help="Who decides it; the new record says so.")
@click.option("--why", required=True, metavar="WORDS", help="Why; the new record says so.")
@click.option(
    "--first-key",
    metavar="KEY",
    help="The key that signed the old record's first head, as `feltd check` printed it then: 64 hexadecimal digits. "
    "A copy with another one is refused, and so is one in which that key has signed nothing.",
)
def from_floor_command(copy: Path, config: Path, who: str, why: str, first_key: str | None) -> None:
    """Begin the record of CONFIG's table anew, on a new card, joined on to COPY.

    COPY is what feltd floor restore has made, with its .heads beside it. It is verified, and kept in a folder beside
    the new record, whose first entry names it. The table goes on with the seats, stacks and clocks that it had after
    the last round that COPY has whole, up to its last signed head; of a round in progress is what COPY has. Devices are
    paired anew, or their keys put back from where they are kept. Without --first-key nothing says that COPY is not
    forged as a whole.

    \b
    Example:
      sudo feltd journal from-floor /media/stick/table.journal /etc/feltd/table.toml --who "A. Berg" --why "card dead"
    """
    from feltd.record.signed_heads import heads_file, parse_key
    from feltd.table.config.config import load_config
    from feltd.table.journal.from_floor import go_on_from
    from feltd.text.as_owner import as_owner_of

    table = load_config(config)
    kept = None if first_key is None else parse_key(first_key)
    key = table.journal.sealing_key_file.read()
    path = table.journal.path
    with ExitStack() as opened:
        file = opened.enter_context(copy.open("rb"))
        beside = heads_file(copy)
        heads = opened.enter_context(beside.open("rb")) if beside.exists() else None
        opened.enter_context(as_owner_of(path))
        said = {"who": who, "why": why}
        done = go_on_from((file, heads), path, key, table.record.sealed_to, said, first_key=kept)
    state = "with no state: seat the players anew" if done.round is None else f"behind round {done.round}"
    click.echo(
        f"{path}: goes on {state}; the copy, {done.last} entries, is in {done.folder}; entry {done.entry} says so"
    )
    if not done.signed:
        click.echo(
            "note: no head of the copy is signed: who carried it can have written all of it without a key, and no "
            "state was taken from it. See in the copy what it says",
            err=True,
        )
    elif done.signed < done.last:
        click.echo(
            f"note: no signed head covers the entries {done.signed + 1} to {done.last} of the copy, which who carried "
            "it can write without a key: no state was taken from them. See in the copy what they say",
            err=True,
        )
    if kept is None and done.first_key is not None:
        click.echo(
            f"note: the copy's first key is {done.first_key}: it is the old record only if that is the one that was "
            "printed as that record began (--first-key)",
            err=True,
        )
