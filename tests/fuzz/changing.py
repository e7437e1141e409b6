"""Inputs for a target: its seeds and kept inputs with some changes, or bytes at random, as hypothesis draws them."""

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.fuzz.target import Target

PLAIN = (
    b"\0",
    b"\xff",
    b"\x7f",
    b"\x80",
    b"\n",
    b"\r\n",
    b'"',
    b"{",
    b"}",
    b"[",
    b"-1",
    b"1e999",
    b"\xc3",
    b"\xed\xa0\x80",
)
MOST_CHANGES = 6


def inputs(target: Target) -> st.SearchStrategy[bytes]:
    """The inputs for a target."""
    known = [*target.seeds(), *(path.read_bytes() for path in target.kept())]
    words = (*PLAIN, *target.words)
    return st.one_of(changed(known, words), st.binary(max_size=300))


@st.composite
def changed(draw: st.DrawFn, known: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """One of the known inputs after a few changes."""
    data = bytearray(draw(st.sampled_from(known)))
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, min(40, len(data) - at)))
        kind = draw(st.sampled_from(["bit", "byte", "cut", "word", "again", "other", "tail"]))
        if kind == "bit" and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "byte" and at < len(data):
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + length]
        elif kind == "word":
            data[at : at + length] = draw(st.sampled_from(words))
        elif kind == "again":
            data[at:at] = data[at : at + length] * draw(st.integers(1, 20))
        elif kind == "other":
            piece = draw(st.sampled_from(known))
            begin = draw(st.integers(0, len(piece)))
            data[at:at] = piece[begin : begin + 200]
        elif kind == "tail":
            del data[at:]
    return bytes(data)
