"""The fuzzer of the firmware in C that coverage leads: what it kept is taken, and it finds what there is to find."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.firmware.test_c import can_build, has_sanitizers, make
from tests.fuzz.c import Led, fuzz_by_chance, fuzz_led

KEPT = sorted(Led(Path()).kept.iterdir())
needs_compiler = pytest.mark.skipif(not can_build(), reason="no C compiler with libsodium: see .ci/compiler")
needs_clang = pytest.mark.skipif(shutil.which("clang-14") is None, reason="no clang with libFuzzer: see .ci/clang")
CHECKED = "CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"


def player(folder: Path, *more: str) -> Path:
    checked = (CHECKED, "LDFLAGS=") if has_sanitizers() else ()
    return make(f"{folder}/fuzz_play", folder, "CAPACITY=64", *checked, *more) / "fuzz_play"


@pytest.mark.slow
@needs_compiler
def test_what_was_kept_is_taken_with_every_check_of_the_compiler(tmp_path: Path) -> None:
    assert len(KEPT) > 50
    done = subprocess.run([player(tmp_path), *KEPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{len(KEPT)} inputs\n"), done.stderr[-2000:]


@pytest.mark.slow
@needs_compiler
def test_a_kept_input_that_does_not_hold_ends_the_player(tmp_path: Path) -> None:
    program = player(tmp_path, "MORE=-DPLANTED")
    (tmp_path / "bad").write_bytes(b"\x03felt")
    done = subprocess.run([program, *KEPT[:2], tmp_path / "bad"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "does not hold: what the tests have planted" in done.stderr


@pytest.mark.slow
@needs_compiler
@needs_clang
def test_it_finds_four_bytes_that_chance_would_not_and_keeps_the_input(tmp_path: Path) -> None:
    """One input in four thousand million has them: it is led there byte by byte."""
    built = make("led", tmp_path, "MORE=-DPLANTED")
    kept = tmp_path / "kept"
    ran = fuzz_led(Led(built / "fuzz_led", kept), 600, 7)
    assert ran.found
    assert "does not hold: what the tests have planted" in ran.words
    [finding] = kept.iterdir()
    assert finding.read_bytes()[1:5] == b"felt"
    assert f"kept as {finding}" in ran.words


def program(folder: Path, script: str) -> Path:
    file = folder / "program"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_a_run_without_a_finding_says_how_many_inputs_it_took(tmp_path: Path) -> None:
    quiet = program(tmp_path, "echo 'stat::number_of_executed_units: 4711' >&2")
    ran = fuzz_led(Led(quiet, tmp_path / "kept"), 1, 7)
    assert (ran.found, ran.words.split(" in ")[0]) == (False, "4711 inputs")
    assert fuzz_by_chance(quiet, 0.0, 7).words.startswith("0 inputs")


def test_a_program_that_ends_early_is_a_finding_with_what_it_said(tmp_path: Path) -> None:
    loud = program(tmp_path, "echo 'AddressSanitizer: stack-overflow' >&2; exit 77")
    for ran in (fuzz_led(Led(loud, tmp_path / "kept"), 1, 7), fuzz_by_chance(loud, 9.0, 7)):
        assert ran.found
        assert "AddressSanitizer: stack-overflow" in ran.words
