"""Goes through the protocol's vectors: `micropython check_vectors.py vectors.json`. How many held, or what differs."""

import json
import sys
import time
from binascii import hexlify, unhexlify

import aead
import chacha_plain
from frames import FrameReceiver, cobs_decode, put_cobs, put_frame
from messages import event_of, from_host, message
from noise import Channel, Responder, prologue
from plain_cbor import Malformed, Pairs, decode_message, encode
from x25519 import BASE_POINT, multiply

held = 0


def same(what, found, expected):
    """Count it, or end with what differs."""
    global held
    if found != expected:
        print("differs:", what)
        print(" found   ", found)
        print(" expected", expected)
        sys.exit(1)
    held += 1


def hexed(data):
    return hexlify(data).decode()


def check_frames(vectors):
    """COBS and frames, both ways, and each frame again with one byte changed."""
    for vector in vectors["cobs"]:
        room = bytearray(len(vector["encoded"]) // 2)
        same("cobs encoded to its end", put_cobs(room, 0, (unhexlify(vector["decoded"]),)), len(room))
        same("cobs encoded", hexed(room), vector["encoded"])
        same("cobs decoded", hexed(room[: cobs_decode(room, len(room))]), vector["decoded"])
    for vector in vectors["frames"]:
        wire = unhexlify(vector["wire"])
        same("frame", hexed(framed(vector["type"], unhexlify(vector["body"]))), vector["wire"])
        receiver = FrameReceiver()
        twice = [(vector["type"], unhexlify(vector["body"]))] * 2
        same("frame read", list(receiver.feed(b"noise" + wire + wire)), twice)
        same("noise dropped", receiver.dropped, 1)
        changed = bytearray(wire)
        changed[len(wire) // 2] ^= 0x55
        same("changed frame", list(FrameReceiver().feed(changed)), [])
    for name, wire in vectors["no_frames"].items():
        receiver = FrameReceiver()
        same("no frame: " + name, list(receiver.feed(unhexlify(wire))), [])
        same("no frame, counted: " + name, receiver.dropped, 1)


def framed(kind, body):
    """The frame, put between others' bytes, which stay; where there is no room for it, nothing is put."""
    little = bytearray(len(body) + 9)
    same("no room for a frame", put_frame(little, 3, kind, body), None)
    same("no room, no byte", little, bytearray(len(little)))
    room = bytearray(len(body) + 24)  # 24: before and behind it, and what COBS needs of the longest frame
    end = put_frame(room, 3, kind, body)
    same("bytes beside the frame", room[:3] + room[end:], bytearray(len(room) - (end - 3)))
    return room[3:end]


def check_messages(vectors):
    """CBOR there and back, and what is not allowed."""
    for name, text in vectors["messages"].items():
        message = decode_message(unhexlify(text))
        same(name, decode_message(encode(message)), message)
        same(name + ", size", len(encode(message)), len(text) // 2)
        for cut in range(len(text) // 2):
            refused(unhexlify(text)[:cut])
    for name, text in vectors["allowed"].items():
        same("allowed: " + name, from_host(unhexlify(text))[0], decode_message(unhexlify(text))[0])
    for name, text in vectors["malformed"].items():
        try:
            found = from_host(unhexlify(text))
        except Malformed:
            found = None
        same("malformed: " + name, found, None)
    same("half float", decode_message(unhexlify("a100f93800")), {0: 0.5})


def check_version_2(vectors):
    """The messages of version 2, those of a device put together."""
    boot = unhexlify("0011223344556677")
    for text in vectors["allowed"].values():
        from_host(unhexlify(text), 2, boot)
        same("allowed in version 2", True, True)
    for name, text in vectors["malformed"].items():
        try:
            found = from_host(unhexlify(text), 2, boot)
        except Malformed:
            found = None
        same("malformed in version 2: " + name, found, None)
    said = vectors["messages"]
    same("ack", from_host(unhexlify(said["ack"]), 2, boot), (4, boot, 1))
    same("ack of another boot", from_host(unhexlify(said["ack, of another boot"]), 2, boot)[2], 41)
    same("next", hexed(message(2, 14, boot, 1, True)), said["next"])
    same("pong", hexed(message(2, 9, 7)), said["pong"])
    same("refusal", hexed(message(2, 15, 2, "busy", "a card is under way")), said["refusal"])
    body = Pairs(("card", "As"), ("face", "down"))
    for sequence in (1, 23, 24, 255, 256, 65535, 65536, 4294967295):
        kept = message(1, 3, boot, sequence, body)
        same("event", hexed(event_of(2, kept)), said["event"])


def refused(data):
    try:
        found = decode_message(data)
    except Malformed:
        found = None
    same("refused " + hexed(data), found, None)


def check_session(session):
    """The handshake as the device goes through it, then each transport frame."""
    private = unhexlify(session["device_ephemeral_private"])
    key = unhexlify(session["key"])
    same("prologue", hexed(prologue(session["role"], session["version"])), session["prologue"])
    started = time.ticks_ms()
    public = multiply(private, BASE_POINT)
    ready = time.ticks_ms()
    [(kind, request)] = FrameReceiver().feed(unhexlify(session["request_wire"]))
    same("request", (kind, hexed(request[1:])), (1, session["noise_message_1"]))
    handshake = Responder(key, prologue(session["role"], session["version"]))
    same("authentic", handshake.read(request[1:]), True)
    second = handshake.write(private, public, unhexlify(session["hello"]))
    to_device, to_host = handshake.keys()
    answered = time.ticks_ms()
    what = Pairs((1, 1), (2, session["role"]), (3, "S-0001"), (4, 1), (5, session["version"]))
    same("reject", hexed(framed(4, request[1:5] + encode(what))), session["reject_wire"])
    same("answer", hexed(second), session["noise_message_2"])
    same("answer's frame", hexed(framed(2, request[1:5] + second)), session["answer_wire"])
    same("hash", hexed(handshake.hash), session["handshake_hash"])
    same("keys", (hexed(to_device), hexed(to_host)), (session["key_host_to_device"], session["key_device_to_host"]))
    same("other key", Responder(bytes(32), prologue("shoe", 1)).read(request[1:]), False)
    same("other role", Responder(key, prologue("keys", 1)).read(request[1:]), False)
    channel = Channel(to_device, to_host)
    for vector in session["transport"]:
        if vector["from"] == "host":
            [(_, body)] = FrameReceiver().feed(unhexlify(vector["wire"]))
            spoiled = bytearray(body)
            spoiled[0] ^= 1
            same("spoiled", channel.open(spoiled), None)
            same("opened", hexed(channel.open(body)), vector["message"])
            same("repeated", channel.open(body), None)
        else:
            body = channel.seal(unhexlify(vector["message"]))
            same("sealed", hexed(body), vector["body"])
            same("sealed frame", hexed(framed(3, body)), vector["wire"])
    return time.ticks_diff(ready, started), time.ticks_diff(answered, ready)


def check_plain_block():
    """The block without machine code gives what the one in use gives."""
    state, one, two = bytearray(range(64)), bytearray(64), bytearray(64)
    for turn in range(4):
        state[turn] = 255 - turn
        aead.block(one, state)
        chacha_plain.block(two, state)
        same("key stream", one, two)


with open(sys.argv[1] if len(sys.argv) > 1 else "vectors.json") as file:
    everything = json.load(file)
check_frames(everything)
check_messages(everything)
check_plain_block()
check_version_2(everything["version_2"])
check_session(everything["version_2"]["session"])
own, answer = check_session(everything["session"])
print(f"{held} held; own key {own} ms, answer {answer} ms")
