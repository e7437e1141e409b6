"""Writes `firmware_bridge/vectors.json`: `python -m tests.firmware_bridge.make_vectors`. All in it is fixed."""

import json
import zlib
from pathlib import Path
from typing import Any

import cbor2
from cobs import cobs
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

import firmware_bridge
from firmware_bridge.compact import hello_bytes
from firmware_bridge.framing import FrameType, encode_frame
from firmware_bridge.messages import (
    Ack,
    Close,
    CloseReason,
    Command,
    Event,
    Hello,
    Ping,
    Pong,
    Post,
    Refusal,
    Result,
    State,
    StateRead,
    Status,
    Welcome,
)
from firmware_bridge.noise import Initiator, respond
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import Channel, prologue

PATH = Path(firmware_bridge.__file__).with_name("vectors.json")

KEY = bytes(range(32))
ROLE, VERSION = "shoe", 1
SECOND = 2
HOST_EPHEMERAL = bytes(range(64, 96))
DEVICE_EPHEMERAL = bytes(range(128, 160))
BOOT = bytes.fromhex("0011223344556677")
EARLIER_BOOT = bytes.fromhex("8899aabbccddeeff")

MESSAGES: dict[str, Any] = {
    "hello": Hello(ROLE, "S-0001", "1.0.0", 1, 1, BOOT, True, 4),
    "welcome": Welcome(32, (EARLIER_BOOT, 41)),
    "welcome, nothing yet": Welcome(32, None),
    "event": Event(BOOT, 1, {"card": "As", "face": "down"}),
    "event, nested": Event(BOOT, 2, {"list": [1, -1, 0.5, True, None], "map": {"bytes": b"\x00\xff"}}),
    "ack": Ack(BOOT, 1),
    "command": Command(1, "gate", {"lock": True}),
    "result": Result(1, {"locked": True}),
    "result, refused": Refusal(2, "busy", "a card is under way"),
    "post": Post("lamp", {"seat": 3, "on": True}),
    "ping": Ping(7),
    "pong": Pong(7),
    "status": Status({"ok": True}),
    "state_read": StateRead(1),
    "state": State(1, {"gate": "locked", "cards": 51}),
    "close": Close(CloseReason.STOPPING, "good night"),
}

ALLOWED: dict[str, str] = {  # from a host, and allowed though no host of ours would say it so
    "a number and a length longer than they need be": "b90002180018081b000000000000000118ff",
    "the keys in another order": cbor2.dumps({1: 7, 0: 8}).hex(),
    "keys and values that a later version added": cbor2.dumps({0: 8, 1: 7, 9: {"a": [1]}, 23: None, -5: "x"}).hex(),
    "a later version's map with integers as keys": cbor2.dumps({0: 8, 1: 7, 2: [{1: {-2: [[[[]]]]}}]}).hex(),
    "the limits of an integer": cbor2.dumps({0: 7, 1: "p", 2: {"a": [2**63 - 1, -(2**63)]}}).hex(),
    "a float of two bytes, of four, of eight": "a300070161700 2a1616183f93c00fa47c35000fb3ff199999999999a".replace(
        " ", ""
    ),
    "nested as deep as may be": cbor2.dumps({0: 7, 1: "p", 2: {"a": [[[[[[]]]]]]}}).hex(),
    "a name and a key as long as may be": cbor2.dumps({0: 7, 1: "n" * 32, 2: {"k" * 32: 0}}).hex(),
    "a key of letters of two bytes": cbor2.dumps({0: 7, 1: "p", 2: {"\u00e9" * 16: 0}}).hex(),
    "an empty text and an empty byte string": cbor2.dumps({0: 7, 1: "p", 2: {"a": "", "b": b""}}).hex(),
    "a reason that a later version added": cbor2.dumps({0: 13, 1: 2**32 - 1, 2: "\u00e9" * 64}).hex(),
    "a message as long as may be": cbor2.dumps({0: 7, 1: "p", 2: {"a": "x" * 2012}}).hex(),
}

MALFORMED: dict[str, str] = {  # what a host must not send: each ends the session
    "no bytes": "",
    "no map": "80",
    "a number": "01",
    "an empty map": "a0",
    "cut short": "a20008",
    "bytes after the map": cbor2.dumps({0: 8, 1: 7}).hex() + "00",
    "a key that is text": "a300080107616101",
    "a key that is a byte string": "a300080107416101",
    "a key that is a boolean": "a300080107f501",
    "a key twice": "a3000801070107",
    "a key twice, once longer than it need be": "a300080107180107",
    "an indefinite map": "bf00080107ff",
    "an indefinite text": "a30007017f6170ff02a0",
    "an indefinite array": "a300070161 7002a161619fff".replace(" ", ""),
    "a reserved length": "a200081c01",
    "a break": "a20008ff",
    "a tag": "a20008c107",
    "a big number": "a2000801c24101",
    "an integer beyond 64 bits": "a30007016170 02a161611b8000000000000000".replace(" ", ""),
    "a negative integer beyond 64 bits": "a30007016170 02a161613b8000000000000000".replace(" ", ""),
    "not a number": "a3000701617002a16161f97e00",
    "an infinity": "a3000701617002a16161fbfff0000000000000",
    "an infinity of four bytes": "a3000701617002a16161fa7f800000",
    "undefined": "a3000701617002a16161f7",
    "a simple value": "a3000701617002a16161f8ff",
    "no UTF-8": "a3000701617002a1616161ff",
    "half of a surrogate pair": "a3000701617002a1616163eda080",
    "a letter longer than it need be": "a3000701617002a1616162c1a1",
    "a text longer than the message": "a3000701617002a161617b7fffffffffffffff",
    "an array longer than the message": "a3000701617002a161619b7fffffffffffffff",
    "a map longer than the message": "bb7fffffffffffffff",
    "nested too deep": cbor2.dumps({0: 7, 1: "p", 2: {"a": [[[[[[[]]]]]]]}}).hex(),
    "a key twice in a map within": "a3000701617002a2616101616102",
    "a number as a key of an opaque map": "a3000701617002a10101",
    "a number as a key of a map within": "a3000701617002a1616181a10101",
    "an empty key": "a3000701617002a16001",
    "a key of 33 bytes": cbor2.dumps({0: 7, 1: "p", 2: {"k" * 33: 0}}).hex(),
    "a key of 34 bytes in 17 letters": cbor2.dumps({0: 7, 1: "p", 2: {"\u00e9" * 17: 0}}).hex(),
    "not a number where nobody reads": "a30008010709f97e00",
    "undefined where nobody reads": "a30008010709f7",
    "an integer beyond 64 bits where nobody reads": "a300080107091b8000000000000000",
    "a boolean as a key where nobody reads": "a30008010709a1f501",
    "nested too deep where nobody reads": cbor2.dumps({0: 8, 1: 7, 9: [[[[[[[[]]]]]]]]}).hex(),
    "no kind": cbor2.dumps({1: 7}).hex(),
    "an unknown kind": cbor2.dumps({0: 14}).hex(),
    "a kind that is none": cbor2.dumps({0: 0}).hex(),
    "a kind of the wrong type": cbor2.dumps({0: True, 1: 1}).hex(),
    "what a device sends": MESSAGES["status"].to_bytes().hex(),
    "a hello": MESSAGES["hello"].to_bytes().hex(),
    "a welcome without a window": cbor2.dumps({0: 2, 2: None}).hex(),
    "a window of nothing": cbor2.dumps({0: 2, 1: 0, 2: None}).hex(),
    "a window too wide": cbor2.dumps({0: 2, 1: 257, 2: None}).hex(),
    "a welcome without a resume point": cbor2.dumps({0: 2, 1: 32}).hex(),
    "a resume point without a sequence": cbor2.dumps({0: 2, 1: 32, 2: [BOOT]}).hex(),
    "a resume point with a boot id too short": cbor2.dumps({0: 2, 1: 32, 2: [BOOT[:7], 1]}).hex(),
    "an acknowledgement of nothing": cbor2.dumps({0: 4, 1: BOOT, 2: 0}).hex(),
    "a sequence too high": cbor2.dumps({0: 4, 1: BOOT, 2: 2**32}).hex(),
    "a sequence that is a float": cbor2.dumps({0: 4, 1: BOOT, 2: 1.0}).hex(),
    "a boot id that is text": cbor2.dumps({0: 4, 1: "8 bytes.", 2: 1}).hex(),
    "a command without an id": cbor2.dumps({0: 5, 2: "gate", 3: {}}).hex(),
    "a command with the id 0": cbor2.dumps({0: 5, 1: 0, 2: "gate", 3: {}}).hex(),
    "a command without arguments": cbor2.dumps({0: 5, 1: 1, 2: "gate"}).hex(),
    "arguments that are no map": cbor2.dumps({0: 5, 1: 1, 2: "gate", 3: []}).hex(),
    "a command without a name": cbor2.dumps({0: 5, 1: 1, 2: "", 3: {}}).hex(),
    "a name of 33 characters": cbor2.dumps({0: 7, 1: "n" * 33, 2: {}}).hex(),
    "a name that is not ASCII": cbor2.dumps({0: 7, 1: "\u00e9", 2: {}}).hex(),
    "a name with a line break": cbor2.dumps({0: 7, 1: "a\nb", 2: {}}).hex(),
    "a negative ping": cbor2.dumps({0: 8, 1: -1}).hex(),
    "a ping too high": cbor2.dumps({0: 8, 1: 2**32}).hex(),
    "a read with the id 0": cbor2.dumps({0: 11, 1: 0}).hex(),
    "a close without a reason": cbor2.dumps({0: 13, 2: ""}).hex(),
    "a close with the reason 0": cbor2.dumps({0: 13, 1: 0, 2: ""}).hex(),
    "a close without a text": cbor2.dumps({0: 13, 1: 1}).hex(),
    "a text of 129 bytes": cbor2.dumps({0: 13, 1: 1, 2: "x" * 129}).hex(),
}

COBS = ["", "00", "0000", "01", "1122003344", "11000000", "ff" * 253, "ff" * 254, "ff" * 255, "ff" * 254 + "00"]
SEQUENCE = [  # who sends which message in the session of the vectors
    ("host", "welcome"),
    ("host", "state_read"),
    ("device", "status"),
    ("device", "event"),
    ("device", "state"),
    ("host", "ack"),
    ("host", "post"),
    ("device", "pong"),
    ("host", "close"),
]


def _run(raw: bytes, *, spoilt: int = 0) -> str:
    """What stands between two zeros; `spoilt` changes the checksum."""
    check = (zlib.crc32(raw) ^ spoilt).to_bytes(4, "little")
    encoded: bytes = cobs.encode(raw + check)
    return f"00{encoded.hex()}00"


NO_FRAMES: dict[str, str] = {
    "a wrong checksum": _run(b"\3body", spoilt=1),
    "the type 0": _run(b"\0body"),
    "the type 5": _run(b"\5body"),
    "four bytes": "00" + cobs.encode(bytes.fromhex("01020304")).hex() + "00",
    "no COBS: it points beyond its end": "0006030300",
    "2049 bytes": _run(b"\3" + b"x" * 2044),
    "a run of 2058 bytes": "00" + "01" * 2058 + "00",
}


HELLO_2 = Hello(ROLE, "S-0001", "1.0.0", 1, 2, BOOT, persistent=True, commands=4, acknowledged=(EARLIER_BOOT, 41))

MESSAGES_2: dict[str, str] = {  # a byte for the kind, then the values: written by hand, from the page
    "welcome": "0218208248" + EARLIER_BOOT.hex() + "1829192000",
    "welcome, nothing yet": "021820f6190800",
    "event": "03a264636172646241736466616365" + "64" + b"down".hex(),
    "ack": "0401",
    "ack, of another boot": "04182948" + EARLIER_BOOT.hex(),
    "command": "05016467617465a1646c6f636bf5",
    "result": "0601a1666c6f636b6564f5",
    "post": "07646c616d70a2647365617403626f6ef5",
    "ping": "0807",
    "pong": "0907",
    "status": "0aa1626f6bf5",
    "state_read": "0b01",
    "state": "0c01a0",
    "close": "0d016a" + b"good night".hex(),
    "next": "0e48" + BOOT.hex() + "01f5",
    "next, and the resume point is not known": "0e48" + BOOT.hex() + "1affffffff" + "f4",
    "refusal": "0f0264" + b"busy".hex() + "73" + b"a card is under way".hex(),
}
OF_DEVICE_2 = ("event", "result", "pong", "status", "state", "next", "refusal")

ALLOWED_2: dict[str, str] = {  # from a host
    "a number and a length longer than they need be": "081807",
    "values that a later version added": "0807a26161011708820102f6",
    "a resume point and a window as long as may be": "0219010082" + "48" + BOOT.hex() + "1affffffff192000",
    "nested as deep as may be": "076170a16161818181818180",
    "an acknowledgement that names the boot of the hello": "040148" + BOOT.hex(),
    "a message as long as may be": (b"\7" + cbor2.dumps("p") + cbor2.dumps({"a": "x" * 2017})).hex(),
}

MALFORMED_2: dict[str, str] = {  # what a host must not send
    "no bytes": "",
    "a message of version 1": MESSAGES["ping"].to_bytes().hex(),
    "an unknown kind": "1001",
    "the kind 0": "00",
    "what a device sends": "0907",
    "a hello": hello_bytes(HELLO_2).hex(),
    "a ping without a number": "08",
    "a ping cut short": "0819",
    "a ping with text": "086161",
    "a negative ping": "0820",
    "a ping too high": "081b0000000100000000",
    "an array around the values": "088107",
    "a tag": "08c107",
    "an indefinite map": "076170bfff",
    "undefined behind the values": "0807f7",
    "not a number behind the values": "0807f97e00",
    "half a value behind the values": "080762",
    "a map with a key twice behind the values": "0807a201000100",
    "nested too deep": "076170a1616181818181818180",
    "nested too deep behind the values": "08078181818181818180",
    "a key of an opaque map that is a number": "076170a10101",
    "a welcome without the longest frame": "021820f6",
    "a longest frame too short": "021820f61907ff",
    "a longest frame too long": "021820f6192001",
    "a window of nothing": "0200f6192000",
    "a resume point without a sequence": "0218208148" + BOOT.hex() + "192000",
    "an acknowledgement of nothing": "0400",
    "a sequence too high": "041b0000000100000000",
    "an acknowledgement of null": "0401f6",
    "an acknowledgement of a boot id too short": "0401" + "47" + BOOT[:7].hex(),
    "the values of version 1's acknowledgement": "0448" + BOOT.hex() + "01",
    "a command with the id 0": "05006161a0",
    "a command without arguments": "05016161",
    "a name with a line break": "0763610a62a0",
    "a read with the id 0": "0b00",
    "a close without a text": "0d01",
    "a text of 129 bytes": (b"\x0d\1" + cbor2.dumps("x" * 129)).hex(),
}

SEQUENCE_2 = [
    ("host", "welcome"),
    ("host", "state_read"),
    ("device", "status"),
    ("device", "next"),
    ("device", "event"),
    ("device", "state"),
    ("host", "ack"),
    ("host", "ack, of another boot"),
    ("host", "command"),
    ("device", "refusal"),
    ("host", "close"),
]


def build() -> dict[str, Any]:
    """Everything in the file."""
    first = {name: message.to_bytes() for name, message in MESSAGES.items()}
    second = {name: bytes.fromhex(text) for name, text in MESSAGES_2.items()}
    return {
        "about": "Test vectors of PROTOCOL.md. Bytes are hexadecimal. The keys are public: use none of them.",
        "cobs": [{"decoded": data, "encoded": cobs.encode(bytes.fromhex(data)).hex()} for data in COBS],
        "frames": [
            {"type": kind, "body": body, "wire": encode_frame(FrameType(kind), bytes.fromhex(body)).hex()}
            for kind, body in [(3, ""), (3, "00"), (4, "0000000000"), (3, "ab" * 300)]
        ],
        "no_frames": NO_FRAMES,
        "messages": {name: data.hex() for name, data in first.items()},
        "allowed": ALLOWED,
        "malformed": MALFORMED,
        "session": session(VERSION, first["hello"], first, SEQUENCE),
        "version_2": {
            "messages": MESSAGES_2,
            "allowed": ALLOWED_2,
            "malformed": MALFORMED_2,
            "session": session(SECOND, hello_bytes(HELLO_2), second, SEQUENCE_2),
        },
    }


def session(version: int, hello: bytes, messages: dict[str, bytes], sequence: list[tuple[str, str]]) -> dict[str, Any]:
    """A handshake, and what both say then."""
    start = prologue(ROLE, version)
    initiator = Initiator(KEY, start, X25519PrivateKey.from_private_bytes(HOST_EPHEMERAL))
    first = initiator.message
    response = respond(KEY, start, X25519PrivateKey.from_private_bytes(DEVICE_EPHEMERAL), first, hello)
    second, established = response.message, initiator.read(response.message)
    host, device = Channel.of(established), Channel.of(response.established)
    request = bytes((version,)) + first
    answer = first[:4] + second
    transport = []
    for sender, name in sequence:
        message = messages[name]
        body = (host if sender == "host" else device).encrypt(message)
        transport.append(
            {
                "from": sender,
                "message": message.hex(),
                "body": body.hex(),
                "wire": encode_frame(FrameType.TRANSPORT, body).hex(),
            }
        )
    reject = first[:4] + Reject(RejectCode.NOT_AUTHENTIC, ROLE, "S-0001", 1, version).to_bytes()
    return {
        "key": KEY.hex(),
        "role": ROLE,
        "version": version,
        "prologue": start.hex(),
        "host_ephemeral_private": HOST_EPHEMERAL.hex(),
        "device_ephemeral_private": DEVICE_EPHEMERAL.hex(),
        "noise_message_1": first.hex(),
        "request_wire": encode_frame(FrameType.HANDSHAKE_REQUEST, request).hex(),
        "hello": hello.hex(),
        "noise_message_2": second.hex(),
        "answer_wire": encode_frame(FrameType.HANDSHAKE_ANSWER, answer).hex(),
        "handshake_hash": established.handshake_hash.hex(),
        "key_host_to_device": established.send_key.hex(),
        "key_device_to_host": established.receive_key.hex(),
        "transport": transport,
        "reject_wire": encode_frame(FrameType.REJECT, reject).hex(),
    }


def render() -> str:
    """The text of the file."""
    return json.dumps(build(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(render())
