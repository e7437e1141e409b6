"""The Star's payout table: each place's part of the prize pool, by number of players.

Source: The Star Gold Coast, Texas Hold'em tournaments, November 2025 to May 2026, 8 Appendix a. One column for every
eight players (the first for 2 to 8); the places paid grow by one from column to column. As printed, each of the 25
columns sums to 100 % exactly: the source has no odd sum. What looks odd in it stands as printed: 11th and 12th get more
of the pool with 97 to 104 players (2.75 %) than with 89 to 96 (2.7 and 2.502 %).
"""

from decimal import Decimal
from types import MappingProxyType
from typing import Final

FEWEST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 200
PLAYERS_A_COLUMN: Final = 8

# fmt: off
THOUSANDTHS: Final = MappingProxyType(
    {
        8: (100_000,),
        16: (65_000, 35_000),
        24: (50_000, 30_000, 20_000),
        32: (45_000, 27_000, 17_000, 11_000),
        40: (41_000, 25_000, 15_000, 11_000, 8_000),
        48: (39_000, 23_000, 14_000, 10_000, 8_000, 6_000),
        56: (37_000, 22_000, 13_500, 9_500, 7_500, 6_000, 4_500),
        64: (36_000, 21_150, 13_250, 9_000, 7_000, 5_500, 4_500, 3_600),
        72: (35_000, 20_000, 12_250, 8_750, 6_750, 5_250, 4_500, 4_000, 3_500),
        80: (34_000, 19_500, 12_200, 8_250, 6_250, 5_100, 4_400, 3_900, 3_400, 3_000),
        88: (32_250, 19_500, 12_125, 8_200, 6_250, 5_000, 4_150, 3_500, 3_225, 3_000, 2_800),
        96: (31_725, 19_000, 12_000, 7_750, 6_000, 4_750, 4_000, 3_500, 3_173, 2_900, 2_700, 2_502),
        104: (30_500, 18_750, 11_500, 7_500, 5_850, 4_675, 3_975, 3_450, 3_050, 2_750, 2_750, 2_750, 2_500),
        112: (30_000, 18_500, 11_100, 7_250, 5_600, 4_600, 3_900, 3_400, 3_000, 2_650, 2_650, 2_650, 2_350, 2_350),
        120: (29_500, 18_250, 10_900, 7_000, 5_300, 4_400, 3_800, 3_350, 2_950, 2_600, 2_600, 2_600, 2_250, 2_250,
            2_250),
        128: (29_000, 18_000, 10_750, 6_750, 5_000, 4_300, 3_725, 3_300, 2_900, 2_550, 2_550, 2_550, 2_225, 2_225,
            2_225, 1_950),
        136: (28_250, 17_875, 10_600, 6_500, 4_950, 4_200, 3_650, 3_200, 2_825, 2_500, 2_500, 2_500, 2_200, 2_200,
            2_200, 1_925, 1_925),
        144: (27_950, 17_600, 10_450, 6_300, 4_900, 4_100, 3_550, 3_155, 2_795, 2_450, 2_450, 2_450, 2_125, 2_125,
            2_125, 1_825, 1_825, 1_825),
        152: (27_606, 17_500, 10_300, 6_253, 4_850, 4_005, 3_500, 3_125, 2_761, 2_400, 2_400, 2_400, 2_050, 2_050,
            2_050, 1_750, 1_750, 1_750, 1_500),
        160: (26_877, 17_435, 10_275, 6_250, 4_825, 4_000, 3_475, 3_120, 2_688, 2_350, 2_350, 2_350, 2_025, 2_025,
            2_025, 1_710, 1_710, 1_710, 1_400, 1_400),
        168: (26_581, 17_415, 10_260, 6_245, 4_820, 3_995, 3_460, 3_050, 2_658, 2_300, 2_300, 2_300, 1_950, 1_950,
            1_950, 1_620, 1_620, 1_620, 1_302, 1_302, 1_302),
        176: (26_283, 17_390, 10_255, 6_240, 4_815, 3_990, 3_450, 3_019, 2_628, 2_240, 2_240, 2_240, 1_895, 1_895,
            1_895, 1_575, 1_575, 1_575, 1_275, 1_275, 1_275, 975),
        184: (25_906, 17_375, 10_250, 6_235, 4_815, 3_990, 3_400, 2_990, 2_591, 2_200, 2_200, 2_200, 1_850, 1_850,
            1_850, 1_550, 1_550, 1_550, 1_250, 1_250, 1_250, 949, 949),
        192: (25_340, 17_286, 10_250, 6_235, 4_815, 3_990, 3_400, 2_965, 2_544, 2_190, 2_190, 2_190, 1_850, 1_850,
            1_850, 1_535, 1_535, 1_535, 1_225, 1_225, 1_225, 925, 925, 925),
        200: (24_893, 17_138, 10_250, 6_235, 4_815, 3_990, 3_400, 2_940, 2_489, 2_165, 2_165, 2_165, 1_850, 1_850,
            1_850, 1_535, 1_535, 1_535, 1_225, 1_225, 1_225, 925, 925, 925, 750),
    }
)
# fmt: on
"""Thousandths of a percent for the first place, the second, …, by the most players of the column."""

_THOUSAND: Final = 1000
_ALL: Final = 100 * _THOUSAND


def payout(players: int) -> tuple[Decimal, ...]:
    """Percent of the prize pool for the first place, the second, …; they sum to exactly 100.

    Raises ValueError for less than 2 or more than 200 players: the table has no column for them.
    """
    if not FEWEST_PLAYERS <= players <= MOST_PLAYERS:
        raise ValueError(f"payout: {players} players: the table is for {FEWEST_PLAYERS} to {MOST_PLAYERS}")
    return tuple(Decimal(part) / _THOUSAND for part in THOUSANDTHS[column_of(players)[1]])


def column_of(players: int) -> tuple[int, int]:
    """The least and the greatest number of players of the column for `players`.

    The first column begins with 2.
    """
    most = -(-players // PLAYERS_A_COLUMN) * PLAYERS_A_COLUMN
    return max(FEWEST_PLAYERS, most - PLAYERS_A_COLUMN + 1), most


def amounts(players: int, pool: int) -> tuple[int, ...]:
    """Whole cents of a pool for the first place, the second, …, each rounded down (ours).

    The source gives the rest of the pool to nobody. Raises ValueError as `payout`, and for a pool below 0.
    """
    if pool < 0:
        raise ValueError(f"payout: a pool of {pool} cents: 0 or more")
    return tuple(int(part * _THOUSAND) * pool // _ALL for part in payout(players))
