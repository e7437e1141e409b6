"""Updates in the image's definition: systems, boot loader, RAUC and units fit together and fit feltd's own words."""

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Final

import pytest

from feltd.update.board import BOOT_BLOCK, FETCHED, GOOD_MARK, IDENTITY, TRIAL_WORD
from feltd.update.boot_block import SYSTEMS, BootBlock
from feltd.update.bundles import Bundle
from feltd.update.health import PATIENCE_SECONDS, UNITS
from image import build, bundle
from image.build import HERE, ImageError

ROOT: Final = HERE / "root"
UNITS_FOLDER: Final = ROOT / "etc/systemd/system"
GRUB: Final = (HERE / "grub.cfg").read_text(encoding="utf-8")
START: Final = (HERE / "start.cfg").read_text(encoding="utf-8")
GENIMAGE: Final = (HERE / "genimage.cfg").read_text(encoding="utf-8")
CUSTOMIZE: Final = (HERE / "customize.sh").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rauc() -> ConfigParser:
    parser = ConfigParser(interpolation=None)
    parser.read(ROOT / "etc/rauc/system.conf", encoding="utf-8")
    return parser


def unit(name: str) -> str:
    return (UNITS_FOLDER / name).read_text(encoding="utf-8")


# -- two systems


def test_grub_rauc_and_disk_have_the_same_two_systems(rauc: ConfigParser) -> None:
    order = re.findall(r"^\tpartition (\S+) \{$", GENIMAGE, re.M)
    slots = [rauc[name] for name in rauc.sections() if name.startswith("slot.")]
    assert tuple(slot["bootname"] for slot in slots) == SYSTEMS
    names = [slot["device"].removeprefix("/dev/disk/by-partlabel/") for slot in slots]
    for name in names:
        [number] = re.findall(rf"gpt(\d)\n\s+set place={name}\n", GRUB)
        assert order[int(number) - 1] == name, "GRUB starts another partition"
    assert re.findall(r'= "(\w)" \]; then\n\s+set root=\S+\n\s+set place=(\S+)', GRUB) == [("B", names[1])]
    assert "rauc.slot=$system $word " in START
    assert "root=PARTLABEL=$place " in START


def test_no_label_of_a_system_is_asked_for_since_both_have_it() -> None:
    assert "LABEL=feltd" not in (GRUB + START).replace("PARTLABEL", "")
    assert "search" not in build.GRUB_MODULES
    assert all(f"{word}" in build.GRUB_MODULES for word in ("loadenv", "regexp", "test"))


def test_a_new_board_starts_its_first_system_and_tries_none() -> None:
    assert BootBlock.parse(build.BOOT_BLOCK.encode("ascii")) == BootBlock("A")
    assert f'file {BOOT_BLOCK.removeprefix("boot/efi/")} {{ image = "grubenv" }}' in GENIMAGE


def test_grub_writes_the_trial_off_before_it_starts_it() -> None:
    trial = GRUB[GRUB.index('if [ -n "$TRIAL" ]') :]
    assert trial.index("set TRIAL=") < trial.index("if save_env TRIAL") < trial.index(f"start $tried {TRIAL_WORD}")
    assert trial.index("start $tried") < trial.index("start $PROVEN")
    assert GRUB.count("save_env") == 1, "an ordinary start writes nothing"


@pytest.mark.skipif(shutil.which("grub-script-check") is None, reason="grub-script-check is not here: grub-common")
def test_grub_can_read_its_file() -> None:
    for name in ("grub.cfg", "start.cfg"):
        subprocess.run(["grub-script-check", HERE / name], check=True)


def test_how_a_kernel_is_started_comes_with_its_system_and_a_file_that_cannot_be_read_is_followed_by_the_other() -> (
    None
):
    [read] = re.findall(r"^    source (\S+)$", GRUB, re.M)
    assert f'>"$factory/{Path(read).name}"' in CUSTOMIZE
    assert f"/{IDENTITY}".startswith(f"{Path(read).parent}/"), "in the system's own folder"
    assert re.search(r"^\s*(if )?linux ", GRUB, re.M) is None, "no update writes that file"
    assert {"configfile", "linux", "ext2"} <= set(build.GRUB_MODULES)
    assert 'features = "^metadata_csum_seed,^orphan_file"' in GENIMAGE, "an older GRUB reads no update's file system"
    taken = set(re.findall(r"\$(\w+)", "".join(line for line in START.splitlines() if not line.startswith("#"))))
    set_before = set(re.findall(r"^\s*set (\w+)=", GRUB, re.M))
    assert taken == {"place", "system", "word", "board"} <= set_before, "an older file on the boot partition sets those"


@pytest.mark.skipif(shutil.which("grub-editenv") is None, reason="grub-editenv is not here: grub-common")
def test_grub_reads_feltds_block_and_feltd_grubs(tmp_path: Path) -> None:
    file = tmp_path / "grubenv"
    file.write_bytes(BootBlock("B", "A").to_bytes())
    said = subprocess.run(["grub-editenv", file, "list"], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["PROVEN=B", "TRIAL=A"]
    subprocess.run(["grub-editenv", file, "set", "TRIAL="], check=True)
    assert BootBlock.parse(file.read_bytes()) == BootBlock("B")


# -- RAUC


def test_rauc_asks_feltd_what_starts_and_what_may_be_written(rauc: ConfigParser) -> None:
    assert rauc["system"]["bootloader"] == "custom"
    assert rauc["system"]["bundle-formats"] == "verity", "a plain bundle is read twice, and may change in between"
    assert rauc["system"]["statusfile"].startswith(f"/{FETCHED}/")
    for handler, word in (("bootloader-custom-backend", "system"), ("pre-install", "allowed")):
        script = ROOT / rauc["handlers"][handler].strip("/")
        assert f"feltd update {word} " in script.read_text(encoding="utf-8")
        assert script.stat().st_mode & 0o111
    assert rauc["keyring"]["path"] == "/etc/feltd/update.pem", "where an owner's files go"


def test_image_bundle_and_rauc_name_the_same_kind_of_board(rauc: ConfigParser) -> None:
    told = Bundle.from_manifest(bundle.manifest("0.9.1", "arm64"))
    assert told == Bundle(rauc["system"]["compatible"].replace("ARCHITECTURE", "arm64"), "0.9.1")
    assert f'>"$root/{IDENTITY}"' in CUSTOMIZE
    assert {"rauc", "rauc-service"} <= set(build.packages("arm64"))


# -- the trial


def test_a_trial_ends_by_itself_and_only_where_nobody_called_it_good() -> None:
    good, over, clock = (unit(f"feltd-update-{name}") for name in ("good.service", "trial.service", "trial.timer"))
    for each in (good, over, clock):
        assert f"ConditionKernelCommandLine={TRIAL_WORD}\n" in each
    assert "OnFailure=feltd-update-trial.service" in good
    assert f"After={' '.join(UNITS)}\n" in good
    assert f"ConditionPathExists=!/{GOOD_MARK}\n" in over
    [minutes] = re.findall(r"^OnBootSec=(\d+)min$", clock, re.M)
    assert int(minutes) * 60 > PATIENCE_SECONDS + 120, "a system that is about to be good would be taken back"


def test_nothing_is_fetched_while_a_system_is_on_trial_and_nothing_starts_the_board_by_itself() -> None:
    service = unit("feltd-update.service")
    assert f"ConditionKernelCommandLine=!{TRIAL_WORD}\n" in service
    assert "ConditionPathExists=/etc/feltd/update.url\n" in service
    assert "reboot" not in service + unit("feltd-update.timer")


def test_the_units_of_updates_are_enabled() -> None:
    [enabled] = re.findall(r"enable (.*?)\n(?!\s)", CUSTOMIZE, re.S)
    wanted = {file.name for file in UNITS_FOLDER.glob("feltd-update*") if "[Install]" in file.read_text("utf-8")}
    assert wanted == {"feltd-update-good.service", "feltd-update-trial.timer", "feltd-update.timer"}
    assert wanted <= set(enabled.split())


# -- the maker of bundles


def test_what_a_bundle_cannot_be_made_of_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "check_tools", lambda: None)
    system, key = tmp_path / "feltd_0.9.0_amd64.system", tmp_path / "update.key"
    with pytest.raises(ImageError, match=r"give the file feltd_VERSION_ARCHITECTURE\.system"):
        bundle.make_bundle(tmp_path / "feltd_0.9.0_amd64.img", key, key, tmp_path)
    with pytest.raises(ImageError, match=r"give the file feltd_VERSION_ARCHITECTURE\.system"):
        bundle.make_bundle(system, key, key, tmp_path)
    system.write_bytes(b"a system")
    with pytest.raises(ImageError, match=r"update\.key: there is no such file"):
        bundle.make_bundle(system, key, key, tmp_path)


def test_a_program_that_is_missing_is_named_by_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ImageError, match="sudo apt install rauc squashfs-tools"):
        bundle.check_tools()


def test_what_rauc_is_told_to_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bundle, "check_tools", lambda: None)
    monkeypatch.setattr(build, "_PATH", f"{tmp_path}:/bin:/usr/bin")
    rauc = tmp_path / "rauc"
    rauc.write_text(
        '#!/bin/sh\ncat "$5/manifest.raucm" "$5/root.ext4" "${1#--cert=}" "${2#--key=}" >"$6"\n'
        'echo "$3" >>"$6"\n', "ascii",
    )  # fmt: skip
    rauc.chmod(0o755)
    for name in ("feltd_0.9.0_amd64.system", "c.pem", "k.pem"):
        (tmp_path / name).write_text(f"{name}\n", encoding="ascii")
    given = ["--system", str(tmp_path / "feltd_0.9.0_amd64.system"), "--into", str(tmp_path / "dist")]
    assert bundle.main([*given, "--certificate", str(tmp_path / "c.pem"), "--key", str(tmp_path / "k.pem")]) == 0
    [made] = (tmp_path / "dist").iterdir()
    assert capsys.readouterr().out == f"{made}\n"
    assert made.name == "feltd_0.9.0_amd64.raucb"
    said = bundle.manifest("0.9.0", "amd64") + "feltd_0.9.0_amd64.system\nc.pem\nk.pem\n"
    said += "--mksquashfs-args=-comp zstd -Xcompression-level 9\n"
    assert made.read_text(encoding="ascii") == said
    assert bundle.main([*given, "--certificate", str(tmp_path / "none"), "--key", str(tmp_path / "k.pem")]) == 1
    assert "docs/image.md says how" in capsys.readouterr().err
