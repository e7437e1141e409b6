"""`feltd check FILE`."""

from pathlib import Path

import click

from feltd.cli.accounts_file import PIT_FILE
from feltd.cli.exits import FINE, PROBLEMS


@click.command(
    short_help="Say what a table's start would lack, or the pit page's.",
    epilog="Exit codes: 0 nothing stands in the way of a start; 1 problems were found; 2 the file cannot be read.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def check(ctx: click.Context, file: Path) -> None:
    """Say everything that is wrong with a table's FILE, or the pit page's, and what a start would lack on this machine.

    Looked at: every line of the file; the rulebook and its options; each device's port (there, free, permitted) and
    key file; the journal and its folder; the page's address and its certificate (names, end, chain, who may read its
    key), and which second factors work there. Nothing is changed, and no port is opened: it may be asked beside a table
    that plays, and what that table holds itself (ports, lines, the page's address) is then no problem.

    A note says whether a round is in progress: a version or a rulebook is changed between two rounds. A round that was
    begun under another text of its rulebook is a problem, because no start goes on with it.

    Of the pit page's pit.toml: every line, the page's address, certificate and folder, floord's socket, who can sign
    in, and which second factors work there.

    \b
    Each problem has its file, line and key:
      table.toml:14: device.role: "sho" is not allowed; allowed: shoe, reader, …; did you mean "shoe"?

    \b
    Examples:
      feltd check /etc/feltd/table.toml
      sudo -u feltd feltd check /etc/feltd/table.toml     as the user who runs the table
      sudo feltd check /etc/feltd/pit/pit.toml            the pit page's
    """
    from feltd.table.host.loading import loading_for_a_command

    with loading_for_a_command():  # each start of a table waits for this command
        from feltd.launcher.page_check import check_table
        from feltd.launcher.pit_check import check_pit

        findings = check_pit(file) if file.name == PIT_FILE else check_table(file)
    for problem in findings.problems:
        click.echo(str(problem))
    for note in findings.notes:
        click.echo(f"note: {note}", err=True)
    count = len(findings.problems)
    verdict = "nothing stands in the way of a start" if not count else f"{count} problem{'s' if count > 1 else ''}"
    click.echo(f"{file}: {verdict}", err=True)
    ctx.exit(PROBLEMS if count else FINE)
