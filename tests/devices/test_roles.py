"""What others ask of a role: what can be tested, what it watches, which lamps it has."""

from typing import Any

import pytest

from devices.drivers.registry import ROLES, driver_for
from devices.drivers.trials import TrialKind

LISTEN = (TrialKind.LISTEN,)
SHOWN = (TrialKind.DISPLAY, TrialKind.BUZZER, TrialKind.CLOCK)
NEEDED: dict[str, dict[str, Any]] = {"reader": {"zones": ["seat:1", "burn"]}}


@pytest.mark.parametrize(
    ("role", "settings", "trials"),
    [
        ("shoe", {}, ()),
        ("markers", {}, ()),
        ("dropbox", {}, ()),
        ("reader", NEEDED["reader"], LISTEN),
        ("keys", {}, LISTEN),
        ("badge", {}, LISTEN),
        ("indicators", {}, SHOWN),
        ("indicators", {"lamps": ["play"]}, (TrialKind.LAMP, *SHOWN)),
        ("indicators", {"lamps": ["play"], "rows": 0, "buzzer": False, "clock": False}, (TrialKind.LAMP,)),
    ],
)
def test_what_can_be_tested_is_what_the_device_has(
    role: str, settings: dict[str, Any], trials: tuple[TrialKind, ...]
) -> None:
    assert driver_for(role)("one", settings).trials == trials


@pytest.mark.parametrize(
    ("role", "settings", "watched"),
    [
        ("reader", NEEDED["reader"], ("seat:1", "burn")),
        ("keys", {"parts": ["deal", "clock"]}, ("deal", "clock")),
        ("markers", {"markers": ["buck"]}, ("buck",)),
        ("shoe", {}, ()),
    ],
)
def test_what_is_watched_has_its_names(role: str, settings: dict[str, Any], watched: tuple[str, ...]) -> None:
    assert driver_for(role)("one", settings).watches == watched


def test_keys_alone_name_no_card() -> None:
    assert [role for role in ROLES if driver_for(role).names_no_card] == ["keys"]


@pytest.mark.parametrize("role", ROLES)
def test_a_trial_shows_what_the_device_can_show_and_commands_it(role: str) -> None:
    driver = driver_for(role)("one", NEEDED.get(role, {}))
    shown = {kind: driver.trial_output(kind, "play", 2.0, 7.5) for kind in TrialKind}
    drives = [kind for kind, output in shown.items() if output is not None and driver.commands(output)]
    assert drives == ([TrialKind.LAMP, *SHOWN] if role == "indicators" else [])
