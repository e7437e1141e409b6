"""Signed images for the RP2350: a sound one is taken, and each forgery is refused for its own reason."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.firmware.signed_image import (
    END,
    ENTRY_POINT,
    EXECUTABLE,
    FLASH,
    IMAGE_TYPE,
    LAST,
    START,
    ImageError,
    check,
    loop,
    main,
    sign,
)

KEY, OTHER = (ec.derive_private_key(number, ec.SECP256K1()) for number in (7, 8))
PUBLIC = KEY.public_key()
CODE = bytes(range(256)) * 4


def unsigned(*items: int, code: bytes = CODE) -> bytes:
    """What a linker makes: a vector table, one block that describes the image, and a program."""
    words = [START, IMAGE_TYPE | 1 << 8 | EXECUTABLE << 16, *items]
    words += [LAST | (len(words) - 1) << 8, 0, END]
    table = struct.pack("<II", 0x20082000, FLASH + 0x101) + bytes(248)
    return table + struct.pack(f"<{len(words)}I", *words) + code


def unsigned_by_the_sdk(*, at_the_end: tuple[int, ...] = (0x1FE,)) -> bytes:
    """What the Pico SDK's linker makes: a second block at the very end, with an item that says nothing."""
    image = bytearray(unsigned())
    first = loop(bytes(image))[0]
    end = len(image)
    image[first.end - 8 : first.end - 4] = struct.pack("<i", end - first.at)
    words = [START, *at_the_end, LAST | len(at_the_end) << 8, first.at - end & 0xFFFFFFFF, END]
    return bytes(image) + struct.pack(f"<{len(words)}I", *words)


IMAGE = sign(unsigned(), KEY)
LAST_BLOCK = loop(IMAGE)[1]


def changed(at: int, value: int) -> bytes:
    """The image with another word at a place."""
    return IMAGE[:at] + struct.pack("<I", value & 0xFFFFFFFF) + IMAGE[at + 4 :]


def in_block(word: int, value: int) -> bytes:
    """The image with another word in its signed block."""
    return changed(LAST_BLOCK.at + 4 * word, value)


def test_a_signed_image_says_by_whom_and_what_of_it() -> None:
    told = check(IMAGE, PUBLIC)
    assert [(one.at, one.runs_at, one.size) for one in told.ranges] == [(0, FLASH, LAST_BLOCK.at)]
    assert len(told.key) == 64
    assert told.key != check(sign(unsigned(), OTHER), OTHER.public_key()).key


def test_the_signed_block_is_laid_out_as_the_chip_reads_it() -> None:
    """Word by word, from the datasheet's tables: the writer and the reader do not only agree with each other."""
    words = LAST_BLOCK.words
    assert words[0] == 0xFFFFDED3
    assert words[1] == 0x10210142
    assert words[2] == 0x01000406
    assert (words[3] + LAST_BLOCK.at + 8) & 0xFFFFFFFF == 0
    assert (words[4], words[5]) == (0x10000000, LAST_BLOCK.at)
    assert (words[6], words[7]) == (0x01000247, 8)
    assert words[8] == 0x01002109
    assert words[41] == 0x000028FF
    assert (words[42] + LAST_BLOCK.at) & 0xFFFFFFFF == 256
    assert words[43] == 0xAB123579
    assert len(words) == 44


def test_an_image_of_the_sdk_s_linker_with_its_block_at_the_end_is_signed_whole() -> None:
    image = unsigned_by_the_sdk()
    signed = sign(image, KEY)
    assert [(one.at, one.size) for one in check(signed, PUBLIC).ranges] == [(0, len(image))]
    assert [block.at for block in loop(signed)] == [256, len(image) - 20, len(image)]


def test_an_image_that_two_blocks_describe_is_not_signed() -> None:
    with pytest.raises(ImageError, match="2 blocks describe the image"):
        sign(unsigned_by_the_sdk(at_the_end=(IMAGE_TYPE | 1 << 8 | EXECUTABLE << 16,)), KEY)


@pytest.mark.parametrize("at", [0, 4, 300, 600, LAST_BLOCK.at - 4])
def test_a_changed_program_is_found(at: int) -> None:
    with pytest.raises(ImageError, match=r"changed after it was signed|is not signed"):
        check(changed(at, 0x0BADC0DE), PUBLIC)


@given(st.integers(0, 8 * len(IMAGE) - 1))
@settings(max_examples=100, deadline=None)
def test_no_bit_may_be_another(bit: int) -> None:
    forged = bytearray(IMAGE)
    forged[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ImageError):
        check(bytes(forged), PUBLIC)


@given(st.binary(max_size=600), st.integers(0, len(IMAGE)))
@settings(max_examples=40, deadline=None)
def test_bytes_put_anywhere_are_no_signed_image(piece: bytes, at: int) -> None:
    forged = IMAGE[:at] + piece + IMAGE[at + len(piece) :]
    if forged[: len(IMAGE)] != IMAGE:
        with pytest.raises(ImageError):
            check(forged, PUBLIC)


def another_link() -> bytes:
    return in_block(42, 0)


def longer_than_it_says() -> bytes:
    return in_block(41, LAST | 41 << 8)


def hash_of_less() -> bytes:
    return in_block(7, 2)


def hash_of_the_signature_too() -> bytes:
    return in_block(7, 40)


def hash_of_nothing_known() -> bytes:
    return in_block(6, 0x02000247)


def another_signature_kind() -> bytes:
    return in_block(8, 0x02002109)


def an_image_for_another_chip() -> bytes:
    return in_block(1, 0x00210142)


def a_map_of_less() -> bytes:
    return in_block(5, LAST_BLOCK.at - 256)


def a_map_beyond() -> bytes:
    return in_block(5, len(IMAGE) + 4096)


def a_map_of_zeros() -> bytes:
    """The size alone is hashed then: the program could be any."""
    return in_block(3, 0)


def code_behind() -> bytes:
    return IMAGE + CODE


def a_second_signed_block() -> bytes:
    """The old block, signed, stays in the loop, and another one is put behind it."""
    block, at = IMAGE[LAST_BLOCK.at :], len(IMAGE)
    forged = bytearray(IMAGE + block)
    forged[at - 8 : at - 4] = struct.pack("<i", at - LAST_BLOCK.at)
    forged[-8:-4] = struct.pack("<i", loop(IMAGE)[0].at - at)
    return bytes(forged)


def without_a_signature() -> bytes:
    return unsigned()


def no_block_at_all() -> bytes:
    return CODE * 8


def a_loop_without_an_end() -> bytes:
    return changed(LAST_BLOCK.end - 8, 4)


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        (another_link, "does not lead back to the first"),
        (a_loop_without_an_end, "does not lead back to the first"),
        (longer_than_it_says, "no end, or another one"),
        (hash_of_less, "does not cover item 0x6"),
        (hash_of_the_signature_too, "behind the beginning of its signature"),
        (hash_of_nothing_known, "no SHA-256"),
        (another_signature_kind, "none of secp256k1"),
        (an_image_for_another_chip, "no secure program for the RP2350"),
        (a_map_of_less, "256 bytes at .* are signed by nobody"),
        (a_map_beyond, "is not in the image"),
        (a_map_of_zeros, "signed by nobody"),
        (code_behind, "1024 bytes at .* are signed by nobody"),
        (a_second_signed_block, "2 blocks have a signature"),
        (without_a_signature, "0 blocks have a signature"),
        (no_block_at_all, "no block begins in the first 4096"),
    ],
    ids=lambda one: one.__name__ if callable(one) else "",
)
def test_each_forgery_is_refused_for_its_own_reason(forged: Callable[[], bytes], why: str) -> None:
    with pytest.raises(ImageError, match=why):
        check(forged(), PUBLIC)


def test_an_image_signed_by_somebody_else_is_refused_though_it_is_sound() -> None:
    with pytest.raises(ImageError, match="signed by another key"):
        check(sign(unsigned(), OTHER), PUBLIC)


def test_an_entry_point_outside_of_what_is_signed_is_refused() -> None:
    sound = unsigned(ENTRY_POINT | 3 << 8, FLASH + 0x101, 0x20082000)
    assert len(check(sign(sound, KEY), PUBLIC).digest) == 64
    elsewhere = unsigned(ENTRY_POINT | 3 << 8, 0x20000101, 0x20082000)
    with pytest.raises(ImageError, match="the entry point 0x20000101 is not signed"):
        check(sign(elsewhere, KEY), PUBLIC)


def test_a_key_of_another_curve_signs_nothing() -> None:
    with pytest.raises(ImageError, match="secp256k1 alone"):
        sign(unsigned(), ec.generate_private_key(ec.SECP256R1()))


def test_what_is_signed_is_not_signed_again() -> None:
    with pytest.raises(ImageError, match="1 have a signature"):
        sign(IMAGE, KEY)


def test_at_a_shell_it_signs_checks_and_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    private, public, image, signed = (str(tmp_path / name) for name in ("key.pem", "public.pem", "a.bin", "b.bin"))
    Path(private).write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    Path(public).write_bytes(PUBLIC.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    Path(image).write_bytes(unsigned())
    assert main(["sign", image, private, signed]) == 0
    assert main(["check", signed, public]) == 0
    assert "signed whole by the key" in capsys.readouterr().out
    assert main(["check", image, public]) == 1
    assert "0 blocks have a signature" in capsys.readouterr().out
    assert main(["check", str(tmp_path / "gone"), public]) == 1
