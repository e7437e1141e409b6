"""The memory of each process is locked where it may be, and closed to others of its user, before it reads a secret."""

import ctypes
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.launcher import (
    floor_process,
    page_process,
    pit_process,
    process,
    table_process,
    uplink_process,
    witness_process,
)
from feltd.launcher.table_process import TheWayIn
from feltd.table.host import mapped, memory

ASKED = """
import resource, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
from feltd.table.host.memory import keep_to_itself
import ctypes
kept = keep_to_itself()
later = bytearray(30_000_000)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(kept.locked, kept.closed, ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), int(status["VmLck"].split()[0]) > 30_000)
"""
"""Prints what was done, what the kernel says (3: PR_GET_DUMPABLE), and whether what came later is locked too."""


def asked(limit: int) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-c", ASKED, str(limit)], capture_output=True, text=True, check=True, env=os.environ
    )
    return told.stdout.split()


def test_under_a_limit_it_is_closed_and_not_locked_and_the_table_has_its_memory() -> None:
    assert asked(65536) == ["False", "True", "0", "False"]


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] != resource.RLIM_INFINITY and os.geteuid() != 0,
    reason="the limit of locked memory cannot be lifted here",
)
def test_without_a_limit_all_of_it_is_locked_what_comes_later_included() -> None:
    try:
        assert asked(resource.RLIM_INFINITY) == ["True", "True", "0", "True"]
    except subprocess.CalledProcessError as refused:
        if "not allowed to raise" not in refused.stderr:
            raise
        pytest.skip("the limit of locked memory cannot be lifted here")


TABLE = """
[table]
name = "Table 7"
rulebook = "onyx-cash"
seats = [1, 2]
[journal]
path = "table.journal"
sealing_key_file = "no.key"
"""
UPLINK = '[uplink]\ntable = "no"\ncertificate = "no"\nkey = "no"\nauthority = "no"\nfloors = ["wss://floor.example"]\n'
FLOOR = '[floor]\ncertificate = "no"\nkey = "no"\nauthority = "no"\ndatabase = "postgresql://no"\n'
PIT = '[pit]\nfloor = "no"\nfolder = "own"\n'
WITNESS = f'[witness]\nfolder = "own"\nsilent_after = 900\n[witness.tables]\n7 = "{"9d" * 32}"\n'


class _SetUp(Exception):  # noqa: N818 - no fault: the process has come so far
    pass


@pytest.mark.parametrize(
    ("module", "settings", "start"),
    [
        (table_process, TABLE, lambda file: table_process.run_table(file, stand_by=False, way_in=TheWayIn())),
        (page_process, TABLE, lambda file: page_process.run_page(file, None)),
        (uplink_process, UPLINK, uplink_process.run_uplink),
        (floor_process, FLOOR, floor_process.run_floor),
        (pit_process, PIT, pit_process.run_pit),
        (witness_process, WITNESS, witness_process.run_witness),
        (witness_process, "", lambda file: witness_process.run_sender(file, "tcp://127.0.0.1:7453", None)),
    ],
    ids=["table", "page", "uplink", "floor", "pit", "witness", "sender"],
)
def test_each_process_sets_itself_up_before_it_opens_a_file_of_keys(
    module: object, settings: str, start: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of the files of keys is there: whoever reads one before fails by it."""

    def set_up() -> None:
        raise _SetUp

    file = tmp_path / "settings.toml"
    file.write_text(settings)
    monkeypatch.setattr(module, "set_up_process", set_up)
    with pytest.raises(_SetUp):
        start(file)


def test_who_keeps_the_record_does_so_too_before_the_key_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept() -> None:
        raise _SetUp

    file = tmp_path / "table.toml"
    file.write_text(TABLE)
    monkeypatch.setattr(memory, "keep_to_itself", kept)
    answer = CliRunner().invoke(cli, ["journal", "keep", str(file)])
    assert isinstance(answer.exception, _SetUp)


COMMAND = """
import ctypes, resource, sys
import feltd.cli
def looked(**_words):
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), int(status["VmLck"].split()[0]) > 5_000)
    print(resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY)
limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, limit))
feltd.cli.cli = looked
feltd.cli.main()
"""
"""Prints what the kernel says as a command begins."""


def test_a_command_at_a_shell_is_closed_before_it_reads_a_key_and_roots_is_locked() -> None:
    told = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=True, env=os.environ)
    closed, locked, lifted = told.stdout.split()
    assert closed == "0"
    if "the memory is not locked" not in told.stderr:  # where the system lets nobody lift the limit it is as it was
        assert locked == lifted


def test_setting_up_closes_the_memory() -> None:
    asked = (
        "import ctypes; from feltd.launcher.process import set_up_process; set_up_process(); "
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, env=os.environ)
    assert told.stdout == "0\n"


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library gives nothing back")
def test_what_was_freed_between_what_is_used_goes_back_to_the_system() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()

    taken = [bytes(20_000) for _ in range(4_000)]
    used = taken[::40]
    taken.clear()
    before = resident()
    memory.give_back()
    assert before - resident() > 40_000_000
    assert len(used) == 100


MAPPED = """\
7f10-7f20 r--p 00000000 08:01 77 /usr/lib/libssl.so
Rss:                   8 kB
Anonymous:             0 kB
Swap:                  0 kB
7f20-7f40 r-xp 00010000 08:01 77 /usr/lib/libssl.so
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f40-7f50 r--p 00030000 08:01 77 /usr/lib/libssl.so
Anonymous:             4 kB
Swap:                  0 kB
7f50-7f60 rw-p 00040000 08:01 77 /usr/lib/libssl.so
Anonymous:             0 kB
Swap:                  0 kB
7f60-7f70 r--p 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
7f70-7f80 r-xp 00000000 00:00 0 [vdso]
Anonymous:             0 kB
Swap:                  0 kB
7f80-7f90 ---p 00050000 08:01 77 /usr/lib/libssl.so
Anonymous:             0 kB
Swap:                  0 kB
7f90-7fa0 r--s 00000000 08:01 78 /opt/a folder/hands.bin (deleted)
Anonymous:             0 kB
Swap:                  0 kB
7fa0-7fb0 r--p 00060000 08:01 77 /usr/lib/libssl.so
Anonymous:             0 kB
Swap:                  4 kB
"""


def test_what_the_linker_has_changed_and_what_may_be_written_is_not_let_go_of() -> None:
    told = mapped.ranges(MAPPED.splitlines())
    ranges = [(one.begin, one.end) for one in told if memory.is_unchanged_file(one)]
    assert ranges == [(0x7F10, 0x7F20), (0x7F20, 0x7F40), (0x7F90, 0x7FA0)]


LET_GO = """
import hashlib, re
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from feltd.table.host import memory
Ed25519PrivateKey.generate().sign(b"")

def of_files():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(status["RssFile"].split()[0])

def bytes_of_all():
    own, told = open("/proc/self/mem", "rb"), hashlib.sha256()
    for line in open("/proc/self/maps"):
        start, end, rights, name = re.match(r"(\\w+)-(\\w+) (\\S+) \\S+ \\S+ \\S+ *(.*)", line).groups()
        if rights[:2] == "r-" and name.startswith("/"):
            own.seek(int(start, 16))
            told.update(own.read(int(end, 16) - int(start, 16)))
    return told.digest()

first, before = bytes_of_all(), of_files()
memory.let_go_of_files()
after = of_files()
Ed25519PrivateKey.generate().sign(b"")
print(before - after, bytes_of_all() == first)
"""
"""Prints how many KiB of files have gone, and whether each byte of them is what it was."""


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="this system does not say what is mapped")
def test_programs_that_a_start_looked_at_are_let_go_of_and_are_as_they_were() -> None:
    told = subprocess.run([sys.executable, "-c", LET_GO], capture_output=True, text=True, check=True, env=os.environ)
    gone, as_it_was = told.stdout.split()
    assert int(gone) > 8_000
    assert as_it_was == "True"


def test_a_system_that_does_not_say_what_is_mapped_is_left_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mapped, "MAPPED", tmp_path / "nowhere")
    memory.let_go_of_files()


def test_files_are_let_go_of_before_what_is_there_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("set_up_logging", "let_go_of_files", "keep_to_itself"):
        monkeypatch.setattr(process, name, partial(done.append, name))
    before = os.umask(0o077)
    try:
        process.set_up_process()
    finally:
        os.umask(before)
    assert done == ["set_up_logging", "let_go_of_files", "keep_to_itself"]


def test_a_library_without_a_way_to_give_back_is_left_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    memory.give_back()
