"""`feltd provision FILE.csv --into FOLDER`."""

from pathlib import Path
from typing import BinaryIO

import click

from feltd.cli.exits import FINE, PROBLEMS


def _print_model(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from feltd.books.shipped import model_of_tables

    click.echo(model_of_tables(), nl=False)
    ctx.exit()


def _print_sheet(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from feltd.books.shipped import sheet_of_tables

    click.echo(sheet_of_tables(), nl=False)
    ctx.exit()


@click.command(
    short_help="Make the files, keys and labels of many new tables.",
    epilog="Exit codes: 0 the folder was made; 1 the sheet, the model or the codes have faults, and nothing was made; "
    "2 a file cannot be read, or the folder is there already.",
)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.csv")
@click.option(
    "--into",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder that is made, mode 0700: it has keys. One that is there is refused.",
)
@click.option(
    "--model",
    "model_file",
    type=click.Path(path_type=Path),
    help="What your tables have in common; left out, the one that --print-model prints.",
)
@click.option(
    "--codes",
    "codes_file",
    type=click.File("rb"),
    help="What `feltd floor enrol-code` has printed, for the labels: TABLE CODE in a line; - reads it from the input.",
)
@click.option(
    "--print-sheet",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_sheet,
    help="Print a sheet of three tables to begin with, and exit.",
)
@click.option(
    "--print-model",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_model,
    help="Print the model that comes with feltd, and exit.",
)
@click.pass_context
def provision(
    ctx: click.Context, file: Path, folder: Path, model_file: Path | None, codes_file: BinaryIO | None
) -> None:
    """Make, of a sheet with a line for each table, everything that the tables' boards and devices get.

    FOLDER has a folder for each table (table.toml, the record's key, its devices' keys), and to print: labels.html with
    QR codes and checklist.html with a technician's steps. No key is on either.

    The sheet's columns: table (its folder's name), name, rulebook, seats (1-9), page (its address), then a column for
    each device of the model with serial numbers, and option:NAME for an option of the rulebook.

    Each table is judged as feltd check judges its file. All faults of the sheet are told at once; with a single one
    nothing is made.

    \b
    Each fault has its line and column:
      tables.csv:3: rulebook (column C): no rulebook "tas-2018-holden"; did you mean …

    \b
    Examples:
      feltd provision --print-sheet >tables.csv
      feltd provision tables.csv --into boards
      feltd provision --print-model >model.toml
      feltd provision tables.csv --into boards --model model.toml
      feltd floor enrol-code --minutes 10080 1 2 | feltd provision tables.csv --into boards --codes -
    """
    from feltd.books.shipped import MODEL_OF_TABLES, model_of_tables
    from feltd.provision.codes import NO_CODES, read_codes
    from feltd.provision.ending import Ended, Noted, end_by
    from feltd.provision.making import make_folder, require_free
    from feltd.provision.model import read_model
    from feltd.provision.sheet import read_sheet
    from feltd.provision.tables import NewTable, plan_tables
    from feltd.table.config.config import ConfigError, ConfigFileError, read_text

    require_free(folder)
    try:
        content = file.read_bytes()
    except OSError as fault:
        raise ConfigFileError(f"{file}: cannot be read: {fault.strerror}") from None
    text = model_of_tables() if model_file is None else read_text(model_file)
    tables, codes = list[NewTable](), NO_CODES
    try:
        model = read_model(text, str(model_file or MODEL_OF_TABLES))
    except ConfigError as faults:
        problems = faults.problems
    else:
        sheet = read_sheet(content, str(file), model.devices)
        tables, problems = plan_tables(sheet, model)
        if codes_file is not None:
            codes, of_codes = read_codes(codes_file.read(), codes_file.name, sheet)
            problems += of_codes
    for problem in problems:
        click.echo(str(problem))
    if problems:
        click.echo(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}: nothing was made", err=True)
        ctx.exit(PROBLEMS)
    try:
        with Noted() as signals:
            keys = make_folder(
                tables, folder, codes, go_on=signals.check, say=lambda words: click.echo(words, err=True)
            )
    except Ended as ended:
        click.echo(f"feltd: ended by {ended}: nothing was made", err=True)
        end_by(ended.number)
    click.echo(
        f"{folder}: {len(tables)} table{'s' if len(tables) > 1 else ''}, {keys} keys (mode 0600). "
        "Print labels.html and checklist.html; erase the folder when the boards and the safe have the keys"
    )
    ctx.exit(FINE)
