"""`feltd user token …`: tokens by which programs ask a table's API in the name of an account."""

import time
from pathlib import Path

import click

from feltd.cli.accounts_file import accounts_of, config_option, place_of, role_option
from feltd.page.access.roles import Right
from feltd.page.access.tokens import DAYS, DAYS_MOST

_SCOPES = [right.value for right in Right if right is not Right.TOKENS]


@click.group(short_help="Make, list and revoke tokens for programs.")
def token() -> None:
    """Make, list and revoke tokens by which programs ask the API in the name of an account.

    A token has a role, a scope and an end. A change takes effect at once, while feltd runs, and is on record.
    """


@token.command("add")
@click.argument("name")
@role_option
@click.option("--scope", "scopes", type=click.Choice(_SCOPES), multiple=True, required=True,
              help="A right that it has; several times for several.")  # fmt: skip
@click.option("--for", "words", required=True, help="What it is for, in a few words.")
@click.option("--days", type=click.IntRange(1, DAYS_MOST), default=DAYS, show_default=True, help="When it ends.")
@config_option
def add_token(name: str, role: str, scopes: tuple[str, ...], words: str, days: int, config: Path) -> None:
    """Make a token of the account NAME. It is shown once: the text alone on the standard output.

    \b
    Examples:
      feltd user token add anna --role observer --scope see --for "the pit's screen"
      feltd user token add bert --role supervisor --scope see --scope export --for archive --days 30
    """
    from feltd.page.access.roles import Role
    from feltd.text.zone import moment

    with accounts_of(place_of(config)) as accounts:
        _, made, text = accounts.add_token(name, words, Role(role), map(Right, scopes), days, time.time())
    click.echo(f"{name}: token {made.id} ends {moment(made.until)}; its text, which is not shown again:", err=True)
    click.echo(text)


@token.command("list")
@click.argument("name")
@config_option
def list_tokens(name: str, config: Path) -> None:
    """List the tokens of NAME, never their texts."""
    from feltd.page.access.accounts import AccountError
    from feltd.text.zone import moment

    with accounts_of(place_of(config)) as accounts:
        account = accounts.get(name)
    if account is None:
        raise AccountError(f'there is no account "{name}": feltd user list shows those there are')
    if not account.tokens:
        click.echo(f"{name}: no tokens")
    for one in account.tokens:
        end = "ended" if one.over(time.time()) else "ends"
        what = f"{one.role.value}: {', '.join(sorted(one.scope))}"
        click.echo(f"{one.id}  {what}  {end} {moment(one.until)}  {one.words}")


@token.command("revoke")
@click.argument("name")
@click.argument("id")
@config_option
def revoke_token(name: str, id: str, config: Path) -> None:  # noqa: A002 - the argument's word
    """Take the token ID of NAME away: it opens nothing from now on."""
    with accounts_of(place_of(config)) as accounts:
        accounts.revoke_token(name, id)
    click.echo(f"{name}: token {id} is revoked")
