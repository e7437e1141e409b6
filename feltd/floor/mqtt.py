"""Each table's state at an MQTT broker, retained, one way: for displays and house automation.

It subscribes to nothing, so nothing that anybody says at the broker comes here. What is said is what everybody at a
table sees: no card, no name, no text of a ruling. The broker has the state of now and no queue: after an outage it gets
each table once, as it is then. Home Assistant finds the tables by its discovery topics.
"""

import asyncio
import json
import logging
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from feltd.custody.settings import FloorMqtt, SettingsError
from feltd.door.pit.state import PitSince, PitTable
from feltd.floor.pit_book import PitBook
from toml_text.faults import Problem

FIRST_WAIT: Final = 1
LONGEST_WAIT: Final = 300
"""Seconds between two attempts at a broker; paho doubles them."""
STATUS_EVERY: Final = 30.0
"""Seconds. Where this floord took over, the broker may learn later that the other one is gone, and say `offline`."""
TAKEN: Final = 1
"""At least once: the broker acknowledges."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_log = logging.getLogger("feltd.floor")

PARTS: Final[tuple[tuple[str, str, str, Mapping[str, str]], ...]] = (
    ("sensor", "phase", "Phase", {}),
    ("sensor", "level", "Level", {}),
    ("sensor", "round", "Round", {}),
    ("sensor", "alarms", "Alarms", {}),
    ("sensor", "waiting", "Rulings that wait", {}),
    ("binary_sensor", "connected", "Connection", {"device_class": "connectivity"}),
    ("binary_sensor", "attention", "Attention", {"device_class": "problem"}),
)
"""What Home Assistant shows of a table: its component, the key of the state, the name, and what else it is told."""


def topic_of(table: str) -> str:
    """A table's name as a part of topics: other letters than A-Z, a-z, 0-9, - and _ are told by their code.

    Two names never become one.
    """
    return _UNSAFE.sub(lambda letter: f"_{ord(letter[0]):x}_", table)


def state_of(table: PitTable) -> dict[str, Any]:
    """What a broker has of a table. Fields are only added."""
    standing = [alarm for alarm in table.alarms if not alarm.acknowledged]
    return {
        "table": table.name,
        "connected": "ON" if table.connected else "OFF",
        "attention": "ON"
        if standing or table.more_alarms or table.waiting or table.wrong or table.custody or not table.connected
        else "OFF",
        "phase": table.phase,
        "street": table.street,
        "level": table.level,
        "round": table.round,
        "round_since": table.round_since,
        "alarms": len(standing) + table.more_alarms,
        "alarm_kinds": sorted({alarm.kind for alarm in standing}),
        "waiting": len(table.waiting),
        "custody": len(table.wrong) + len(table.custody),
        "unread": table.unread,
        "devices": len(table.devices),
        "offline": [device.name for device in table.devices if not device.online],
    }


def discoveries(settings: FloorMqtt, table: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The topics by which Home Assistant finds a table, with what each says."""
    name = topic_of(table)
    for component, key, words, more in PARTS:
        own = f"{settings.prefix}_{name}"
        yield (
            f"{settings.discovery}/{component}/{own}/{key}/config",
            {
                "name": words,
                "unique_id": f"{own}_{key}",
                "state_topic": f"{settings.prefix}/tables/{name}/state",
                "value_template": f"{{{{ value_json.{key} }}}}",
                "availability_topic": f"{settings.prefix}/status",
                "device": {"identifiers": [own], "name": table, "manufacturer": "feltd"},
                **more,
            },
        )


class Broker:
    """The link to a broker. Belongs to one loop, apart from paho's own thread; close it."""

    def __init__(
        self, settings: FloorMqtt, book: PitBook, name: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`name`: this floord's: of two clients with one name a broker throws out the one that is there.

        `clock`: seconds, for distances of time. Raises SettingsError where a file that it needs cannot be used.
        """
        self._settings = settings
        self._book = book
        self._place = f"{settings.host}:{settings.port}"
        self._status = f"{settings.prefix}/status"
        self._client = Client(CallbackAPIVersion.VERSION2, client_id=f"{settings.prefix}-floor-{topic_of(name)}")
        self._client.will_set(self._status, "offline", TAKEN, retain=True)
        self._client.reconnect_delay_set(FIRST_WAIT, LONGEST_WAIT)
        self._client.on_connect = self._on_connect
        self._client.on_connect_fail = self._on_connect_fail
        self._client.on_disconnect = self._on_disconnect
        self._secure()
        self._said: dict[str, str] = {}
        self._since = PitSince("", 0)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._here = False
        self._why: str | None = "not reached yet"
        self._clock = clock
        self._status_at = 0.0
        book.on_changed(self._changed)

    def _secure(self) -> None:
        settings = self._settings
        try:
            if settings.user is not None:
                word = None if settings.password_file is None else settings.password_file.read_text("utf-8").strip()
                self._client.username_pw_set(settings.user, word)
            if settings.tls:
                self._client.tls_set_context(ssl.create_default_context(cafile=settings.ca_file))
        except (OSError, ValueError) as fault:
            words = f"[floor.mqtt] {settings.password_file or settings.ca_file}: {fault}"
            raise SettingsError([Problem("", None, "", words)]) from None

    def begin(self) -> None:
        """Connect, and say what changes from now on. It goes on by itself, and waits for nobody."""
        self._loop = asyncio.get_running_loop()
        self._client.connect_async(self._settings.host, self._settings.port)
        self._client.loop_start()

    async def run(self) -> None:
        """Tell the broker until cancelled; it may be run again."""
        self.begin()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Say that the floor is away, and end."""
        self._loop = None
        if self._here:
            self._client.publish(self._status, "offline", TAKEN, retain=True).wait_for_publish(FIRST_WAIT)
        self._client.disconnect()
        self._client.loop_stop()
        self._here, self._why = False, "not reached yet"

    @property
    def trouble(self) -> tuple[str, ...]:
        """What is wrong now, in words for the pit page; nothing while another floord tells the broker."""
        if self._why is None or self._loop is None:
            return ()
        return (f"mqtt: {self._place}: {self._why}. See [floor.mqtt]; it gets all tables once it takes them again",)

    # -- in paho's thread

    def _on_connect(
        self, client: Client, data: object, flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._tell(not code.is_failure, str(code))

    def _on_connect_fail(self, client: Client, data: object) -> None:
        self._tell(False, "it is not reached, or its certificate is not good")

    def _on_disconnect(
        self, client: Client, data: object, flags: DisconnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._tell(False, f"the connection has ended: {code}")

    def _tell(self, here: bool, why: str) -> None:
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._is_here, here, why)

    # -- in the loop

    def _is_here(self, here: bool, why: str) -> None:
        if here != self._here or (not here and why != self._why):
            _log.log(logging.INFO if here else logging.WARNING, "mqtt: %s: %s", self._place, why)
        self._here, self._why = here, None if here else why
        if here:
            self._said, self._since = {}, PitSince("", 0)
            self._say_online()
            self._changed()

    def _say_online(self) -> None:
        self._status_at = self._clock()
        self._client.publish(self._status, "online", TAKEN, retain=True)

    def _changed(self) -> None:
        if not self._here or self._loop is None:
            return
        if self._clock() - self._status_at >= STATUS_EVERY:
            self._say_online()
        news = self._book.news(self._since)
        self._since = PitSince(news.run, news.revision)
        for table in news.tables:
            text = json.dumps(state_of(table), ensure_ascii=False)
            before = self._said.get(table.name)
            if before is None and self._settings.discovery:
                for topic, content in discoveries(self._settings, table.name):
                    self._client.publish(topic, json.dumps(content, ensure_ascii=False), TAKEN, retain=True)
            if before != text:
                self._said[table.name] = text
                place = f"{self._settings.prefix}/tables/{topic_of(table.name)}/state"
                self._client.publish(place, text, TAKEN, retain=True)
