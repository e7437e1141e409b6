"""The bench in the virtual machine, as far as it goes without one."""

import pytest

from hil_tests import bench
from tests.bench.chattering import Sample


def test_a_processs_time_is_its_own_and_the_kernels_for_it_whatever_it_is_called() -> None:
    stat = "77 (feltd) run (x)) S 1 77 77 0 -1 4194560 9000 0 0 0 250 50 7 7 20 0 5 0 1000"
    assert bench.read_sample(f"12.34 20.00\n{stat}\n") == Sample(at=12.34, used=3.0)


def test_a_part_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench", "pins", "plugs"])
    with pytest.raises(SystemExit):
        bench.main()
    assert "no part 'plugs': there are pins, cables, chatter, record" in capsys.readouterr().err
