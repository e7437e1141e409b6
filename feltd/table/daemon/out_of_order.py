"""The devices of a table that cannot start, or starts for long: set to stop, and not listened to.

Their reports are neither taken nor acknowledged, so they keep them.
"""

import time

from feltd.table.config.config import SoundSections, TableConfig
from feltd.table.config.key_files import KeyFileError
from feltd.table.keeper.deliveries import Delivery
from feltd.table.links.bridge import Bridge, make_drivers
from feltd.table.links.display_words import StoppedBy
from feltd.table.links.ends import TableEnds
from feltd.table.links.pins import add_stations, pin_groups
from feltd.text.language import Language


def stopped_devices(sound: SoundSections, why: str) -> Bridge:
    """Return a bridge that stops the devices of a table's file and takes no reports.

    Devices whose key cannot be read are left out: they are at the level of a device without a link.
    """
    devices, keys = [], {}
    for device in sound.devices.values():
        try:
            if device.wire_key is not None:
                keys[device.name] = device.wire_key.read()
        except KeyFileError:
            continue
        devices.append(device)
    groups = pin_groups(sound.pins)
    drivers = make_drivers(devices) | {group.name: group.driver() for group in groups}
    bridge = Bridge(devices, keys, {}, drivers, wall=time.time)
    bridge.indicating.language = sound.table.language if sound.table else Language.ENGLISH
    bridge.connect(TableEnds(_set_only))
    add_stations(bridge, sound.pins, groups)
    bridge.stop_play(why, StoppedBy.TROUBLE)
    return bridge


def waiting_devices(config: TableConfig, why: str) -> Bridge:
    """Return a bridge that stops the devices with a link of ours while their table starts, and takes no reports.

    `why`: how far the start is. Pins and adapters are left out: each belongs to the table that comes, and holds the
    level of a stop until then.
    """
    devices = [device for device in config.devices if device.wire_key is not None]
    keys = {device.name: device.wire_key.read() for device in devices if device.wire_key is not None}
    bridge = Bridge(devices, keys, {}, make_drivers(devices), wall=time.time)
    bridge.indicating.language = config.table.language
    bridge.connect(TableEnds(_set_only))
    bridge.stop_play(why, StoppedBy.STARTING)
    return bridge


def _set_only(delivery: Delivery) -> None:
    """Set a device that has come up; leave its reports with it."""
    if delivery.source is None and delivery.done is not None:
        delivery.done()
