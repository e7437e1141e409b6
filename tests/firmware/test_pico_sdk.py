"""The port to the Pico's SDK: compiled against headers that declare what it calls, so that it cannot rot unseen."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.support import FIRMWARE
from tests.firmware.test_c import can_build

PORT = FIRMWARE / "c" / "boards" / "pico"
SDK = Path(__file__).with_name("pico_sdk")
FLAGS = (
    "-std=c11", "-Os", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-DOUTBOX_CAPACITY=200",
    f"-I{SDK}", f"-I{FIRMWARE / 'c'}",
)  # fmt: skip
CMAKE = (PORT / "CMakeLists.txt").read_text()
SETTINGS = PORT / "settings.py"

pytestmark = pytest.mark.skipif(not can_build(), reason="no C compiler with libsodium: see .ci/run")


def sources(role: str) -> list[Path]:
    """The files that the port's own build makes a role's board of."""
    lists = {name: files.split() for name, files in re.findall(r"set\((\w+) ([^)]*)\)", CMAKE)}
    return [(PORT / file).resolve() for file in (*lists["COMMON"], *lists[role])]


@pytest.mark.parametrize("role", ["READER", "SHOE"])
def test_a_board_is_whole_and_calls_nothing_that_is_not_there(role: str, tmp_path: Path) -> None:
    done = subprocess.run(
        ["cc", *FLAGS, *map(str, sources(role)), "-o", str(tmp_path / role), "-lsodium"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="no compiler for a Cortex-M: see .ci/run")
@pytest.mark.parametrize("role", ["READER", "SHOE"])
def test_the_port_compiles_for_the_pico_s_processor(role: str, tmp_path: Path) -> None:
    (tmp_path / "sodium.h").write_text(
        "#include <stddef.h>\n#define crypto_hash_sha256_BYTES 32U\n"
        "int crypto_hash_sha256(unsigned char *, const unsigned char *, unsigned long long);\n"
        "void sodium_memzero(void *, size_t);\n"
    )
    for source in sources(role):
        if source.parent == PORT:
            done = subprocess.run(
                ["arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", *FLAGS, f"-I{tmp_path}", "-c", "-o",
                 str(tmp_path / "out.o"), str(source)],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr


def test_the_settings_that_the_tool_writes_are_those_that_the_board_reads(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(bytes(range(32)))
    out = tmp_path / "settings.bin"
    zones = ["seat:1", "seat:10", "board2:5=up"]
    subprocess.run([sys.executable, str(SETTINGS), str(tmp_path / "key"), "SN-R1", str(out), *zones], check=True)
    assert (out.stat().st_size, out.stat().st_mode & 0o777) == (4096, 0o600)
    probe = tmp_path / "probe.c"
    probe.write_text(
        '#include "boards/pico/board_pico.h"\n#include <stdio.h>\nint main(void) { struct pico_settings s;\n'
        "if (fread(&s, sizeof s, 1, stdin) != 1) return 1;\n"
        'printf("%d %d %s %u %u", s.mark == SETTINGS_MARK, s.key[31], s.serial, s.zones, s.face_up);\n'
        'for (int i = 0; i < s.zones; i++) printf(" %s", s.zone[i]);\nreturn 0; }\n'
    )
    subprocess.run(["cc", *FLAGS, str(probe), "-o", str(tmp_path / "probe")], check=True)
    read = subprocess.run([tmp_path / "probe"], input=out.read_bytes(), capture_output=True, check=True)
    assert read.stdout.decode() == "1 31 SN-R1 3 4 seat:1 seat:10 board2:5"


@pytest.mark.parametrize(
    ("key", "serial", "zones", "words"),
    [
        (31, "SN-R1", [], "the key has 31 bytes, not 32"),
        (32, "x" * 33, [], "one to 32 printable"),
        (32, "SN-R1", ["seat:1", "seat:1=up"], "each once"),
        (32, "SN-R1", ["a-long-name"], "is no zone"),
    ],
)
def test_settings_that_no_board_could_read_are_refused(
    tmp_path: Path, key: int, serial: str, zones: list[str], words: str
) -> None:
    (tmp_path / "key").write_bytes(bytes(range(key)))
    out = tmp_path / "settings.bin"
    done = subprocess.run(
        [sys.executable, str(SETTINGS), str(tmp_path / "key"), serial, str(out), *zones],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert not out.exists()
