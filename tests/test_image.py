"""The definition of a board's image, without making one: what is in it fits together, and no secret is in it."""

import re
import shutil
import subprocess
from ipaddress import ip_network
from pathlib import Path
from typing import Final

import pytest

from feltd.page.certificate import MADE, certificate_for
from feltd.table.config.config import read_config
from image.build import HERE, packages
from image.first_boot import FOLDERS
from tests.bench.card import BLOCK_BYTES

ROOT: Final = HERE / "root"
GENIMAGE: Final = (HERE / "genimage.cfg").read_text(encoding="utf-8")
GRUB: Final = (HERE / "grub.cfg").read_text(encoding="utf-8")
START: Final = (HERE / "start.cfg").read_text(encoding="utf-8")
CUSTOMIZE: Final = (HERE / "customize.sh").read_text(encoding="utf-8")
CARD_MIB: Final = 7 * 1024
"""What a card sold as 8 GB has at least."""


def sections(kind: str) -> dict[str, str]:
    """The sections of genimage.cfg of a kind, `image` or `partition`, by name."""
    found = re.findall(rf"^(\t?){kind} (\S+) \{{\n(.*?)^\1\}}$", GENIMAGE, re.M | re.S)
    return {name: body for _, name, body in found}


def mebibytes(body: str) -> int:
    [size] = re.findall(r"^\t+size = (\d+)M$", body, re.M)
    return int(size)


def fstab() -> list[list[str]]:
    lines = (ROOT / "etc/fstab").read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


# -- the disk


def test_the_partitions_fit_a_card_and_both_systems_have_the_same_room() -> None:
    images, partitions = sections("image"), sections("partition")
    assert list(partitions) == ["boot", "root-a", "root-b", "data"], "the last one grows"
    sizes = {
        name: mebibytes(images[found[1]] if (found := re.search(r'image = "(\S+)"', body)) else body)
        for name, body in partitions.items()
    }
    assert sizes["root-a"] == sizes["root-b"]
    assert sum(sizes.values()) < CARD_MIB
    assert "align = 1M" in images["feltd.img"], "a card writes whole blocks"


def test_the_one_partition_that_grows_is_the_last_one() -> None:
    kinds = re.findall(r'partition-type-uuid = "(\S+)"', GENIMAGE)
    [grows] = re.findall(r"^Type=(\S+)$", (ROOT / "etc/repart.d/50-data.conf").read_text(encoding="utf-8"), re.M)
    assert kinds[-1] == grows
    assert kinds.count(grows) == 1


def test_what_is_mounted_has_the_label_that_the_disk_is_made_with() -> None:
    made = {*re.findall(r'label = "(\S+)"', GENIMAGE), *re.findall(r'extraargs = "-n (\S+)"', GENIMAGE)}
    wanted = {source.removeprefix("LABEL=") for source, *_ in fstab() if source.startswith("LABEL=")}
    assert wanted == made - {"feltd-root"}, "both systems have that one: they go by their partitions' names"
    assert all(len(label) <= 11 for label in made), "FAT has room for so much"


# -- what is written


def test_the_system_is_read_only() -> None:
    assert " ro " in START
    assert not any(place == "/" for _, place, *_ in fstab())


def test_nothing_that_may_be_written_starts_a_program() -> None:
    for _, place, kind, options, *_ in fstab():
        if kind != "none":  # a bind has its source's options
            assert {"nodev", "nosuid"} <= set(options.split(",")), place
        if kind in {"ext4", "vfat"}:
            assert "noexec" in options.split(","), place


def test_a_disk_that_met_a_fault_is_written_to_no_more_here_and_by_the_install_guide() -> None:
    guide = (HERE.parent / "docs/install.md").read_text(encoding="utf-8")
    told = re.findall(r"^\S+ +(/\S*) +ext4 +(\S+)", guide, re.M)
    assert {place for place, _ in told} == {"/", "/var/lib/feltd"}
    ours = [(place, options) for _, place, kind, options, *_ in fstab() if kind == "ext4"]
    assert [place for place, _ in ours] == ["/data"]
    for place, options in (*told, *ours):
        assert "errors=remount-ro" in options.split(","), place


def test_each_place_that_the_install_guide_has_in_memory_is_there() -> None:
    guide = (HERE.parent / "docs/install.md").read_text(encoding="utf-8")
    wanted = set(re.findall(r"^tmpfs +(/\S+) +tmpfs", guide, re.M))
    assert wanted == {place for _, place, kind, *_ in fstab() if kind == "tmpfs"}


def test_each_folder_of_the_data_partition_is_made_and_laid_in_its_place() -> None:
    bound = {source.removeprefix("/data/"): place for source, place, kind, *_ in fstab() if kind == "none"}
    assert bound == {place.strip("/").replace("/", "-"): place for place in bound.values()}
    [kept] = re.findall(r"^for path in (.*); do$", CUSTOMIZE, re.M)
    assert {f"/{path}" for path in FOLDERS} == set(bound.values())
    assert {f"/{path}" for path in kept.split()} == set(bound.values())


# -- who gets in


def test_nobody_comes_in_by_the_network_and_no_tool_to_build_with_is_there() -> None:
    assert not [name for name in packages("arm64") if re.search(r"ssh|telnet|vnc|gcc|build-essential|-dev$|pip", name)]
    assert {"chrony", "usbguard"} <= set(packages("arm64"))
    assert "ssh" not in "".join(re.findall(r"enable (.*?)\n(?!\s)", CUSTOMIZE, re.S))
    assert len(packages("arm64")) == len(set(packages("arm64")))


def test_usb_storage_is_refused_twice() -> None:
    [refused] = re.findall(r" module_blacklist=(\S+)", START)
    assert {"usb_storage", "uas"} < set(refused.split(","))
    rules = (ROOT / "usr/lib/feltd-image/usbguard.rules").read_text(encoding="utf-8").splitlines()
    said = [line for line in rules if line and not line.startswith("#")]
    assert said == ["allow with-interface one-of { 09:00:* }", "block"]


def test_a_start_mends_the_data_partition_without_asking_anybody() -> None:
    """A start that only looks gives up on a superblock that a power cut tore: nobody is at the board to be asked."""
    [line] = [line for line in (ROOT / "etc/fstab").read_text(encoding="utf-8").splitlines() if " /data " in line]
    assert line.split()[5] != "0", "it is not looked at"
    assert "fsck.repair=yes" in START.split()


def test_the_units_that_start_are_feltds_and_those_of_the_packages() -> None:
    ours = re.findall(r"\b(felt\S+\.(?:service|timer))", CUSTOMIZE)
    assert ours[:4] == ["felt-table.service", "felt-page.service", "felt-uplink.service", "feltd-record.timer"]
    for unit in ours[:4]:
        assert (HERE.parent / "systemd" / unit).is_file()
    for unit in ours[4:]:
        assert (ROOT / "etc/systemd/system" / unit).is_file()


def test_no_secret_is_in_the_definition_and_what_the_build_makes_is_taken_out() -> None:
    for file in (path for path in HERE.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        text = file.read_text(encoding="utf-8")
        assert re.search(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----", text) is None, file
        assert re.search(r"\b[0-9a-f]{64}\b", text) is None, file
        assert file.suffix not in {".key", ".pem", ".crt"}, file
    for secret in ("etc/feltd/keys/journal.key", "etc/machine-id", "etc/ssh/ssh_host_", "random-seed"):
        assert secret in CUSTOMIZE


def test_what_stands_for_the_architecture_is_put_in_by_the_build() -> None:
    rauc = (ROOT / "etc/rauc/system.conf").read_text(encoding="utf-8")
    assert 's/ARCHITECTURE/$architecture/" "$root/etc/rauc/system.conf"' in CUSTOMIZE
    assert 's/SERIAL/$4/" "$3/start.cfg" >"$factory/start.cfg"' in CUSTOMIZE
    for text, word in ((rauc, "ARCHITECTURE"), (START, "SERIAL")):
        assert text.count(word) == 1


@pytest.mark.skipif(shutil.which("sed") is None, reason="sed is not here")
def test_each_user_of_the_package_has_a_number_that_stays_in_each_system() -> None:
    """The data partition has owners by number: in an update's system they must mean the same users."""
    package = HERE.parent / "systemd/feltd.sysusers"
    done = subprocess.run(["sed", "-f", HERE / "users.sed", package], check=True, capture_output=True, text=True)
    numbers = dict(re.findall(r"^u (\S+) (\S+)", done.stdout, re.M))
    assert numbers == {
        "feltd": "820", "feltd-page": "821", "feltd-uplink": "822", "feltd-floor": "823", "feltd-pit": "824",
        "feltd-witness": "825",
    }  # fmt: skip
    made, installed = (
        CUSTOMIZE.index('-f "$3/users.sed" | chroot "$root" systemd-sysusers -'),
        CUSTOMIZE.index("apt-get"),
    )
    assert made < installed, "the package's own installation would give each the next free number"


HOUSE: Final = "IPAddressAllow=10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 link-local"


def drop_in(unit: str) -> str:
    return (ROOT / f"etc/systemd/system/{unit}.service.d/30-image.conf").read_text(encoding="utf-8")


@pytest.mark.parametrize("unit", ["felt-uplink", "felt-page"])
def test_the_uplink_and_the_page_reach_the_house_alone(unit: str) -> None:
    told = drop_in(unit)
    [allowed] = [line for line in told.splitlines() if line.startswith("IPAddressAllow=")]
    assert allowed == HOUSE
    networks = allowed.removeprefix("IPAddressAllow=").split()
    assert all(one == "link-local" or ip_network(one).is_private for one in networks)


def test_the_clocks_drift_is_given_to_the_clock_at_each_start() -> None:
    told = (ROOT / "etc/tmpfiles.d/feltd-image.conf").read_text(encoding="utf-8")
    assert "\nZ /var/lib/chrony - _chrony _chrony -\n" in told
    others = {place for place in FOLDERS if not re.search("feltd", place)}
    assert others == {"var/lib/chrony"}, "what else is not feltd's needs its line too"


def test_the_owners_networks_take_the_place_of_the_houses(tmp_path: Path) -> None:
    (tmp_path / "systemctl").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="ascii")
    (tmp_path / "systemctl").chmod(0o755)
    named = tmp_path / "page.networks"
    named.write_text("# the pit\n192.168.20.0/24 # by day\n\nfd00:7::/64\n10.1.2.3\n", encoding="ascii")
    done = subprocess.run(
        ["sh", ROOT / "usr/lib/feltd-image/page-networks", named],
        check=True, capture_output=True, text=True, env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.split() == [
        "set-property", "--runtime", "felt-page.service", "IPAddressAllow=", "IPAddressAllow=localhost",
        "IPAddressAllow=192.168.20.0/24", "IPAddressAllow=fd00:7::/64", "IPAddressAllow=10.1.2.3",
    ]  # fmt: skip
    unit = (ROOT / "etc/systemd/system/feltd-page-networks.service").read_text(encoding="utf-8")
    assert "\nConditionPathExists=/etc/feltd/page.networks\n" in unit
    assert "\nRequires=feltd-page-networks.service\n" in drop_in("felt-page")


def test_a_card_that_is_slow_to_show_itself_leaves_no_board_in_emergency_mode() -> None:
    asked = {line[0]: line[3].split(",") for line in fstab() if line[0].startswith("LABEL=")}
    assert len(asked) == 2
    assert all("x-systemd.device-timeout=10min" in options for options in asked.values())


def test_the_kernel_writes_no_memory_to_the_card_each_half_minute_that_a_start_makes_anew() -> None:
    told = (ROOT / "etc/sysctl.d/50-feltd.conf").read_text(encoding="utf-8")
    [hundredths] = re.findall(r"^vm\.dirty_expire_centisecs = (\d+)$", told, re.M)
    assert int(hundredths) >= 100 * 3600


class Screens:
    """The board's script of the fingerprint, with a certificate of the page in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.shown, self.settings = folder, folder / "page.issue", folder / "table.toml"
        own = certificate_for("192.168.20.1", None, None, folder)
        assert own is not None
        self.own = own
        self.settings.write_text('[page]\nhost = "192.168.20.1"\n', encoding="utf-8")
        self._program("agetty", f'echo "$@" >>{folder}/told')
        self._program(
            "setpriv",
            f'echo "$@" >>{folder}/as\nwhile [ "${{1#--}}" != "$1" ]; do shift; done\nOF_THE_PAGE=yes exec "$@"',
        )
        self._program("openssl", '[ "${OF_THE_PAGE:-}" ] || exit 9\nexec /usr/bin/openssl "$@"')

    def _program(self, name: str, does: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{does}\n", encoding="ascii")
        (self.folder / name).chmod(0o755)

    def show(self, certificate: Path | None = None) -> int:
        (self.folder / "told").unlink(missing_ok=True)
        script = ROOT / "usr/lib/feltd-image/page-fingerprint"
        ways = {"PATH": f"{self.folder}:/usr/bin:/bin"}
        asked: list[str | Path] = ["sh", script, certificate or self.own.file, self.shown, self.settings]
        done = subprocess.run(asked, check=False, capture_output=True, env=ways)
        assert (self.folder / "told").read_text(encoding="ascii") == "--reload\n"
        return done.returncode


def test_the_screens_show_the_fingerprint_of_the_certificate_that_the_page_has_made(tmp_path: Path) -> None:
    screens = Screens(tmp_path)
    assert screens.show() == 0
    assert screens.own.fingerprint in screens.shown.read_text(encoding="ascii").splitlines()
    for asked in (tmp_path / "as").read_text(encoding="utf-8").splitlines():
        assert asked.startswith("--reuid=feltd-page --regid=feltd-page --clear-groups "), (
            "root reads nothing of the page's"
        )


def test_no_fingerprint_of_before_stays_on_the_screens(tmp_path: Path) -> None:
    screens = Screens(tmp_path)
    bad, none = tmp_path / "bad.pem", tmp_path / "none.pem"
    bad.write_bytes(b"no certificate")
    for certificate, ends in ((bad, 1), (none, 0)):
        assert screens.show() == 0
        assert screens.show(certificate) == ends
        assert not screens.shown.exists()
    screens.show()
    screens.settings.write_text('[page]\ncertificate = "page.pem"\n', encoding="utf-8")
    assert screens.show() == 0
    assert not screens.shown.exists(), "browsers see the owner's"


def test_the_fingerprint_is_looked_for_where_the_page_keeps_its_certificate() -> None:
    place = f"/var/lib/feltd/page/{MADE}"
    assert f":-{place}}}" in (ROOT / "usr/lib/feltd-image/page-fingerprint").read_text(encoding="utf-8")
    units = ROOT / "etc/systemd/system"
    watched = (units / "feltd-page-fingerprint.path").read_text(encoding="utf-8")
    assert re.findall(r"^PathChanged=(\S+)$", watched, re.M) == [place, "/etc/feltd/table.toml"]
    assert "feltd-page-fingerprint.service feltd-page-fingerprint.path\n" in CUSTOMIZE, "both start with the board"
    assert "openssl" in packages("arm64")
    [shown] = re.findall(r"^ln -s (\S+) \"\$root/etc/issue\.d/\S+\.issue\"$", CUSTOMIZE, re.M)
    assert f":-{shown}}}" in (ROOT / "usr/lib/feltd-image/page-fingerprint").read_text(encoding="utf-8")


def test_what_a_board_says_is_on_its_screen() -> None:
    assert re.findall(r" console=(\S+)", START) == ["SERIAL", "tty0"], "the console's words are on the last one alone"


def test_the_uplink_runs_where_its_owner_has_given_it_a_file() -> None:
    assert "\nConditionPathExists=/etc/feltd/uplink/uplink.toml\n" in drop_in("felt-uplink")


def test_the_page_listens_on_loopback_where_its_owner_names_no_address_and_elsewhere_by_tls(tmp_path: Path) -> None:
    given = (HERE.parent / "debian/table.toml").read_text(encoding="utf-8")
    for text, host, speaks_tls in (
        (given, "127.0.0.1", False),
        (given.replace('host = "127.0.0.1"', 'host = "192.168.20.1"'), "192.168.20.1", True),
    ):
        config = read_config(text, "table.toml", Path("/etc/feltd"))
        assert config.page.host == host
        assert not config.page.open_on_loopback
        assert (certificate_for(config.page.host, None, None, tmp_path) is not None) is speaks_tls


def test_the_page_may_listen_at_an_address_that_the_network_has_not_given_yet() -> None:
    told = (ROOT / "etc/sysctl.d/50-feltd.conf").read_text(encoding="utf-8")
    assert re.findall(r"^(\S+) = 1$", told, re.M) == ["net.ipv4.ip_nonlocal_bind", "net.ipv6.ip_nonlocal_bind"]


def test_the_records_partition_has_small_blocks_here_by_the_install_guide_and_in_the_bench() -> None:
    """An event that is synced alone writes whole blocks: with 4 KiB a day takes nearly twice as much of the card."""
    guide = (HERE.parent / "docs/install.md").read_text(encoding="utf-8")
    asked = [
        sections("image")["data.ext4"],
        *re.findall(r"^sudo mkfs\.ext4 .*-L feltd .*$", guide, re.M),
    ]
    assert len(asked) == 2
    assert [re.findall(r"-b (\d+) -i (\d+)", words) for words in asked] == [[(str(BLOCK_BYTES), "65536")]] * 2
