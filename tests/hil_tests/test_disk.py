"""The disk that may lose its power: what was flushed stays, of the rest chance decides sector by sector."""

from hypothesis import given
from hypothesis import strategies as st

from hil_tests.machine.disk import SECTOR, Asked, Flush, Medium, Write, after_cut

SECTORS = 16
EMPTY = bytes(SECTORS * SECTOR)


def sectors(content: bytes) -> list[bytes]:
    return [content[start : start + SECTOR] for start in range(0, len(content), SECTOR)]


def filled(first: int, count: int, mark: int, forced: bool = False) -> Write:
    return Write(first * SECTOR, bytes([mark]) * count * SECTOR, forced)


writes = st.builds(
    lambda first, count, mark, forced: filled(first, min(count, SECTORS - first), mark, forced),
    st.integers(0, SECTORS - 1),
    st.integers(1, 4),
    st.integers(1, 255),
    st.booleans(),
)
logs = st.lists(st.one_of(writes, st.just(Flush())), max_size=30)


@given(logs, st.integers(0, 30), st.integers())
def test_each_sector_is_what_was_flushed_last_or_something_written_since(log: list[Asked], at: int, seed: int) -> None:
    may_be = [{sector} for sector in sectors(EMPTY)]
    for number, asked in enumerate(log[: at + 1]):
        in_flight = number == at
        if isinstance(asked, Flush):
            if not in_flight:
                for place in range(SECTORS):
                    may_be[place] = {newest(log[:at], number, place)}
            continue
        for offset, data in enumerate(sectors(asked.data)):
            place = asked.offset // SECTOR + offset
            may_be[place] = {data} if asked.forced and not in_flight else may_be[place] | {data}
    left = sectors(after_cut(EMPTY, log, at, seed))
    assert all(sector in possible for sector, possible in zip(left, may_be, strict=True))


def newest(log: list[Asked], until: int, place: int) -> bytes:
    content = bytearray(EMPTY)
    for asked in log[:until]:
        if isinstance(asked, Write):
            content[asked.offset : asked.offset + len(asked.data)] = asked.data
    return sectors(bytes(content))[place]


def test_a_write_under_way_may_be_torn() -> None:
    left = {after_cut(EMPTY, [filled(0, 4, 7)], 0, seed) for seed in range(40)}
    assert any(len(set(sectors(one)[:4])) == 2 for one in left)


def test_about_half_of_what_was_not_flushed_is_forgotten() -> None:
    medium = Medium(bytes(1000 * SECTOR))
    medium.ask(Write(0, b"x" * 1000 * SECTOR))
    assert 400 < sum(sector[:1] == b"x" for sector in sectors(medium.cut(None, 1))) < 600


def test_a_disk_that_does_not_flush_forgets_what_was_flushed() -> None:
    medium = Medium(EMPTY)
    medium.believes_flushes = False
    for asked in (filled(0, SECTORS, 7, forced=True), Flush()):
        medium.ask(asked)
    assert medium.content == EMPTY
    assert any(medium.cut(None, seed) != bytes([7]) * len(EMPTY) for seed in range(3))
