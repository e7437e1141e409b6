"""What every firmware must bear from its host's end of the wire: the tests of each language play these."""

import json
import random
from collections.abc import Callable, Iterator

from firmware_bridge.framing import FrameType, encode_frame
from firmware_bridge.messages import (
    Ack,
    Close,
    Command,
    Event,
    Ping,
    Post,
    Refusal,
    Result,
    State,
    StateRead,
    Status,
    Welcome,
    from_host,
)
from tests.firmware.raw_host import QUIET, RawHost
from tests.firmware.scenes import OTHER_KEY, powered, press
from tests.firmware.support import BUTTONS, VECTORS, FirmwareProcess
from tests.firmware_bridge.noise_by_hand import Handshake
from tests.firmware_bridge.support import KEY


def events(host: RawHost, count: int) -> list[Event]:
    """So many events, and nothing but statuses among them."""
    found: list[Event] = []
    while len(found) < count:
        event = host.heard()
        assert isinstance(event, Event)
        found.append(event)
    return found


def who_does_not_hold_the_key_learns_a_name_and_no_more(device: FirmwareProcess) -> None:
    """Other key, other role, other version: each is refused by its code, and the session that stands goes on."""
    with powered(device), RawHost(device) as host:
        assert host.is_silent()  # a device begins nothing by itself
        for _ in range(2):  # outside a session, then within one
            handshake = host.request(key=OTHER_KEY)
            assert host.reject() == (1, handshake.echo)
            handshake = host.request(role="shoe")
            assert host.reject() == (1, handshake.echo)
            handshake = host.request(version=3)
            assert host.reject() == (2, handshake.echo)
            handshake = host.request(version=0)
            assert host.reject() == (2, handshake.echo)
            for length in (0, 1, 48, 50, 1000):
                host.put(1, bytes((1,)) * length)
            host.put(2, bytes(100))
            host.put(4, bytes(100))
            assert host.is_silent()
            if host.channel is None:
                host.up()
            assert host.is_up()


def a_key_that_makes_no_secret_gives_no_session(device: FirmwareProcess) -> None:
    """An ephemeral key of zeros: whatever the device's own is, the secret would be zero."""

    class Zero(Handshake):
        @property
        def public(self) -> bytes:
            return bytes(32)

    with powered(device), RawHost(device) as host:
        first = Zero(KEY, b"feltd-wire\0\x01keys", bytes(32)).write_first()
        host.put(1, b"\x01" + first)
        assert host.reject() == (1, bytes(4))
        host.up()
        assert host.is_up()


def a_replayed_request_gets_nothing_out_of_it(device: FirmwareProcess) -> None:
    """It is answered, as it must be; then the device is silent, and forgets the keys after a second, without a word."""
    with powered(device), RawHost(device) as host:
        handshake = host.shake()
        host.say(Welcome(32, None).to_bytes())
        assert isinstance(host.hear(), Status)
        press(device, 0, 3)
        assert [event.seq for event in events(host, 3)] == [1, 2, 3]
        host.put(1, handshake.request)
        answer = host.frame()
        while answer is not None and answer.type is FrameType.TRANSPORT:  # it was on its way
            answer = host.frame()
        assert answer is not None
        assert answer.type is FrameType.HANDSHAKE_ANSWER
        assert host.is_silent(2.0)
        assert host.has_no_session()
        host.put(1, handshake.request)
        answer = host.frame()
        assert answer is not None
        assert answer.type is FrameType.HANDSHAKE_ANSWER
        host.say(Ping(1).to_bytes())  # under the keys of the session before: it says no farewell
        assert host.is_silent()
        assert host.has_no_session()
        host.up()
        assert [event.seq for event in events(host, 3)] == [1, 2, 3]


def nothing_comes_before_the_welcome(device: FirmwareProcess) -> None:
    """A first message that is no welcome, or no message, ends it without a word; a close too."""
    with powered(device), RawHost(device) as host:
        press(device, 0, 1)
        for first in (
            Ping(1),
            Ack(b"12345678", 1),
            StateRead(1),
            Post("p", {}),
            Command(1, "x_identify", {}),
            Close(1, ""),
        ):
            host.shake()
            host.say(first.to_bytes())
            assert host.is_silent(0.1)
            assert host.has_no_session()
        host.shake()
        host.say(b"\xff")
        assert host.is_silent(0.1)
        assert host.has_no_session()
        host.up()
        assert [event.seq for event in events(host, 1)] == [1]
        host.say(Welcome(32, None).to_bytes())
        assert host.is_closed(3)


def a_frame_not_authentic_ends_the_session(device: FirmwareProcess) -> None:
    """Repeated, changed, sent back to its sender, cut short, or of the session before: a farewell, and no session."""

    def repeated(host: RawHost) -> None:
        host.put(3, host.say(Post("p", {}).to_bytes()))

    def changed(host: RawHost) -> None:
        assert host.channel is not None
        body = bytearray(host.channel.encrypt(Ping(1).to_bytes()))
        body[-1] ^= 1
        host.put(3, bytes(body))

    def sent_back(host: RawHost) -> None:
        host.say(Command(1, "x_identify", {}).to_bytes())
        frame = host.frame()
        assert frame is not None
        assert host.channel is not None
        host.channel.decrypt(frame.body)
        host.put(3, frame.body)

    def lost(host: RawHost) -> None:
        assert host.channel is not None
        host.channel.encrypt(Ping(1).to_bytes())
        host.say(Ping(2).to_bytes())

    def shorter_than_its_tag(host: RawHost) -> None:
        host.put(3, bytes(15))

    def empty(host: RawHost) -> None:
        host.put(3, b"")

    def of_the_session_before(host: RawHost) -> None:
        before = host.channel
        assert before is not None
        host.up()
        host.put(3, before.encrypt(Ping(1).to_bytes()))

    spoilers: list[Callable[[RawHost], None]] = [repeated, changed, sent_back, lost, shorter_than_its_tag, empty]
    with powered(device), RawHost(device) as host:
        for spoil in [*spoilers, of_the_session_before]:
            host.up()
            spoil(host)
            assert host.is_closed(2), spoil.__name__


def what_is_malformed_ends_the_session_and_what_is_allowed_does_not(device: FirmwareProcess) -> None:
    """Every such message of the vectors, in a session of its own."""
    vectors = json.loads(VECTORS.read_text())
    with powered(device), RawHost(device) as host:
        host.up()
        for name, text in vectors["malformed"].items():
            host.say(bytes.fromhex(text))
            assert host.is_closed(3), name
            host.up()
        for name, text in vectors["allowed"].items():
            message = from_host(bytes.fromhex(text))
            host.say(bytes.fromhex(text))
            if isinstance(message, Close):
                assert host.has_no_session(), name
                host.up()
            elif isinstance(message, Ping):
                assert host.heard() is not None, name
            assert host.is_up(), name


def a_session_is_renewed_at_any_time(device: FirmwareProcess) -> None:
    """Handshakes in the middle of things: what was not acknowledged comes again, under its old name."""
    with powered(device), RawHost(device) as host:
        host.up()
        press(device, 0, 5)
        first = events(host, 5)
        host.say(Ack(first[1].boot_id, 2).to_bytes())
        assert host.is_up()
        for _ in range(3):
            host.up()
            assert events(host, 3) == first[2:]
            host.say(StateRead(1).to_bytes())
            assert isinstance(host.heard(), State)
        host.up(resume=(first[3].boot_id, 4))
        assert events(host, 1) == first[4:]
        host.up(resume=(first[3].boot_id, 4))  # it is not kept any more: nothing is forgotten for it
        assert events(host, 1) == first[4:]


def acknowledgements_mean_what_they_name(device: FirmwareProcess) -> None:
    """The window is kept; an acknowledgement of what is not kept means nothing; one of the unsent is believed."""
    with powered(device), RawHost(device) as host:
        host.up(window=2)
        press(device, 0, 9)
        first = events(host, 2)
        boot = first[0].boot_id
        assert host.hello is not None
        assert boot == host.hello.boot_id
        assert host.heard(QUIET) is None
        for other in (Ack(boot, 9999), Ack(bytes(8), 1), Ack(boot, 2**32 - 1)):
            host.say(other.to_bytes())
        assert host.heard(QUIET) is None
        host.say(Ack(boot, 1).to_bytes())
        assert [event.seq for event in events(host, 1)] == [3]
        host.say(StateRead(5).to_bytes())
        host.say(StateRead(6).to_bytes())
        assert host.heard(QUIET) is None  # it has events left that it may not send
        host.say(Ack(boot, 7).to_bytes())  # of which four were not sent in this session
        assert [event.seq for event in events(host, 2)] == [8, 9]
        state = host.heard()
        assert state == State(6, {"testing": False})
        assert host.heard(QUIET) is None  # the read before is answered by nothing
        host.say(Ack(boot, 9).to_bytes())
        assert host.is_up()
        host.up()
        assert host.heard(QUIET) is None


def commands_are_answered_once_each_and_in_order(device: FirmwareProcess) -> None:
    with powered(device), RawHost(device) as host:
        host.up()
        for number in (1, 7, 2**32 - 1):
            host.say(Command(number, "x_identify", {}).to_bytes())
            assert host.heard() == Result(number, {})
        host.say(Command(2, "x_identif", {}).to_bytes())
        host.say(Command(3, "x_identify_", {"a": 1}).to_bytes())
        for number in (2, 3):
            refusal = host.heard()
            assert isinstance(refusal, Refusal)
            assert (refusal.id, refusal.code) == (number, "unknown")
        for name in ("a", "n" * 32, "gate", "collect"):
            host.say(Post(name, {"locked": 1, "on": "x"}).to_bytes())
        assert host.is_up()


def a_host_that_is_gone_is_not_spoken_to(device: FirmwareProcess) -> None:
    """Three seconds without a word, and the device is silent until it is asked for a session; its events are kept."""
    with powered(device), RawHost(device) as host:
        host.up()
        statuses = 0
        while (message := host.hear(4.0)) is not None:
            assert isinstance(message, Status)
            statuses += 1
        assert statuses <= 3
        press(device, 0, 2)
        assert host.is_silent()
        assert host.has_no_session()
        host.up()
        assert [event.seq for event in events(host, 2)] == [1, 2]


def a_host_that_does_not_read_loses_nothing_by_it(device: FirmwareProcess) -> None:
    """More than the device can hold back: it gives the session up, says whole frames only, and has its events still."""
    with powered(device), RawHost(device) as host:
        host.up(window=256)
        press(device, 0, 60)
        host.deaf = True
        for number in range(3000):
            host.say(Ping(number).to_bytes())
        for _ in range(60):
            host.request(key=OTHER_KEY)
        said = 0
        while (frame := host.frame(QUIET)) is not None:
            said += frame.type is FrameType.TRANSPORT
        assert said < 3000
        host.up()
        assert host.decoder.counts.bad_frames == 0
        taken = events(host, 32)
        host.say(Ack(taken[-1].boot_id, 32).to_bytes())
        taken += events(host, 28)
        assert [event.seq for event in taken] == list(range(1, 61))
        assert len({event.boot_id for event in taken}) == 1
        assert host.is_up()


def a_reboot_is_another_boot_without_a_session(device: FirmwareProcess) -> None:
    """The session is gone, and is not feigned; the boot id is new each time."""
    with powered(device), RawHost(device) as host:
        boots = set()
        for _ in range(3):
            host.up()
            assert host.hello is not None
            boots.add(host.hello.boot_id)
            device.kill()
            device.start()
            host.say(Ping(1).to_bytes())
            while (frame := host.frame()) is not None and frame.type is FrameType.TRANSPORT:
                pass  # said before the power went
            assert frame is not None
            assert frame.type is FrameType.REJECT
        assert len(boots) == 3


def noise_costs_no_session(device: FirmwareProcess, seed: int) -> None:
    """Between frames there may be anything, in any pieces: the session goes on, and every frame is found."""
    chance = random.Random(seed)
    with powered(device), RawHost(device) as host:
        host.up()
        for noise in noises(chance):
            host.write(noise + b"\0")
            assert host.is_up(), noise.hex()
        assert host.channel is not None
        wire = b"".join(encode_frame(FrameType.TRANSPORT, host.channel.encrypt(Ping(n).to_bytes())) for n in range(20))
        for at in range(len(wire)):
            host.write(wire[at : at + 1])
        assert [getattr(host.heard(), "number", None) for _ in range(20)] == list(range(20))
        assert host.decoder.counts.bad_frames == 0


def noises(chance: random.Random) -> Iterator[bytes]:
    """Runs that hold no frame, and are like some."""
    for name in json.loads(VECTORS.read_text())["no_frames"].values():
        yield bytes.fromhex(name)
    yield bytes(3000)
    yield b"\x01" * 10000
    yield b"\xff" * 2057
    frame = encode_frame(FrameType.HANDSHAKE_REQUEST, bytes(chance.randrange(256) for _ in range(49)))
    for at in range(1, len(frame) - 1, 7):
        yield frame[:at] + frame[at + 1 :]
        yield frame[:at] + bytes((frame[at] ^ 1 << chance.randrange(8) or 7,)) + frame[at + 1 :]
    for _ in range(20):
        yield bytes(chance.randrange(1, 256) for _ in range(chance.randrange(1, 3000)))
    for _ in range(20):
        yield chance.randbytes(chance.randrange(1, 200)).replace(b"\0", b"\0\0")


def a_store_that_cannot_be_written_is_said(device: FirmwareProcess, break_it: Callable[[], None]) -> None:
    """What could not be kept is never said to have happened; what was kept is delivered; the status names it."""
    with powered(device), RawHost(device) as host:
        host.up()
        press(device, 0, 2)
        assert [event.body for event in events(host, 2)] == [BUTTONS["seat1"], BUTTONS["seat2"]]
        break_it()
        press(device, 2, 5)
        assert host.heard(QUIET) is None
        status = host.hear()
        assert isinstance(status, Status)
        assert "worn" in str(status.body["note"])
        host.up()
        assert len(events(host, 2)) == 2
        assert host.heard(QUIET) is None


OF_EVERY_FIRMWARE: list[Callable[[FirmwareProcess], None]] = [
    who_does_not_hold_the_key_learns_a_name_and_no_more,
    a_key_that_makes_no_secret_gives_no_session,
    a_replayed_request_gets_nothing_out_of_it,
    nothing_comes_before_the_welcome,
    a_frame_not_authentic_ends_the_session,
    what_is_malformed_ends_the_session_and_what_is_allowed_does_not,
    a_session_is_renewed_at_any_time,
    acknowledgements_mean_what_they_name,
    commands_are_answered_once_each_and_in_order,
    a_host_that_is_gone_is_not_spoken_to,
    a_host_that_does_not_read_loses_nothing_by_it,
    a_reboot_is_another_boot_without_a_session,
]
