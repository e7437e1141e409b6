"""`feltd check` of a pit page's file: every fault by its line with the remedy, and which second factors work there."""

import socket
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner, Result

from feltd.cli import cli
from feltd.cli.exits import FINE, PROBLEMS, USAGE
from feltd.page.access.accounts import AccountBook
from feltd.page.access.roles import Role
from feltd.text.page_roles import PageRole
from tests import ports
from tests.feltd.test_keys_at import certified
from tests.quick_passwords import quick_passwords

PASSWORD = "correct horse battery staple"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A pit page's file that nothing is wrong with; floord does not run."""
    (tmp_path / "own").mkdir()
    file = tmp_path / "pit.toml"
    file.write_text(f'[pit]\nfloor = "floord"\nfolder = "own"\nport = {ports.free_port()}\n')
    return file


def check(file: Path) -> Result:
    return CliRunner().invoke(cli, ["check", str(file)])


def test_a_sound_file_says_what_is_worth_knowing_and_which_second_factors_work(file: Path) -> None:
    told = check(file)
    assert (told.exit_code, told.stdout) == (FINE, "")
    assert told.stderr.splitlines() == [
        f"note: [pit] floor: nothing is at {file.parent}/floord yet; the page waits for floord "
        "([floor] socket, floor.toml)",
        "note: [pit]: nobody can sign in yet: feltd user add NAME --role supervisor --config pit.toml",
        "note: [pit] has no second_factor: everybody may sign in by a password alone; people may set one up",
        "note: second factors: codes by an app (TOTP) alone; no security keys, for no `address` says at which https:// "
        "address with a host name browsers find the page",
        f"{file}: nothing stands in the way of a start",
    ]


def test_it_warns_of_a_proxy_that_tells_nothing_where_the_page_is_open_here(file: Path) -> None:
    with file.open("a") as more:
        more.write("open_on_loopback = true\n")
    [note] = [line for line in check(file).stderr.splitlines() if "open_on_loopback" in line]
    assert note.endswith("Where there is one, leave open_on_loopback out")


def test_it_names_whom_a_demanded_factor_keeps_out_and_where_security_keys_work(file: Path) -> None:
    with quick_passwords():
        accounts = AccountBook(file.parent / "own" / "accounts.json")
        for name, role in (("lea", Role.DIRECTOR), ("ben", Role.DIRECTOR), ("tom", Role.SURVEILLANCE)):
            accounts.add(name, role, PASSWORD)
        accounts.put_second_factor("ben", "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    with file.open("a") as more:
        more.write('second_factor = ["director"]\naddress = "http://localhost:8090"\n')
    told = check(file)
    assert told.exit_code == FINE
    assert "note: [pit] second_factor: lea only look now: they have none that counts" in told.stderr
    assert "note: [pit] second_factor: director only look until they have set one up" in told.stderr
    assert "security keys at http://localhost:8090 and nowhere else" in told.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            'second_factor = ["manager"]',
            '5: pit.second_factor: "manager" is not allowed; allowed: observer, supervisor',
        ),
        ('zone = "Mars/Olympus"', '5: pit.zone: "Mars/Olympus" is no time zone'),
        ('certificate = "pit.pem"', "1: pit: give both, certificate and certificate_key, or neither"),
        ('adress = "https://pit.example"', "5: pit.adress: unknown key; allowed: name, floor"),
        ('certificate = "pit.pem"\ncertificate_key = "pit.key"', "5: pit.certificate: "),
        ('host = "203.0.113.7"', "5: pit.host: 203.0.113.7: "),
    ],
)
def test_a_fault_has_its_line_and_the_remedy(file: Path, line: str, told: str) -> None:
    with file.open("a") as more:
        more.write(f"{line}\n")
    result = check(file)
    assert result.exit_code == PROBLEMS
    assert result.stdout.startswith(f"{file}:{told}")
    assert len(result.stdout.splitlines()) == 1


def test_the_file_has_the_roles_that_accounts_have() -> None:
    assert get_args(PageRole) == tuple(Role)


def test_what_the_machine_lacks_has_its_line_too(file: Path) -> None:
    (file.parent / "floord").touch()
    (file.parent / "own" / "accounts.json").write_text("{")
    port = int(file.read_text().split()[-1])
    with socket.create_server(("127.0.0.1", port)):
        lines = check(file).stdout.replace(f"{file}:", "").splitlines()
    assert lines[0] == f"4: pit.port: {port} is taken on 127.0.0.1: another program listens there"
    assert lines[1].startswith(f"2: pit.floor: {file.parent}/floord is no socket: give the one that [floor] socket")
    assert lines[2].startswith("3: pit.folder: ")
    assert "no file of accounts" in lines[2]


def test_a_folder_that_is_a_file_is_named(file: Path) -> None:
    (file.parent / "own").rmdir()
    (file.parent / "own").touch()
    assert f"3: pit.folder: {file.parent}/own is no folder: give another one" in check(file).stdout


def test_why_security_keys_do_not_work_is_said_beside_the_certificate(file: Path) -> None:
    (file.parent / "pit.pem").write_bytes(certified("other.casino.example"))
    (file.parent / "pit.key").write_text("no key")
    with file.open("a") as more:
        more.write('address = "https://pit.casino.example"\ncertificate = "pit.pem"\ncertificate_key = "pit.key"\n')
    told = check(file)
    assert "no certificate and its key, in PEM" in told.stdout
    assert f"the certificate in {file.parent}/pit.pem is not for pit.casino.example" in told.stderr


def test_a_file_that_is_not_there_is_no_list_of_faults(tmp_path: Path) -> None:
    assert check(tmp_path / "pit.toml").exit_code == USAGE
