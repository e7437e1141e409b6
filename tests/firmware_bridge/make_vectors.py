"""Writes `firmware_bridge/vectors.json`: `python -m tests.firmware_bridge.make_vectors`. All in it is fixed."""

import json
import warnings
from pathlib import Path
from typing import Any

from cobs import cobs
from noise.connection import Keypair, NoiseConnection

import firmware_bridge
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
from firmware_bridge.reject import Reject, RejectCode
from firmware_bridge.session import NOISE_NAME, prologue

PATH = Path(firmware_bridge.__file__).with_name("vectors.json")

KEY = bytes(range(32))
ROLE, VERSION = "shoe", 1
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


def build() -> dict[str, Any]:
    """Everything in the file."""
    host, device = _connection(initiator=True), _connection(initiator=False)
    first = bytes(host.write_message())
    device.read_message(first)
    hello = MESSAGES["hello"].to_bytes()
    second = bytes(device.write_message(hello))
    host.read_message(second)
    request = bytes((VERSION,)) + first
    answer = first[:4] + second
    transport = []
    for sender, name in SEQUENCE:
        message = MESSAGES[name].to_bytes()
        body = (host if sender == "host" else device).encrypt(message)
        transport.append(
            {
                "from": sender,
                "message": message.hex(),
                "body": body.hex(),
                "wire": encode_frame(FrameType.TRANSPORT, body).hex(),
            }
        )
    reject = first[:4] + Reject(RejectCode.NOT_AUTHENTIC, ROLE, "S-0001", 1, 1).to_bytes()
    return {
        "about": "Test vectors of PROTOCOL.md. Bytes are hexadecimal. The keys are public: use none of them.",
        "cobs": [{"decoded": data, "encoded": cobs.encode(bytes.fromhex(data)).hex()} for data in COBS],
        "frames": [
            {"type": kind, "body": body, "wire": encode_frame(FrameType(kind), bytes.fromhex(body)).hex()}
            for kind, body in [(3, ""), (3, "00"), (4, "0000000000"), (3, "ab" * 300)]
        ],
        "messages": {name: message.to_bytes().hex() for name, message in MESSAGES.items()},
        "session": {
            "key": KEY.hex(),
            "role": ROLE,
            "version": VERSION,
            "prologue": prologue(ROLE, VERSION).hex(),
            "host_ephemeral_private": HOST_EPHEMERAL.hex(),
            "device_ephemeral_private": DEVICE_EPHEMERAL.hex(),
            "noise_message_1": first.hex(),
            "request_wire": encode_frame(FrameType.HANDSHAKE_REQUEST, request).hex(),
            "hello": hello.hex(),
            "noise_message_2": second.hex(),
            "answer_wire": encode_frame(FrameType.HANDSHAKE_ANSWER, answer).hex(),
            "handshake_hash": host.get_handshake_hash().hex(),
            "key_host_to_device": host.noise_protocol.cipher_state_encrypt.k.hex(),
            "key_device_to_host": host.noise_protocol.cipher_state_decrypt.k.hex(),
            "transport": transport,
            "reject_wire": encode_frame(FrameType.REJECT, reject).hex(),
        },
    }


def _connection(*, initiator: bool) -> NoiseConnection:
    connection = NoiseConnection.from_name(NOISE_NAME)
    connection.set_psks(psk=KEY)
    connection.set_prologue(prologue(ROLE, VERSION))
    connection.set_as_initiator() if initiator else connection.set_as_responder()
    connection.set_keypair_from_private_bytes(Keypair.EPHEMERAL, HOST_EPHEMERAL if initiator else DEVICE_EPHEMERAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of a fixed ephemeral key, which is the point here
        connection.start_handshake()
    return connection


def render() -> str:
    """The text of the file."""
    return json.dumps(build(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(render())
