"""`feltd completion SHELL`."""

import click
from click.shell_completion import get_completion_class


@click.command(short_help="Make the shell complete commands.", epilog="Exit codes: 0 fine; 2 an unknown shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the lines that make SHELL complete feltd's commands, options and rulebooks.

    \b
    Examples:
      feltd completion bash > ~/.local/share/bash-completion/completions/feltd
      feltd completion zsh > ~/.zfunc/_feltd
      feltd completion fish > ~/.config/fish/completions/feltd.fish
    """
    completer = get_completion_class(shell)
    assert completer is not None  # click has all three
    click.echo(completer(ctx.find_root().command, {}, "feltd", "_FELTD_COMPLETE").source())
