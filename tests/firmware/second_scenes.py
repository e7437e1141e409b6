"""What every firmware does in protocol 2, and with a host of 1: the tests of each language play these."""

import json
from collections.abc import Callable

from firmware_bridge.compact import Next, hello_of
from firmware_bridge.facts import Jump, ResumePoint
from firmware_bridge.framing import FrameType
from firmware_bridge.language import DeviceVersion2, HostVersion2
from firmware_bridge.limits import FRAME_LARGEST
from firmware_bridge.messages import (
    Ack,
    Close,
    Command,
    DeviceMessage,
    Event,
    HostMessage,
    Ping,
    Refusal,
    Result,
    Status,
    Welcome,
)
from firmware_bridge.session import HostHandshake
from tests.firmware.raw_host import ANSWER, QUIET, RawHost
from tests.firmware.scenes import AWAY, powered, press
from tests.firmware.support import VECTORS, FirmwareProcess, Session
from tests.firmware_bridge.support import KEY, run


class SecondHost(RawHost):
    """A host worked by hand that speaks version 2."""

    language: HostVersion2

    def request(self, *, key: bytes = KEY, role: str | None = None, version: int = 2) -> HostHandshake:
        return super().request(key=key, role=role, version=version)

    def shake(self) -> HostHandshake:
        handshake = self.request()
        while (frame := self.frame()) is not None and frame.type is not FrameType.HANDSHAKE_ANSWER:
            pass
        assert frame is not None
        self.channel, payload = handshake.read_answer(frame.body[4:])
        self.hello = hello_of(payload)
        self.language = HostVersion2(self.hello)
        return handshake

    def tell(self, message: HostMessage) -> None:
        self.say(self.language.encode(message))

    def begin(self, resume: tuple[bytes, int] | None = None, window: int = 32) -> Next:
        """A session, welcomed: the name of the first event, which comes behind a status."""
        self.shake()
        self.tell(Welcome(window, resume, FRAME_LARGEST))
        assert isinstance(self.hear(), Status)
        first = self.hear()
        assert isinstance(first, Next)
        return first

    def hear(self, seconds: float = ANSWER) -> DeviceMessage | Next | None:  # type: ignore[override]
        frame = self.frame(seconds)
        if frame is None:
            return None
        assert self.channel is not None
        return self.language.decode(self.channel.decrypt(frame.body))

    def heard(self, seconds: float = ANSWER) -> DeviceMessage | Next | None:  # type: ignore[override]
        while isinstance(message := self.hear(seconds), Status):
            pass
        return message

    def is_up(self) -> bool:
        self._pings += 1
        self.tell(Ping(self._pings))
        pong = self.heard()
        return getattr(pong, "number", None) == self._pings

    def events(self, count: int) -> list[tuple[bytes, int]]:
        found: list[tuple[bytes, int]] = []
        while len(found) < count:
            message = self.heard()
            if isinstance(message, Event):
                found.append((message.boot_id, message.seq))
            else:
                assert isinstance(message, Next)
        return found

    def is_ended(self) -> bool:
        """Whether the session ended with a close for a malformed message."""
        close = self.heard()
        if not (isinstance(close, Close) and close.reason == 3):
            return False
        self.put(3, bytes(40))
        frame = self.frame()
        return frame is not None and frame.type is FrameType.REJECT


def version_2_is_judged_as_the_host_side_judges_it(device: FirmwareProcess) -> None:
    """Every malformed and every allowed message of the vectors, each in a session."""
    vectors = json.loads(VECTORS.read_text())["version_2"]
    with powered(device), SecondHost(device) as host:
        host.begin()
        for name, text in vectors["malformed"].items():
            host.say(bytes.fromhex(text))
            assert host.is_ended(), name
            host.begin()
        for name, text in vectors["allowed"].items():
            data = bytes.fromhex(text)
            host.begin()
            host.say(data)
            if isinstance(DeviceVersion2(bytes(8)).decode(data), Welcome):
                assert host.is_ended(), name  # allowed, but not twice
            else:
                if data[0] == 8:
                    assert host.heard() is not None, name
                assert host.is_up(), name


def the_last_event_acknowledged_is_told_also_after_a_restart(device: FirmwareProcess) -> None:
    with powered(device), SecondHost(device) as host:
        first = host.begin()
        assert host.hello is not None
        boot = host.hello.boot_id
        assert (host.hello.acknowledged, first) == (None, Next(boot, 1, known=True))
        press(device, 0, 5)
        assert host.events(5) == [(boot, n) for n in range(1, 6)]
        host.tell(Ack(boot, 2))
        host.tell(Ack(boot, 3))
        assert host.is_up()
        assert host.begin((boot, 3)) == Next(boot, 4, known=True)
        assert host.hello.acknowledged == (boot, 3)
        assert host.begin((boot, 2)) == Next(boot, 4, known=False)
        assert host.begin(None) == Next(boot, 4, known=False)
        assert host.begin((b"unheard.", 9)) == Next(boot, 4, known=False)
        device.kill()
        device.start()
        press(device, 5, 6)
        assert host.begin((boot, 1)) == Next(boot, 4, known=False)
        assert host.hello.acknowledged == (boot, 3)
        other = host.hello.boot_id
        assert other != boot
        assert host.events(3) == [(boot, 4), (boot, 5), (other, 1)]
        assert host.begin((boot, 4)) == Next(boot, 5, known=True)  # it is kept: the acknowledgement had been lost
        assert host.events(2) == [(boot, 5), (other, 1)]
        host.tell(Ack(other, 1))
        assert host.is_up()
        assert host.begin((other, 1)) == Next(other, 2, known=True)
        assert host.hello.acknowledged == (other, 1)
        device.kill()
        device.start()
        again = host.begin((other, 1))
        assert (again.seq, again.known, host.hello.acknowledged) == (1, True, (other, 1))


def commands_and_refusals_of_version_2(device: FirmwareProcess) -> None:
    """Also an id that comes again, and more of them than the hello allows: each is answered in its turn."""
    with powered(device), SecondHost(device) as host:
        host.begin()
        for number in (7, 7, 2**32 - 1):
            host.tell(Command(number, "x_identify", {}))
        host.tell(Command(3, "open_sesame", {}))
        assert [host.heard() for _ in range(3)] == [Result(7, {}), Result(7, {}), Result(2**32 - 1, {})]
        refusal = host.heard()
        assert isinstance(refusal, Refusal)
        assert (refusal.id, refusal.code) == (3, "unknown")
        host.tell(Welcome(32, None, FRAME_LARGEST))  # a second one
        assert host.is_ended()


def noise_and_frames_out_of_place_do_not_disturb_who_waits_for_a_welcome(device: FirmwareProcess) -> None:
    with powered(device), SecondHost(device) as host:
        host.shake()
        host.write(b"\0noise\0")
        host.put(2, bytes(60))
        host.put(4, bytes(60))
        host.put(1, bytes(48))
        assert host.is_silent(QUIET)
        host.tell(Welcome(32, None, FRAME_LARGEST))
        assert isinstance(host.hear(), Status)
        assert isinstance(host.hear(), Next)
        assert host.is_up()


def it_speaks_1_with_a_host_of_1_and_2_with_a_host_of_2(device: FirmwareProcess) -> None:
    """Events go over from one version to the other: what was kept in one is delivered in the next."""

    async def scene() -> None:
        session = Session(device, "keys", versions=(1, 1))
        await session.until(lambda: bool(session.journal.ups))
        taken = 0
        for versions in ((1, 1), (1, 2), (1, 1), (2, 2)):
            session.versions = versions
            press(device, taken, taken + 3)
            ups = len(session.journal.ups)
            await session.restart()
            await session.until(lambda ups=ups: len(session.journal.ups) > ups)  # type: ignore[misc]
            press(device, taken + 3, taken + 5)
            taken += 5
            await session.until(lambda taken=taken: len(session.events) >= taken)  # type: ignore[misc]
            assert session.journal.ups[-1][0].version == versions[1]
        assert session.events == [AWAY[n % 10] for n in range(taken)]
        assert session.journal.jumps == []
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


def a_record_that_was_put_back_is_noticed(device: FirmwareProcess) -> None:
    """Before the device has anything to say, and after it restarts."""

    async def scene() -> None:
        session = Session(device, "keys")
        await session.until(lambda: bool(session.journal.ups))
        press(device, 0, 5)
        await session.until(lambda: len(session.events) == 5)
        boot = session.journal.events[0][0]
        told = len(session.journal.statuses) + 1  # the next one may have been on its way before the acknowledgement
        await session.until(lambda: len(session.journal.statuses) > told)
        await session.until(lambda: session.journal.statuses[-1].get("waiting") == 0)
        device.kill()
        device.start()
        session.journal.synced = 2
        await session.restart()
        await session.until(lambda: bool(session.journal.jumps))
        [jump] = session.journal.jumps
        assert jump == Jump(ResumePoint(boot, 2), jump.coming, ResumePoint(boot, 5), known=False)
        assert (jump.coming.boot_id != boot, jump.coming.seq) == (True, 1)
        press(device, 5, 6)
        await session.until(lambda: len(session.events) == 3)
        assert session.events == [*AWAY[:2], AWAY[5]]
        await session.close()

    with powered(device):
        run(scene(), jumping=False)


OF_EVERY_FIRMWARE: list[Callable[[FirmwareProcess], None]] = [
    version_2_is_judged_as_the_host_side_judges_it,
    the_last_event_acknowledged_is_told_also_after_a_restart,
    commands_and_refusals_of_version_2,
    noise_and_frames_out_of_place_do_not_disturb_who_waits_for_a_welcome,
    it_speaks_1_with_a_host_of_1_and_2_with_a_host_of_2,
    a_record_that_was_put_back_is_noticed,
]
