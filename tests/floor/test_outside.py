"""Who is told outside: a webhook in order until it takes, and a broker that has each table's state and no ear here."""

import asyncio
import hmac
import json
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from feltd.custody.settings import FloorMqtt, FloorSettings, FloorWebhook, SettingsError, floor_settings
from feltd.door.pit.state import PitAlarm, PitDevice, PitRuling, PitTable
from feltd.floor.deriving import Deriving
from feltd.floor.engine import Engine
from feltd.floor.facts import Behind, Fact, FactKind, Made, MemoryFacts, Told
from feltd.floor.following import BEHIND_MOST, Follower
from feltd.floor.memory import MemoryEngine
from feltd.floor.mqtt import PARTS, STATUS_EVERY, Broker, discoveries, state_of, topic_of
from feltd.floor.outside import Outside
from feltd.floor.pit_book import PitBook
from feltd.floor.webhook import WebhookPost, body_of
from feltd.posting.retrying import FIRST_WAIT
from feltd.posting.signed import NotTakenError
from tests.feltd.test_webhook import KEY, Receiver, listening
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import Floor, alarm, ruling
from tests.floor.test_engines import Run
from tests.floor.tls_support import casino
from tests.ports import free_port
from tests.running import eventually, running

JOURNAL = FakeJournal(1)
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

JUMPED = 28_000_000_000
"""A number behind a jump."""


def fact(seq: int, kind: FactKind = FactKind.RULING) -> Fact:
    return Fact(seq, kind, 3, 1_800_000_000.0, {"id": seq})


async def come(floor: Engine, *facts: Fact) -> None:
    """Facts of the table 7."""
    opened = await floor.open_journal("7", JOURNAL.journal_id, 2)
    if not opened.stand.seq:
        JOURNAL.play(1)
        await floor.append_many([JOURNAL.batch("7", 1, 1)])
    done = next((one.seq for one in await floor.facts.behind()), facts[0].seq - 1)
    assert await floor.facts.keep([Made(Behind(JOURNAL.journal_id, 9, done, ""), facts[-1].seq, "", facts)]) == [True]


def test_a_follower_takes_in_order_goes_on_where_it_was_and_begins_with_what_comes(engine: Run) -> None:
    got: list[int] = []

    async def deliver(told: Told, says: Callable[[str | None], None]) -> None:
        got.append(told.fact.seq)

    async def work(floor: Engine) -> None:
        got.clear()
        await come(floor, fact(1))
        assert not await Follower("hook", floor.facts, deliver).turn()
        await come(floor, fact(2), fact(3, FactKind.ROUND_BEGIN), fact(4, FactKind.ALARM))
        assert await Follower("hook", floor.facts, deliver).turn()
        follower = Follower("hook", floor.facts, deliver)
        async with running(follower.run()):
            await come(floor, fact(5, FactKind.DECISION))
            follower.told()
            await eventually(lambda: len(got) == 3)
        assert got == [2, 4, 5]
        assert follower.trouble == ()
        assert await floor.facts.taken("another") is None

    engine(work)


def test_what_waits_is_bounded_and_what_is_left_out_is_told() -> None:
    async def deliver(told: Told, says: Callable[[str | None], None]) -> None:
        says("cameras.example answers 500")

    async def work() -> None:
        floor = MemoryEngine(lambda: 0.0)
        await floor.facts.keep_taken("hook", 0)
        await come(floor, *(fact(seq) for seq in range(1, BEHIND_MOST + 6)))
        follower = Follower("hook", floor.facts, deliver)
        await follower.turn()
        why, left_out = follower.trouble
        assert why == f"hook: cameras.example answers 500; at most {BEHIND_MOST - 94} things wait"
        assert left_out == "hook: 5 things at most were never sent: they had waited for too long"
        await floor.facts.keep_taken("hook", 10**9)  # the facts were made anew
        assert not await follower.turn()
        assert await floor.facts.taken("hook") == BEHIND_MOST + 5

    asyncio.run(work())


def test_what_waited_before_an_epoch_began_is_told_first_and_nothing_is_taken_for_left_out() -> None:
    posted: list[int] = []

    class Numbered(MemoryFacts):
        async def last(self) -> int:
            return JUMPED + 2

        async def news(self, after: int, most: int) -> list[Told]:
            return [told(n) for n in (7, 8, JUMPED + 1, JUMPED + 2) if n > after]

    async def deliver(told: Told, says: Callable[[str | None], None]) -> None:
        says("a slow receiver" if told.number < JUMPED + 2 else None)
        posted.append(told.number)
        if told.number == 7:
            assert follower.trouble == (f"hook: a slow receiver; at most {BEHIND_MOST} things wait",)

    facts = Numbered(dict)
    follower = Follower("hook", facts, deliver)

    async def work() -> None:
        await facts.keep_taken("hook", 6)
        assert await follower.turn()
        assert not await follower.turn()

    asyncio.run(work())
    assert posted == [7, 8, JUMPED + 1, JUMPED + 2]
    assert follower.trouble == ()


def told(number: int = 4) -> Told:
    return Told(number, "7", bytes(16), fact(9))


def test_a_post_is_signed_tried_again_and_says_meanwhile_why() -> None:
    receiver = Receiver(NotTakenError("answers 500"), NotTakenError("answers 500"))
    said: list[str | None] = []

    async def work() -> None:
        post = WebhookPost(receiver.post, KEY, wall=lambda: 7.0, sleep=receiver.sleep)
        await post.deliver(told(), said.append)
        receiver.answers = [NotTakenError("answers 400", lasting=True)]
        await post.deliver(told(5), said.append)
        post.close()

    asyncio.run(work())
    assert said == ["answers 500", "answers 500", None, "answers 400"]
    assert receiver.waits == [FIRST_WAIT, 2 * FIRST_WAIT]
    signed = receiver.posts[0]
    assert signed.body == body_of(told())
    assert json.loads(signed.body) == {
        "number": 4, "table": "7", "journal": "00" * 16, "entry": 9, "round": 3,
        "time": "2027-01-15T08:00:00.000+00:00", "kind": "ruling", "ruling": {"id": 9},
    }  # fmt: skip
    mark = hmac.new(KEY, b"7." + signed.body, "sha256").hexdigest()
    assert (signed.headers["X-Feltd-Entry"], signed.headers["X-Feltd-Signature"]) == ("4", f"sha256={mark}")


def settings_of(**more: Any) -> FloorSettings:
    here = Path("none")
    return FloorSettings(certificate=here, key=here, authority=here, database="postgresql:///floor", **more)


def test_the_floor_posts_what_tables_rule_and_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(KEY)

    async def work(url: str, got: list[tuple[str, bytes]]) -> None:
        floor = Floor(tmp_path)
        outside = Outside(settings_of(webhook=FloorWebhook(url=url, key_file=key)), floor.engine)
        deriving = Deriving(floor.engine, outside.told)
        async with outside.told_of(floor.book):
            await eventually(lambda: floor.engine.facts.followers)
            await floor.table("7", ("output", "ruling", {"ruling": ruling(1)}), ("output", "alarm", {"alarm": alarm()}))
            async with running(deriving.run()):
                await eventually(lambda: len(got) == 2)
        assert [json.loads(body)["kind"] for _, body in got] == ["ruling", "alarm"]
        assert outside.trouble == ()

    with listening(204) as (url, got):
        asyncio.run(work(url, got))
    missing = Outside(settings_of(webhook=FloorWebhook(url=url, key_file=tmp_path / "none")), MemoryEngine(float))
    assert "webhook: nothing is told: [floor.webhook] key_file" in missing.trouble[0]
    missing.told()

    async def without_a_password() -> None:
        mqtt = FloorMqtt(host="127.0.0.1", tls=False, user="floor", password_file=tmp_path / "none")
        outside = Outside(settings_of(mqtt=mqtt), MemoryEngine(float))
        async with outside.told_of(Floor(tmp_path).book):
            assert "mqtt: nothing is told: [floor.mqtt]" in outside.trouble[0]

    asyncio.run(without_a_password())


def test_floor_toml_lets_nobody_read_along(tmp_path: Path) -> None:
    file = tmp_path / "floor.toml"
    begin = '[floor]\ndatabase = "x"\ncertificate = "c"\nkey = "k"\nauthority = "a"\n'
    file.write_text(
        f'{begin}[floor.mqtt]\nhost = "127.0.0.1"\ntls = false\n[floor.webhook]\nurl = "https://a.b/"\nkey_file = "k"\n'
    )
    found = floor_settings(file)
    assert found.webhook is not None
    assert found.webhook.key_file == tmp_path / "k"
    assert found.mqtt is not None
    file.write_text(f'{begin}[floor.mqtt]\nhost = "broker.example"\ntls = false\n')
    with pytest.raises(SettingsError, match="for a broker on this machine"):
        floor_settings(file)
    file.write_text(f'{begin}[floor.webhook]\nurl = "http://a.b/"\nkey_file = "k"\n')
    with pytest.raises(SettingsError, match="must begin with https"):
        floor_settings(file)


TABLE = PitTable(
    "Saal 1#+", True, 1.0, 0, False, "dealing", "flop", 2, 17, 5.0, (PitDevice("shoe", False), PitDevice("keys", True)),
    (PitAlarm("jam", None, "shoe", None, 1.0), PitAlarm("jam", None, "keys", None, 1.0, acknowledged=True)),
    (PitRuling(1, "b", "r", "i", "o", "a", "the As was seen", 2, 1.0),), ("fork: two",),
)  # fmt: skip


def test_the_state_says_what_everybody_sees_and_the_guide_has_its_names() -> None:
    state = state_of(TABLE)
    assert state == {
        "table": "Saal 1#+", "connected": "ON", "attention": "ON", "phase": "dealing", "street": "flop", "level": 2,
        "round": 17, "round_since": 5.0, "alarms": 1, "alarm_kinds": ["jam"], "waiting": 1, "custody": 1, "devices": 2,
        "offline": ["shoe"], "unread": 0,
    }  # fmt: skip
    guide = Path("docs/floor.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in guide for name in state)
    assert topic_of("Saal 1#+") == "Saal_20_1_23__2b_"
    assert topic_of("table-7") == "table-7"
    found = dict(discoveries(FloorMqtt(host="b"), "table-7"))
    assert set(found) == {f"homeassistant/{kind}/feltd_table-7/{key}/config" for kind, key, _, _ in PARTS}
    for content in found.values():
        assert content["state_topic"] == "feltd/tables/table-7/state"
        assert "command_topic" not in content


@contextmanager
def mosquitto(folder: Path, port: int) -> Iterator[Path]:
    """A broker with TLS and one account, of a user without rights; gives its log."""
    assert MOSQUITTO is not None
    log = folder / "log"
    command: list[str | Path] = [MOSQUITTO, "-c", folder / "mosquitto.conf"]
    with log.open("ab") as out, subprocess.Popen(command, stdout=out, stderr=out) as broker:
        try:
            yield log
        finally:
            broker.terminate()
            broker.wait()


class Listener:
    """Somebody else at the broker, who hears all and says what they like."""

    def __init__(self, port: int, authority: Path) -> None:
        self.heard: dict[str, str] = {}
        self.client = Client(CallbackAPIVersion.VERSION2)
        self.client.tls_set(str(authority))
        self.client.username_pw_set("floor", "secret")
        self.client.on_connect = self._here
        self.client.on_message = self._hears
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def _here(self, client: Client, data: Any, flags: ConnectFlags, code: ReasonCode, more: Properties | None) -> None:
        client.subscribe("#", 1)

    def _hears(self, client: Client, data: object, message: MQTTMessage) -> None:
        self.heard[message.topic] = message.payload.decode()

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.mark.skipif(MOSQUITTO is None, reason="no Mosquitto is found (Debian: apt install mosquitto)")
def test_a_broker_has_each_tables_state_again_after_an_outage_and_is_never_heard(tmp_path: Path) -> None:
    certificates = casino(tmp_path / "casino")
    port, folder = free_port(), tmp_path / "broker"
    folder.mkdir()
    (folder / "words").write_text("floor:secret\n")
    subprocess.run(["mosquitto_passwd", "-U", folder / "words"], check=True)
    (folder / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {folder}/words\nlog_type all\n"
        f"certfile {certificates}/floor.pem\nkeyfile {certificates}/floor.key\npersistence false\n"
        f"user {pwd.getpwuid(os.geteuid()).pw_name}\n"
    )
    (tmp_path / "word").write_text("secret\n")
    settings = FloorMqtt(
        host="127.0.0.1", port=port, ca_file=certificates / "authority.pem", user="floor",
        password_file=tmp_path / "word",
    )  # fmt: skip

    async def up(listener: Listener, phase: str) -> None:
        place = "feltd/tables/7/state"
        await eventually(lambda: json.loads(listener.heard.get(place, "{}")).get("phase") == phase)

    @contextmanager
    def heard() -> Iterator[Listener]:
        listener = Listener(port, certificates / "authority.pem")
        try:
            yield listener
        finally:
            listener.close()

    async def listening_broker() -> None:
        def there() -> bool:
            try:
                with socket.create_connection(("127.0.0.1", port)):
                    return True
            except OSError:
                return False

        await eventually(there)

    async def work() -> None:
        floor = Floor(tmp_path)
        outside = Outside(settings_of(mqtt=settings), floor.engine)
        await floor.table("7", ("output", "phase", {"phase": "idle"}))
        async with running(floor.book.run()):
            with mosquitto(folder, port) as log:
                await listening_broker()
                async with outside.told_of(floor.book):
                    with heard() as listener:
                        await up(listener, "idle")
                        assert listener.heard["feltd/status"] == "online"
                        assert "homeassistant/sensor/feltd_7/phase/config" in listener.heard
                        assert outside.trouble == ()
                        for topic in ("feltd/tables/7/state", "feltd/tables/7/set", "feltd-floor"):
                            listener.client.publish(topic, '{"phase": "obey"}', 1)
                        # The broker orders nothing between two clients: what is said here must be over before.
                        await up(listener, "obey")
                        await floor.table("7", ("output", "phase", {"phase": "dealing"}))
                        await up(listener, "dealing")
                        assert floor.obeyed == []
                    broker = outside._broker
                    assert isinstance(broker, Broker)
                with heard() as listener:
                    await eventually(lambda: listener.heard.get("feltd/status") == "offline")
                said = log.read_text()
            assert "as feltd-floor" in said
            assert "SUBSCRIBE from feltd-floor" not in said
            again = Outside(settings_of(mqtt=settings), floor.engine)
            async with again.told_of(floor.book):
                await eventually(lambda: again.trouble)
                assert f"mqtt: 127.0.0.1:{port}: " in again.trouble[0]
                await eventually(lambda: "not good" in again.trouble[0])
                with mosquitto(folder, port):
                    await listening_broker()
                    with heard() as listener:
                        await up(listener, "dealing")
                    assert again.trouble == ()
                await eventually(lambda: again.trouble)

    asyncio.run(work())


class Said:
    """A client of paho's that keeps what is published."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def publish(self, topic: str, content: str, _quality: int, *, retain: bool) -> None:
        assert retain
        self.said.append((topic, content))


def test_the_floord_that_tells_the_broker_says_again_that_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The will of a floord that ended without a word may come after the other one's `online`."""
    clock = [100.0]
    changed: list[Callable[[], None]] = []
    book = PitBook(MemoryEngine(lambda: 0.0))
    monkeypatch.setattr(book, "on_changed", changed.append)

    async def work() -> None:
        broker = Broker(FloorMqtt(host="b"), book, "db1.example:7443", lambda: clock[0])
        client = Said()
        assert broker._client._client_id == b"feltd-floor-db1_2e_example_3a_7443"
        assert not list(broker.trouble)
        monkeypatch.setattr(broker, "_client", client)
        monkeypatch.setattr(broker, "_loop", asyncio.get_running_loop())
        assert "not reached yet" in broker.trouble[0]
        broker._is_here(True, "")
        assert client.said == [("feltd/status", "online")]
        for _ in range(2):
            clock[0] += STATUS_EVERY - 1
            changed[0]()
        assert client.said == [("feltd/status", "online")] * 2

    asyncio.run(work())


def test_of_two_floords_one_tells_the_broker_and_then_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("feltd.floor.alone.AGAIN_AFTER", 0.02)
    monkeypatch.setattr("feltd.floor.alone.LOOK_EVERY", 0.02)
    at_it: list[str] = []
    names = iter(["one", "other"])
    monkeypatch.setattr("feltd.floor.outside.floord_name", lambda _port: next(names))

    class Telling(Broker):
        def __init__(self, settings: FloorMqtt, book: PitBook, name: str) -> None:
            super().__init__(settings, book, name)
            self.name = name

        def begin(self) -> None:
            at_it.append(self.name)

        def close(self) -> None:
            at_it.remove(self.name)

    monkeypatch.setattr("feltd.floor.mqtt.Broker", Telling)

    async def work() -> None:
        engine = MemoryEngine(lambda: 0.0)
        book = PitBook(engine)
        settings = settings_of(mqtt=FloorMqtt(host="b"))
        async with AsyncExitStack() as first:
            await first.enter_async_context(Outside(settings, engine).told_of(book))
            await eventually(lambda: at_it == ["one"])
            async with Outside(settings, engine).told_of(book):
                await asyncio.wait_for(first.aclose(), 60)
                await eventually(lambda: at_it == ["other"])
        assert at_it == []

    asyncio.run(work())
