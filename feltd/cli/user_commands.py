"""`feltd user …`: the people who sign in to a table's page."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feltd.cli.accounts_file import PIT_FILE, Place, accounts_of, config_option, place_of, role_option
from feltd.cli.token_commands import token
from feltd.page.access.first_codes import CODE_DAYS
from feltd.page.access.roles import Role
from feltd.page.access.tokens import DAY, DAYS_MOST

if TYPE_CHECKING:
    from feltd.page.access.accounts import Account

_stdin_option = click.option(
    "--password-stdin",
    is_flag=True,
    help="Take the password from the standard input, for scripts; else it is asked for.",
)


_code_option = click.option(
    "--code",
    "by_code",
    is_flag=True,
    help="Ask for no password: show a code, by which the person chooses one at the page. It is good once.",
)
_days_option = click.option(
    "--days",
    type=click.IntRange(1, DAYS_MOST),
    default=CODE_DAYS,
    show_default=True,
    help="Of --code: how long it is good.",
)


@click.group(short_help="Make, list and change the accounts of a table's page.")
def user() -> None:
    """Make, list and change the accounts of a table's page.

    There is no account until one is made here, and no password but the one it is given. A change takes effect at once,
    while feltd runs; a person whose account is shut, or gets another password, is signed out.

    \b
    observer      sees the table, its rulings, devices and trends
    supervisor    and decides: rulings, seats, clocks; sees cards of rounds that are over
    director      and leads the tournament
    surveillance  sees all that a director sees, changes nothing
    technician    tests devices and their keys; sees no cards, decides nothing
    """


user.add_command(token)


@user.command()
@click.argument("name")
@role_option
@click.option("--badge", "staff", help="What the person's badge says: it is recorded for them.")
@_stdin_option
@_code_option
@_days_option
@config_option
def add(name: str, role: str, staff: str | None, password_stdin: bool, by_code: bool, days: int, config: Path) -> None:
    """Make the account NAME.

    \b
    Examples:
      feltd user add anna --role supervisor --badge S1042
      feltd user add anna --role technician --code --config feltd/accounts.json
    """
    table = place_of(config)
    password = "" if by_code else _password(password_stdin)
    with accounts_of(table) as accounts:
        if by_code:
            _show_code(*accounts.add_by_code(name, Role(role), _until(days), staff))
            return
        account = accounts.add(name, Role(role), password, staff)
    click.echo(f"{account.name}, {account.role.value}: may sign in now")


@user.command("list")
@config_option
def list_(config: Path) -> None:
    """List the accounts: name, role, badge, whether it may be used. A note says who could change no device's key."""
    from feltd.text.zone import moment

    with accounts_of(place_of(config)) as book:
        accounts = sorted(book, key=lambda account: account.name)
    if not accounts:
        click.echo("no accounts: make one with  feltd user add NAME --role supervisor")
    width = max((len(account.name) for account in accounts), default=0)
    for account in accounts:
        badge = f"  badge {account.staff}" if account.staff else ""
        badge += "  (second factor)" if account.asks_factor else ""
        badge += "" if account.code_until is None else f"  (code until {moment(account.code_until)})"
        click.echo(
            f"{account.name:<{width}}  {account.role.value:<12}{badge}{'' if account.enabled else '  (shut)'}".rstrip()
        )
    if config.name != PIT_FILE:
        _note_alone(accounts)


def _note_alone(accounts: "Sequence[Account]") -> None:
    """Say where somebody asks in vain for a second person: they would find out when a device has broken."""
    from feltd.page.access.roles import Right
    from feltd.page.access.second_person import could_approve

    for account in accounts:
        if account.may(Right.DEVICES) and not could_approve(accounts, account.name, lambda _: False):
            click.echo(
                f"note: nobody could approve what {account.name} asks for (a device's key and an update take two "
                "people): make an account for a technician, a supervisor or a director more",
                err=True,
            )


@user.command("password")
@click.argument("name")
@_stdin_option
@_code_option
@_days_option
@config_option
def password_(name: str, password_stdin: bool, by_code: bool, days: int, config: Path) -> None:
    """Give NAME a new password. Sessions under the old one end."""
    if by_code:
        with accounts_of(place_of(config)) as accounts:
            _show_code(*accounts.put_code(name, _until(days)))
        return
    _change(config, name, password=_password(password_stdin))
    click.echo(f"{name}: has a new password")


@user.command("role")
@click.argument("name")
@role_option
@config_option
def role_(name: str, role: str, config: Path) -> None:
    """Give NAME another role."""
    _change(config, name, role=Role(role))
    click.echo(f"{name}: is {role} now")


@user.command("second-factor")
@click.argument("name")
@click.option("--remove", is_flag=True, help="Take it away, security keys too: for a person who has lost their device.")
@config_option
def second_factor(name: str, remove: bool, config: Path) -> None:
    """Give NAME a second factor: a secret for an app that makes codes, shown once.

    People set one up themselves on the page of their account, and register security keys there. With --remove the
    account has neither any more, and the sessions that began with one end.

    \b
    Examples:
      feltd user second-factor anna
      feltd user second-factor anna --remove
    """
    from feltd.page.access.second_factor import new_secret, uri_of

    table = place_of(config)
    secret = None if remove else new_secret()
    with accounts_of(table) as accounts:
        if secret is None:
            accounts.take_second_factors(name)
        else:
            accounts.put_second_factor(name, secret)
    if secret is None:
        click.echo(f"{name}: signs in by the password alone")
        return
    click.echo(f"{name}: signs in with a code too; the secret for the app, which is not shown again:", err=True)
    click.echo(secret)
    click.echo(uri_of(secret, name, table.shown_name))


@user.command()
@click.argument("badge")
@click.option("--remove", is_flag=True, help="Take the badge's PIN away.")
@click.option("--pin-stdin", is_flag=True, help="Take the PIN from the standard input; else it is asked for.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The record's sealing key, where the configuration leaves it to the service manager (credential:NAME).",
)
@config_option
def pin(badge: str, remove: bool, pin_stdin: bool, key: Path | None, config: Path) -> None:
    """Give BADGE a PIN, which its holder keys here: it counts at the table with the PIN alone from then on.

    The PIN has 4 to 12 digits and is keyed at a badge reader with a keypad. The table looks at it, and the page never
    has it. Three wrong ones in a row make the next one wait, each longer. Somebody who has another's badge from now on
    needs a new PIN.

    \b
    Examples:
      feltd user pin S1042
      feltd user pin S1042 --remove
    """
    from feltd.table.config.config import load_config
    from feltd.table.config.key_files import read_key
    from feltd.table.keeper.badge_pins import pins_file_of, put_pin
    from feltd.text.as_owner import as_owner_of

    journal = load_config(config).journal
    sealing_key = journal.sealing_key_file.read() if key is None else read_key(key)
    digits = None if remove else _password(pin_stdin, "PIN")
    file = pins_file_of(journal.path)
    with as_owner_of(file):
        put_pin(file, sealing_key, badge, digits)
    click.echo(f"{badge}: {'has no PIN any more' if remove else 'counts with its PIN alone'}, at a table that runs too")


@user.command()
@click.argument("name")
@config_option
def shut(name: str, config: Path) -> None:
    """Let NAME sign in no more, and end its sessions. The account stays."""
    _change(config, name, enabled=False)
    click.echo(f"{name}: may not sign in any more")


@user.command("open")
@click.argument("name")
@config_option
def open_(name: str, config: Path) -> None:
    """Let NAME sign in again."""
    _change(config, name, enabled=True)
    click.echo(f"{name}: may sign in")


@user.command()
@click.argument("name")
@config_option
def remove(name: str, config: Path) -> None:
    """Remove NAME. What the person has done stays in the record under that name."""
    table = place_of(config)
    with accounts_of(table) as accounts:
        account = accounts.get(name)
        accounts.remove(name)
    click.echo(f"{name}: removed")
    if account is not None and account.staff is not None:
        _say_where_the_badge_still_counts(config, table, account.staff)


def _say_where_the_badge_still_counts(config: Path, table: Place, badge: str) -> None:
    """A badge in the settings of a reader counts without an account too."""
    for device in table.devices:
        if badge in device.settings.get("staff", {}):
            click.echo(
                f"the badge still counts: {config} lists it in settings.staff of {device.name}; take it out there"
            )


def _change(config: Path, name: str, **changes: Any) -> None:
    with accounts_of(place_of(config)) as accounts:
        accounts.change(name, **changes)


def _until(days: int) -> float:
    return time.time() + days * DAY


def _show_code(account: "Account", code: str) -> None:
    """Show a code for who is to have it, and beside it what it is."""
    from feltd.text.zone import moment

    click.echo(
        f"{account.name}, {account.role.value}: signs in at the page with this code in place of a password, and "
        f"chooses a password there. It is good once, until {moment(account.code_until or 0.0)}, and not shown again:",
        err=True,
    )
    click.echo(code)


def _password(from_stdin: bool, what: str = "Password") -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    asked: str = click.prompt(what, hide_input=True, confirmation_prompt="Once more")
    return asked
