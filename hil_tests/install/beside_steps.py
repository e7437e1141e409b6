"""The installed table beside a page that is disturbed, for the bench: `python -m hil_tests.bench units`."""

from hil_tests.install.inside import APT, BESIDE, FIRST, HERE, run, step, up

SIZES = HERE / "sizes"
"""Pairs, seconds of a turn, part of the visitors."""
ROWS = HERE / "rows.json"


@step(BESIDE)
def it_is_installed_and_runs() -> None:
    run(*APT, str(FIRST))
    up()


@step(BESIDE)
def the_table_is_measured_beside_its_page() -> None:
    print(
        run("/opt/feltd/bin/python3", "-m", "tests.bench.in_units", *SIZES.read_text().split(), str(ROWS)), flush=True
    )
