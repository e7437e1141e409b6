"""`feltd device …`: what a technician does to a device from the console."""

import sys
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


@click.group(short_help="Give a table's device another key.")
def device() -> None:
    """Give a table's device another key."""


@device.command()
@click.argument("name")
@click.option("--given", is_flag=True, help="Take the key from the standard input (64 hexadecimal digits).")
@click.option("--back", is_flag=True, help="Go back to the key before, which the device still has.")
@_config_option
def key(name: str, given: bool, back: bool, config: Path) -> None:
    """Make a new key for the device NAME and show it once, to be loaded into the device.

    A running feltd takes it up by itself within a few seconds; the session that stands goes on under the old key. The
    old key is kept beside the new one until the device has come up under the new one.

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
