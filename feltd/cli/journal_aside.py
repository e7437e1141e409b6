"""`feltd journal set-aside`."""

from pathlib import Path

import click


@click.command(
    name="set-aside",
    short_help="Put a record aside as evidence, and begin a new one.",
    epilog="Exit codes: 0 done; 2 the configuration or the key cannot be read, the table runs, or the files cannot be "
    "moved.",
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
