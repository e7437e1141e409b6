"""Signed images as an RP2350 boots them where its fuses ask for it: a checker, and a signer.

`python -m tests.firmware.signed_image check IMAGE KEY.pem` says what is signed by that key, or what is wrong (status
1); `sign IMAGE KEY.pem SIGNED` signs one. IMAGE is what lies at the beginning of the flash, as plain bytes (.bin).

The format (RP2350 datasheet, 5.9): blocks of items, each block with a link to the next, the last to the first. One
block describes the image: what is loaded (LOAD_MAP), a hash over that and over the block's own first words (HASH_DEF),
and a signature of the hash (SIGNATURE, secp256k1). The checker wants more than the chip does: no byte of the image that
nobody has signed, and no item of the block that the hash does not cover.
"""

import argparse
import hashlib
import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

FLASH: Final = 0x10000000
START, END = 0xFFFFDED3, 0xAB123579
FIRST_WITHIN: Final = 4096
"""Bytes at the beginning in which the chip looks for the first block."""
BLOCK_MOST: Final = 0x180
"""Bytes of a block that describes an image."""
BLOCKS_MOST: Final = 16
IMAGE_TYPE, VECTOR_TABLE, ENTRY_POINT, LOAD_MAP = 0x42, 0x03, 0x44, 0x06
HASH_DEF, VERSION, SIGNATURE, HASH_VALUE, LAST = 0x47, 0x48, 0x09, 0x4B, 0xFF
SHA_256, SECP256K1 = 1, 1
EXECUTABLE: Final = 0x1021
"""An image type: a program, secure, Arm, for the RP2350."""
TRY_BEFORE_YOU_BUY: Final = 0x8000
"""A flag of the image type that the chip clears: it is not hashed."""
_FILLING: Final = (b"\0", b"\xff")


class ImageError(ValueError):
    """An image that the chip would not boot, or that nobody should: where, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a block. `at`: its first word's place in the block, in words."""

    type: int
    at: int
    words: tuple[int, ...]

    @property
    def special(self) -> int:
        """The fourth byte of the first word."""
        return self.words[0] >> 24


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the loop. `at`: its place in the image, `words`: from its first marker to its last, `link`: bytes."""

    at: int
    words: tuple[int, ...]
    items: tuple[Item, ...]
    link: int

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.at + 4 * len(self.words)

    def one(self, kind: int, name: str) -> Item:
        """The only item of a kind. Raises ImageError."""
        found = [item for item in self.items if item.type == kind]
        if len(found) != 1:
            raise ImageError(f"the block at {self.at:#x} has {len(found)} items {name}: it needs one")
        return found[0]

    def has(self, kind: int) -> bool:
        """Whether there is one of a kind."""
        return any(item.type == kind for item in self.items)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A range of the load map: where it lies in the image (None: filled with zeros), where it runs, how long it is."""

    at: int | None
    runs_at: int
    size: int


@dataclass(frozen=True, slots=True)
class Signed:
    """What a sound image says of itself. `key`: the digest of the public key, as it is burnt into the chip's fuses."""

    key: str
    ranges: tuple[Loaded, ...]
    digest: str


def check(image: bytes, key: ec.EllipticCurvePublicKey, base: int = FLASH) -> Signed:
    """Return what an image says of itself that this key has signed whole. Raises ImageError."""
    blocks = loop(image)
    signed = [block for block in blocks if block.has(SIGNATURE)]
    if len(signed) != 1:
        raise ImageError(f"{len(signed)} blocks have a signature: one must have")
    block = signed[0]
    _check_items(block)
    ranges = tuple(_loaded(block, image, base))
    _check_all_signed(image, blocks, ranges)
    _check_entry(image, block, ranges, base)
    digest = _digest(image, block, ranges)
    if block.has(HASH_VALUE) and _bytes(block.one(HASH_VALUE, "HASH_VALUE").words[1:]) != digest:
        raise ImageError("the hash that the image tells is not its own")
    said = _bytes(block.one(SIGNATURE, "SIGNATURE").words[1:])
    if said[:64] != raw_key(key):
        raise ImageError(f"signed by another key, {key_digest(said[:64])}")
    signature = encode_dss_signature(int.from_bytes(said[64:96]), int.from_bytes(said[96:]))
    try:
        key.verify(signature, digest, ec.ECDSA(Prehashed(SHA256())))
    except InvalidSignature:
        raise ImageError("the signature is not of this image: it was changed after it was signed") from None
    return Signed(key_digest(said[:64]), ranges, digest.hex())


def sign(image: bytes, key: ec.EllipticCurvePrivateKey, base: int = FLASH) -> bytes:
    """Return an image with a block behind it that signs all of it. Raises ImageError unless one block describes it."""
    blocks = loop(image)
    described = [block for block in blocks if block.has(IMAGE_TYPE)]
    if len(described) != 1 or any(block.has(SIGNATURE) for block in blocks):
        signed = sum(block.has(SIGNATURE) for block in blocks)
        raise ImageError(
            f"{len(described)} blocks describe the image and {signed} have a signature: sign what the linker has made, "
            "which one block describes, and none signs"
        )
    image = image + bytes(-len(image) % 4)
    at, size = len(image), len(image)
    linked = bytearray(image)
    linked[blocks[-1].end - 8 : blocks[-1].end - 4] = struct.pack("<i", at - blocks[-1].at)
    items = [item for item in described[0].items if item.type not in {LOAD_MAP, HASH_DEF, HASH_VALUE}]
    words = [START, *(word for item in items for word in item.words)]
    map_at = at + 4 * len(words)
    words += [_head(LOAD_MAP, 4, 1), -map_at & 0xFFFFFFFF, base, size]
    words += [_head(HASH_DEF, 2, SHA_256), len(words) + 2]
    digest = hashlib.sha256(bytes(linked) + _bytes(words)).digest()
    r, s = decode_dss_signature(key.sign(digest, ec.ECDSA(Prehashed(SHA256()))))
    said = raw_key(key.public_key()) + r.to_bytes(32) + s.to_bytes(32)
    words += [_head(SIGNATURE, 33, SECP256K1), *_words(said)]
    words += [LAST | (len(words) - 1) << 8, blocks[0].at - at & 0xFFFFFFFF, END]
    return bytes(linked) + _bytes(words)


def loop(image: bytes) -> list[Block]:
    """Return the blocks of an image, in the order of their links. Raises ImageError where they are no loop."""
    at = next((at for at in range(0, min(FIRST_WITHIN, len(image) - 3), 4) if _word(image, at) == START), None)
    if at is None:
        raise ImageError(f"no block begins in the first {FIRST_WITHIN} bytes")
    blocks = [block_at(image, at)]
    while blocks[-1].link:
        at = blocks[-1].at + blocks[-1].link
        if at == blocks[0].at:
            return blocks
        if any(block.at <= at < block.end for block in blocks) or len(blocks) == BLOCKS_MOST:
            raise ImageError(f"the link of the block at {blocks[-1].at:#x} does not lead back to the first block")
        blocks.append(block_at(image, at))
    if len(blocks) > 1:
        raise ImageError(f"the link of the block at {blocks[-1].at:#x} does not lead back to the first block")
    return blocks


def block_at(image: bytes, at: int) -> Block:
    """Read the block at a place. Raises ImageError."""
    wrong = ImageError(f"no block at {at:#x}")
    if at < 0 or at % 4 or at + 4 > len(image) or _word(image, at) != START:
        raise wrong
    words = _words(image[at : at + min(BLOCK_MOST, (len(image) - at) // 4 * 4)])
    items, place = [], 1
    while place < len(words) and words[place] & 0xFF != LAST:
        kind = words[place] & 0xFF
        size = words[place] >> 8 & (0xFFFF if kind & 0x80 else 0xFF)
        if size == 0 or place + size > len(words):
            raise ImageError(f"the block at {at:#x}: item {kind:#x} is longer than the block")
        items.append(Item(kind & 0x7F if kind & 0x80 else kind, place, words[place : place + size]))
        place += size
    if place + 3 > len(words) or words[place] >> 8 & 0xFFFF != place - 1 or words[place + 2] != END:
        raise ImageError(f"the block at {at:#x} has no end, or another one than it says")
    link = struct.unpack("<i", struct.pack("<I", words[place + 1]))[0]
    return Block(at, words[: place + 3], tuple(items), link)


def raw_key(key: ec.EllipticCurvePublicKey) -> bytes:
    """The 64 bytes of a public key, as an image has them. Raises ImageError for a key of another curve."""
    if not isinstance(key.curve, ec.SECP256K1):
        raise ImageError(f"a key of the curve {key.curve.name}: the chip knows secp256k1 alone")
    numbers = key.public_numbers()
    return numbers.x.to_bytes(32) + numbers.y.to_bytes(32)


def key_digest(raw: bytes) -> str:
    """The digest of a public key, as it is burnt into the fuses (BOOTKEY)."""
    return hashlib.sha256(raw).hexdigest()


def _check_items(block: Block) -> None:
    kind = block.one(IMAGE_TYPE, "IMAGE_TYPE")
    if (kind.words[0] >> 16) & ~TRY_BEFORE_YOU_BUY != EXECUTABLE:
        raise ImageError(f"image type {kind.words[0] >> 16:#06x}: it is no secure program for the RP2350's Arm")
    hashed, signature = block.one(HASH_DEF, "HASH_DEF"), block.one(SIGNATURE, "SIGNATURE")
    if hashed.special != SHA_256 or len(hashed.words) != 2:
        raise ImageError("the hash is no SHA-256")
    if signature.special != SECP256K1 or len(signature.words) != 33:
        raise ImageError("the signature is none of secp256k1")
    until = hashed.words[1] & 0xFFFF
    for item in block.items:
        covered = item.at + len(item.words) <= until
        if item.type not in {SIGNATURE, HASH_VALUE} and not covered:
            raise ImageError(f"the hash ends at word {until} of the block: it does not cover item {item.type:#x}")
    if until > signature.at:
        raise ImageError(f"the hash ends at word {until} of the block, behind the beginning of its signature")


def _loaded(block: Block, image: bytes, base: int) -> Iterator[Loaded]:
    item = block.one(LOAD_MAP, "LOAD_MAP")
    absolute, count = bool(item.special & 0x80), item.special & 0x7F
    if count == 0 or len(item.words) != 1 + 3 * count:
        raise ImageError("the load map is not as long as it says")
    for number in range(count):
        lies, runs, third = item.words[1 + 3 * number : 4 + 3 * number]
        size = third - runs if absolute else third
        if lies == 0:
            yield Loaded(None, runs, size)
            continue
        at = lies - base if absolute else (block.at + 4 * item.at + lies) & 0xFFFFFFFF
        if size <= 0 or size % 4 or at % 4 or not 0 <= at <= at + size <= len(image):
            raise ImageError(f"range {number} of the load map, {size} bytes at {at:#x}, is not in the image")
        yield Loaded(at, runs, size)


def _check_all_signed(image: bytes, blocks: Sequence[Block], ranges: Sequence[Loaded]) -> None:
    """Raise ImageError for a byte that says something and is in no range and no block of the loop."""
    told = sorted(
        [(one.at, one.at + one.size) for one in ranges if one.at is not None] + [(one.at, one.end) for one in blocks]
    )
    place = 0
    for begin, end in [*told, (len(image), len(image))]:
        gap = image[place:begin]
        if gap.strip(_FILLING[0]) and gap.strip(_FILLING[1]):
            raise ImageError(f"{len(gap)} bytes at {place:#x} are signed by nobody")
        place = max(place, end)


def _check_entry(image: bytes, block: Block, ranges: Sequence[Loaded], base: int) -> None:
    """Raise ImageError where the chip would begin to run what is not signed."""
    if block.has(ENTRY_POINT):
        entry = block.one(ENTRY_POINT, "ENTRY_POINT").words[1]
    else:
        table = block.one(VECTOR_TABLE, "VECTOR_TABLE").words[1] if block.has(VECTOR_TABLE) else base
        lies = next(
            (one.at + table - one.runs_at for one in ranges
             if one.at is not None and one.runs_at <= table <= one.runs_at + one.size - 8), None,
        )  # fmt: skip
        if lies is None:
            raise ImageError(f"the vector table at {table:#x} is not signed")
        entry = _word(image, lies + 4)
    if not any(one.at is not None and one.runs_at <= entry & ~1 < one.runs_at + one.size for one in ranges):
        raise ImageError(f"the entry point {entry:#x} is not signed")


def _digest(image: bytes, block: Block, ranges: Sequence[Loaded]) -> bytes:
    hashed = hashlib.sha256()
    for one in ranges:  # of what is filled with zeros its length counts
        hashed.update(struct.pack("<I", one.size) if one.at is None else image[one.at : one.at + one.size])
    words = list(block.words[: block.one(HASH_DEF, "HASH_DEF").words[1] & 0xFFFF])
    kind = block.one(IMAGE_TYPE, "IMAGE_TYPE")
    words[kind.at] &= ~(TRY_BEFORE_YOU_BUY << 16)
    hashed.update(_bytes(words))
    return hashed.digest()


def _head(kind: int, size: int, special: int) -> int:
    return kind | size << 8 | special << 24


def _word(image: bytes, at: int) -> int:
    return int.from_bytes(image[at : at + 4], "little")


def _words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data)


def _bytes(words: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def main(arguments: Sequence[str]) -> int:
    """0: sound, or signed; 1: not."""
    parser = argparse.ArgumentParser(prog="python -m tests.firmware.signed_image", description=__doc__)
    parser.add_argument("what", choices=["check", "sign"])
    parser.add_argument("image", type=Path)
    parser.add_argument("key", type=Path, help="PEM: the public key to check with, the private one to sign with")
    parser.add_argument("signed", type=Path, nargs="?", help="where to write the signed image")
    asked = parser.parse_args(arguments)
    if (asked.what == "sign") != (asked.signed is not None):
        parser.error("sign takes a file to write; check takes none")
    try:
        if asked.what == "sign":
            private = load_pem_private_key(asked.key.read_bytes(), None)
            if not isinstance(private, ec.EllipticCurvePrivateKey):
                raise ImageError("the key is none of an elliptic curve")
            asked.signed.write_bytes(sign(asked.image.read_bytes(), private))
            return 0
        public = load_pem_public_key(asked.key.read_bytes())
        if not isinstance(public, ec.EllipticCurvePublicKey):
            raise ImageError("the key is none of an elliptic curve")
        told = check(asked.image.read_bytes(), public)
    except (OSError, ValueError) as fault:
        print(f"{asked.image}: {fault}")
        return 1
    print(f"{asked.image}: signed whole by the key {told.key}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
