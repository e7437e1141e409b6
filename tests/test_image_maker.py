"""The maker of a board's image: what it asks of this machine and of the package, and what it has its programs make."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from image import build
from image.build import (
    ARCHITECTURES,
    HERE,
    TOOLS,
    Architecture,
    ImageError,
    check_package,
    check_runs,
    check_tools,
)

GRUB: Final = (HERE / "grub.cfg").read_text(encoding="utf-8")
NAMES: Final = tuple(one.name for one in ARCHITECTURES)


def test_what_is_missing_is_said_all_at_once_by_the_package_that_brings_it(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="sudo apt install") as said:
        check_tools(str(tmp_path), 0)
    assert all(package in str(said.value) for package in TOOLS.values())


def test_only_root_makes_one(tmp_path: Path) -> None:
    for tool in TOOLS:
        (tmp_path / tool).touch()
        (tmp_path / tool).chmod(0o755)
    with pytest.raises(ImageError, match="sudo make image"):
        check_tools(str(tmp_path), 1000)
    check_tools(str(tmp_path), 0)


def test_a_machine_that_runs_no_programs_of_the_boards_is_told_what_it_wants(tmp_path: Path) -> None:
    program = tmp_path / "arch-test"
    program.write_text('#!/bin/sh\n[ "$1" = amd64 ]\n', encoding="ascii")
    program.chmod(0o755)
    amd64, arm64 = ARCHITECTURES
    check_runs(amd64, str(tmp_path))
    with pytest.raises(ImageError, match=r"no programs of arm64.*sudo apt install qemu-user-static"):
        check_runs(arm64, str(tmp_path))


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not here")
def test_another_package_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no such file"):
        check_package(tmp_path / "feltd.deb")
    (tmp_path / "feltd.deb").write_text("text")
    with pytest.raises(ImageError, match="no Debian package"):
        check_package(tmp_path / "feltd.deb")
    for name in (*NAMES, "riscv64"):
        tree = tmp_path / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN").chmod(0o755)
        told = f"Package: feltd\nVersion: 1\nArchitecture: {name}\nMaintainer: x <x@x.example>\nDescription: x\n"
        (tree / "DEBIAN/control").write_text(told, encoding="ascii")
        subprocess.run(["dpkg-deb", "--build", tree, f"{tree}.deb"], check=True, capture_output=True)
    for architecture in ARCHITECTURES:
        assert check_package(tmp_path / f"{architecture.name}.deb") == architecture
    with pytest.raises(ImageError, match="feltd for riscv64, and an image wants feltd for amd64 or arm64"):
        check_package(tmp_path / "riscv64.deb")


ALONE: Final = 'shift 2\nexec "$@"\n'
"""What `unshare --mount --` goes on with; only root may have mounts of its own."""


def test_a_program_that_fails_is_named_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "check_tools", lambda: None)
    monkeypatch.setattr(build, "check_package", lambda _: ARCHITECTURES[0])
    monkeypatch.setattr(build, "check_runs", lambda _: None)
    tool = tmp_path / "mmdebstrap"
    tool.write_text("#!/bin/sh\necho no mirror >&2\nexit 3\n", encoding="ascii")
    tool.chmod(0o755)
    alone = tmp_path / "unshare"
    alone.write_text(f"#!/bin/sh\n{ALONE}", encoding="ascii")
    alone.chmod(0o755)
    monkeypatch.setattr(build, "_PATH", f"{tmp_path}:/usr/bin:/bin")
    assert build.main(["--package", str(tmp_path / "feltd.deb"), "--into", str(tmp_path / "dist")]) == 1
    assert capsys.readouterr().err == "image: mmdebstrap ended with 3: no mirror\n"
    assert list((tmp_path / "dist").iterdir()) == []


PLAYED: Final = {
    "unshare": f'echo "$1" >>SAID\n{ALONE}',
    "mmdebstrap": """
for root in "$@"; do :; done
printf "%s\\n" "$@" >>SAID
mkdir "$root"
echo GRUB >"$root/loader.efi"
""",
    "genimage": """
for word in "$@"; do
    case $word in
        --inputpath=*) given=${word#*=} ;;
        --outputpath=*) made=${word#*=} ;;
    esac
done
mkdir "$made"
cat "$given/loader.efi" "$given/grub.cfg" >"$made/feltd.img"
echo "$LOADER" >>SAID
echo system >"$made/root.ext4"
""",
}
"""The two makers, as far as the build goes on with what they leave."""


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda one: one.name)
def test_each_architecture_has_its_own_kernel_loader_and_serial_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: Architecture
) -> None:
    said = tmp_path / "said"
    for name, does in PLAYED.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{does.replace('SAID', str(said))}\n", encoding="ascii")
        program.chmod(0o755)
    monkeypatch.setattr(build, "check_tools", lambda: None)
    monkeypatch.setattr(build, "check_package", lambda _: architecture)
    monkeypatch.setattr(build, "check_runs", lambda _: None)
    monkeypatch.setattr(build, "_PATH", f"{tmp_path}:/usr/bin:/bin")
    file = build.build(tmp_path / f"feltd_1.2.3_{architecture.name}.deb", tmp_path / "dist", 0)
    assert file.name == f"feltd_1.2.3_{architecture.name}.img"
    assert file.read_text(encoding="utf-8") == f"GRUB\n{GRUB}"
    assert file.with_suffix(".system").read_text(encoding="ascii") == "system\n"
    told = said.read_text(encoding="ascii")
    assert told.startswith("--mount\n"), "who is killed must leave no file system of the kernel mounted"
    assert f"--architectures={architecture.name}\n" in told
    assert f",linux-image-{architecture.name}," in told
    assert f" {architecture.serial} {architecture.grub} 'part_gpt " in told
    assert told.endswith(f"\n{architecture.loader}\n")
    assert sorted(path.name for path in (tmp_path / "dist").iterdir()) == sorted({file.name, f"{file.stem}.system"})
