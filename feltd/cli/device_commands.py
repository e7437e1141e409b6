"""`feltd device …`: what a technician does to a device from the console."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from feltd.text.errors import FeltdError

DEFAULT_CONFIG: Final = Path("/etc/feltd/table.toml")

_config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    default=DEFAULT_CONFIG,
    show_default=True,
    help="The table's configuration: it says which devices there are, and where their keys are kept.",
)


class UnknownDeviceError(FeltdError):
    """The table has no device of this name."""


class RulesError(FeltdError):
    """The rules cannot be written there."""


@click.group(short_help="A table's devices: another key, and who may open them.")
def device() -> None:
    """Give a table's device another key, or say by which rule udev opens a table's devices to feltd."""


@device.command()
@click.argument("name")
@click.option("--given", is_flag=True, help="Take the key from the standard input (64 hexadecimal digits).")
@click.option("--back", is_flag=True, help="Go back to the key before, which the device still has.")
@_config_option
def key(name: str, given: bool, back: bool, config: Path) -> None:
    """Make a new key for the device NAME and show it once, to be loaded into the device.

    A running feltd takes it up by itself within a few seconds; the session that stands goes on under the old key. The
    old key is kept beside the new one until the device has connected with the new one.

    \b
    Examples:
      feltd device key shoe
      feltd device key reader:board --given < board.key
    """
    from feltd.table.config.config import load_config
    from feltd.table.config.key_files import KeyFileError
    from feltd.table.workshop.device_keys import DeviceKeyError, changeable, make_key, parse_key, take_back, write_key
    from feltd.text.as_owner import as_owner_of

    if given and back:
        raise click.UsageError("--given and --back: one of the two")
    devices = {one.name: one for one in load_config(config).devices}
    if name not in devices:
        raise UnknownDeviceError(f'{config}: no device "{name}"; there are: {", ".join(devices) or "none"}')
    file = devices[name].wire_key
    if file is None:
        raise DeviceKeyError(f"{name}: an adapter speaks with it: its maker says how its keys are changed")
    place = changeable(name, file)
    if back:
        with as_owner_of(place):
            take_back(name, file)
        click.echo(f"{name}: has the key again that it had before")
        return
    made = parse_key(sys.stdin.readline()) if given else make_key()
    with as_owner_of(place):
        for other in devices.values():
            try:
                taken = other.name != name and other.wire_key is not None and other.wire_key.read() == made
            except KeyFileError:  # its own trouble: feltd check tells it
                continue
            if taken:
                raise DeviceKeyError(f"this is the key of {other.name} already: no two devices share one")
        write_key(name, file, made)
    if not given:
        click.echo(made.hex())
    click.echo(
        f"{name}: has a new key; load it into the device now{'' if given else ', it is not shown again'}", err=True
    )


@device.command()
@click.option("--into", type=click.Path(path_type=Path, dir_okay=False), help="Write them into this file.")
@click.option("--group", default="feltd", show_default=True, help="The group that feltd runs with.")
@_config_option
def rules(into: Path | None, group: str, config: Path) -> None:
    """Say the rules by which udev opens the ports and USB devices that a table's file names to feltd, and no other.

    The package does this at each start of the table. Where feltd was installed in another way, an administrator does,
    and has udev read them: udevadm control --reload; udevadm trigger.

    \b
    Examples:
      feltd device rules
      sudo feltd device rules --into /etc/udev/rules.d/70-feltd-own.rules
    """
    from feltd.table.host.loading import loading_for_a_command

    with loading_for_a_command():  # each start of a table waits for this command
        from feltd.table.config.config import load_config
        from feltd.table.config.device_rules import device_rules
        from feltd.text.as_owner import as_owner_of

    with as_owner_of(config):
        text = device_rules(load_config(config).devices, str(config), group)
    if into is None:
        click.echo(text, nl=False)
        return
    with as_owner_of(into):
        news = _written(into, text)
    click.echo(f"{into}: {'written' if news else 'as it was'}", err=True)


def _written(file: Path, text: str) -> bool:
    """Have this text in the file; return whether it is new. Raises FeltdError."""
    try:
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            return False
        file.parent.mkdir(mode=0o755, exist_ok=True)
        # udev must find the old rules or the new. Nobody is given the file: the unit may not do that (@chown).
        with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f".{file.name}-", delete=False) as new:
            new.write(text)
            os.fchmod(new.fileno(), 0o644)
        os.replace(new.name, file)
    except OSError as fault:
        raise RulesError(f"{file}: cannot be written: {fault.strerror}") from None
    return True
