"""The version before is installed and plays, and the package of this version comes over it.

In the middle of a round that is refused: this version has another text of the rulebook. One goes back, a supervisor
voids the round, and it comes over it again.
"""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from hil_tests.install.inside import (
    APT,
    CONFIG,
    EARLIER,
    FIRST,
    HERE,
    PAGE,
    PAGE_STATE,
    PASSWORD,
    STATE,
    UNIT,
    UPGRADE,
    entries,
    eventually,
    log,
    page,
    run,
    show,
    state_of,
    step,
    up,
)

PLAYED: Final = STATE / "played"
"""Where the simulated table of the version before keeps what it writes."""
PLAYED_AT: Final = 8090
JOURNAL: Final = STATE / "table.journal"
ANCHORS: Final = HERE / "anchors"
ROUNDS_BEFORE: Final = 2
UNIT_BEFORE: Final = "feltd.service"
"""Table and page of the version before."""
PATIENT: Final = Path(f"/run/systemd/system/{UNIT_BEFORE}.d/90-patient.conf")
"""Its start was given up after 30 s, which a host with much else to do takes for one."""
AS_IT_STOOD: Final = HERE / "as-it-stood.json"
PEOPLE: Final = {"anna": "supervisor", "carl": "technician"}


def _version() -> str:
    return run("feltd", "--version").split()[-1]


def _round() -> dict[str, Any]:
    """What the page shows of the round, without what goes on beside it, and without the prompt: while a device is away
    the prompt says so, in words that a version may change.
    """
    table = state_of("table")
    return {name: table[name] for name in ("rulebook", "round", "phase", "board", "seats")}


def _sealed() -> dict[str, bytes]:
    """What no upgrade may touch."""
    names = [CONFIG, STATE / "accounts.json", STATE / "keys/shoe.key", Path("/etc/feltd/keys/journal.key")]
    return {str(name): name.read_bytes() for name in names}


@step(UPGRADE)
def the_version_before_is_installed_with_its_people() -> None:
    run(*APT, str(EARLIER))
    up()
    PATIENT.parent.mkdir(parents=True)
    PATIENT.write_text("[Service]\nTimeoutStartSec=1h\n", encoding="ascii")
    run("systemctl", "daemon-reload")
    for name, role in PEOPLE.items():
        run("feltd", "user", "add", name, "--role", role, "--password-stdin", fed=f"{PASSWORD}\n")


@step(UPGRADE)
def it_plays_and_is_killed_in_the_middle_of_a_round() -> None:
    play_into_a_round(PLAYED_AT)


def play_into_a_round(port: int) -> None:
    """Let the installed version play a simulated table in `PLAYED`, and kill it in the middle of a round."""
    simulate = ("feltd", "simulate", "--book", "tas-2018-holdem", "--seed", "11", "--mistakes", "0", "--pace", "30")
    unit = ("systemd-run", "--unit=played", "--uid=feltd", "--gid=feltd")
    run(*unit, *simulate, "--port", str(port), "--folder", str(PLAYED))
    eventually(_bets_on_the_flop, "the simulated table bets on the flop")
    run("systemctl", "kill", "--signal=SIGKILL", "played.service")
    eventually(lambda: page("/healthz", port) is None, "the simulated table is gone")


def _bets_on_the_flop() -> bool:
    table = dict(state_of("table", PLAYED_AT))
    return table.get("round", 0) > ROUNDS_BEFORE and (table["phase"], table["street"]) == ("betting", "flop")


@step(UPGRADE)
def its_service_takes_up_what_was_played() -> None:
    take_up(UNIT_BEFORE)
    AS_IT_STOOD.write_text(json.dumps(_round()), encoding="utf-8")
    assert _round()["phase"] in ("dealing", "betting", "board", "showdown", "halted"), _round()
    said = run("runuser", "-u", "feltd", "--", "feltd", "journal", "verify", str(JOURNAL))
    ANCHORS.write_text("".join(re.findall(r"(?m)^feltd-anchor .*\n", said)), encoding="ascii")
    assert ANCHORS.read_text(encoding="ascii").startswith("feltd-anchor ")


def take_up(*units: str) -> None:
    """Put the record and its key where an installed table has them, with a shoe that is not there, and start it."""
    run("systemctl", "stop", *units)
    for old in STATE.glob("table.journal*"):
        old.unlink()
    for file in PLAYED.glob("table.journal*"):
        file.rename(STATE / file.name)
    Path("/etc/feltd/keys/journal.key").write_text((PLAYED / "journal.key").read_text(encoding="ascii").strip())
    table = (PLAYED / "table.toml").read_text(encoding="utf-8").split("[[device]]", 1)[0]
    places = (
        CONFIG.read_text(encoding="utf-8")
        .split("[page]", 1)[1]
        .replace("port = 8080", "port = 8080\nopen_on_loopback = true")
    )
    shoe = (
        '[[device]]\nname = "shoe"\nrole = "shoe"\nport = "/dev/serial/by-id/usb-not-there"\n'
        'key_file = "/var/lib/feltd/keys/shoe.key"\n'
    )
    CONFIG.write_text(f"{table}{shoe}[page]{places}", encoding="utf-8")
    run("feltd", "device", "key", "shoe")
    run("systemctl", "start", *units)
    up()
    eventually(lambda: state_of("alarms"), "the shoe that is not there is missed")


@step(UPGRADE)
def over_a_round_in_progress_this_version_says_why_not_and_touches_nothing() -> None:
    before, kept = _version(), _sealed()
    run(*APT, str(FIRST))
    assert _version() != before
    why = f"feltd {before} wrote the round in progress (round {_kept_round()['round']}) under another text of"
    eventually(lambda: why in (_out_of_order() or ""), "the page in the table's place says why")
    checked = _checked()
    assert why in checked, checked
    assert f"Start feltd {before} again and end the round" in checked, checked
    number = entries(JOURNAL)
    run("systemctl", "restart", UNIT)
    eventually(lambda: why in (_out_of_order() or ""), "the next start says it, too")
    assert entries(JOURNAL) == number
    assert _sealed() == kept
    assert (PAGE_STATE / "accounts.json").read_bytes() == (STATE / "accounts.json").read_bytes()
    assert show(UNIT, "UnitFileState") == show(PAGE, "UnitFileState") == "enabled"


def _kept_round() -> dict[str, Any]:
    return dict(json.loads(AS_IT_STOOD.read_text(encoding="utf-8")))


def _out_of_order() -> str | None:
    """What stands in the table's place; None where the table is up, or nothing is."""
    try:
        with urllib.request.urlopen("http://127.0.0.1:8080/healthz", timeout=5):
            return None
    except urllib.error.HTTPError as refusal:
        return str(refusal.read().decode())
    except OSError:
        return None


def _checked() -> str:
    """What `feltd check` says; the shoe that is not there makes it fail in any case."""
    return run("sh", "-c", f"runuser -u feltd -- feltd check {CONFIG} || true")


@step(UPGRADE)
def gone_back_the_round_stands_as_it_stood_and_is_voided() -> None:
    run(*APT, "--allow-downgrades", str(EARLIER))
    up()
    assert _round() == _kept_round()
    void_the_round("anna")
    assert _round()["phase"] == "void", _round()
    AS_IT_STOOD.write_text(json.dumps(_round()), encoding="utf-8")


@step(UPGRADE)
def between_two_rounds_the_package_of_this_version_comes_over_it() -> None:
    before, kept = _version(), _sealed()
    run(*APT, str(FIRST))
    up()
    assert _version() != before
    assert _sealed() == kept
    assert "is in progress" not in _checked()


@step(UPGRADE)
def the_table_stands_as_it_stood() -> None:
    assert _round() == _kept_round()


@step(UPGRADE)
def the_people_of_before_sign_in() -> None:
    for name, role in PEOPLE.items():
        status, account = _sign_in(name, PASSWORD)
        assert (status, account["role"]) == (200, role), account
    assert _sign_in("anna", "another word than hers")[0] == 401


def _sign_in(name: str, password: str) -> tuple[int, dict[str, Any]]:
    """The status and what the page says: of the account, or why not."""
    return _post(urllib.request.build_opener(), "session", {"name": name, "password": password})


def void_the_round(name: str, at: str = "http://127.0.0.1:8080") -> None:
    """Sign in as somebody who may decide, and void the round."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    status, account = _post(browser, "session", {"name": name, "password": PASSWORD}, at)
    assert status == 200, account
    decision = {"decision": "void", "reason": "the version is changed"}
    status, answer = _post(browser, "decisions", decision, at, {"X-CSRF-Token": account["csrf"]})
    assert status == 200, answer


def _post(
    browser: urllib.request.OpenerDirector,
    path: str,
    body: dict[str, str],
    at: str = "http://127.0.0.1:8080",
    more: dict[str, str] | None = None,
) -> tuple[int, dict[str, Any]]:
    """The status and the answer of the page."""
    headers = {"Content-Type": "application/json", "Origin": at} | (more or {})
    asked = urllib.request.Request(f"{at}/api/v1/{path}", json.dumps(body).encode(), headers)
    try:
        with browser.open(asked, timeout=10) as answer:
            return answer.status, dict(json.load(answer))
    except urllib.error.HTTPError as refusal:
        return refusal.code, dict(json.load(refusal))


@step(UPGRADE)
def the_record_is_sound_across_the_upgrade_and_says_what_happened() -> None:
    ANCHORS.chmod(0o644)
    run("runuser", "-u", "feltd", "--", "feltd", "journal", "verify", str(JOURNAL), "--anchors", str(ANCHORS))
    entries(JOURNAL)
    remark = "wrote the record up to here, and feltd"
    assert f"{remark} {_version()} goes on with it, between two rounds" in log(UNIT), log(UNIT)
    notes = run("runuser", "-u", "feltd", "--", "feltd", "journal", "show", str(JOURNAL), "--name", "note", "--json")
    assert remark in notes, notes
