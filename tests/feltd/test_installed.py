"""The package's manifest: its form, who signed it, and what of the disk is not as it says."""

import os
import re
import subprocess
import sys
from hashlib import md5, sha256
from pathlib import Path

import pytest

from feltd.installed.beside import ADAPTERS, beside
from feltd.installed.compare import Comparison, Difference, compare
from feltd.installed.manifest import PLACE, PREFIX, SIGNATURE_PLACE, Manifest, ManifestError, manifest_of
from feltd.installed.mark import PackageMark, SignatureState, mark_of, running_package
from feltd.installed.signing import Signature, read_public_key, read_signing_key, sign
from tests.feltd.installed_support import CODE, CONFIGURATION, FOLDERS, LINK, MAKER, STRANGER, UNIT, installed, public


@pytest.fixture
def root(tmp_path: Path) -> Path:
    installed(tmp_path / "root")
    return tmp_path / "root"


def manifest(root: Path) -> Manifest:
    place = root / PREFIX / PLACE
    return Manifest.decode(place.read_bytes(), place)


def compared(root: Path) -> Comparison:
    return compare(manifest(root), root)


def at(root: Path, path: str) -> Path:
    return root / path[1:]


# -- the form


def test_a_manifest_has_every_file_with_size_and_digest_and_every_link(root: Path) -> None:
    told = {file.path: file for file in manifest(root).files}
    content = at(root, CODE).read_bytes()
    assert (told[CODE].size, told[CODE].sha256) == (len(content), sha256(content).hexdigest())
    assert told[LINK].link == "/opt/feltd/bin/feltd"
    assert [path for path, file in told.items() if file.configuration] == list(CONFIGURATION)
    assert sum(path.is_file() or path.is_symlink() for path in root.rglob("*")) == len(told) + 2  # itself, signature


def test_the_same_files_give_the_same_bytes_one_file_a_line(tmp_path: Path) -> None:
    one, two = (installed(tmp_path / name) / PLACE for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    lines = one.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(Manifest.decode(one.read_bytes(), one).files) + 2
    assert Manifest.decode(one.read_bytes(), one).encode() == one.read_bytes()


def test_a_package_without_a_folder_or_file_that_it_names_is_not_described(root: Path) -> None:
    with pytest.raises(ValueError, match=r"^not in the package: /etc/no, /opt/no$"):
        manifest_of(root, "1", "all", folders=("/opt/no",), configuration=("/etc/no",))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"feltd_manifest": 1}',
        b'{"feltd_manifest": 2, "version": "1", "architecture": "a", "folders": [], "files": []}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": [], "files": [{"path": "x"}]}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": [], "files": '
        b'[{"path": "/../etc/shadow", "size": 1, "sha256": "00"}]}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": [], "files": '
        b'[{"path": "/a", "size": 1, "sha256": "00"}]}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": [], "files": '
        b'[{"path": "//etc/shadow", "link": "x"}]}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": ["/../etc"], "files": []}',
        b'{"feltd_manifest": 1, "version": "1", "architecture": "a", "folders": ["//etc"], "files": []}',
    ],
)
def test_what_is_no_manifest_is_refused_by_its_name(content: bytes) -> None:
    with pytest.raises(ManifestError, match=r"/x/manifest\.json"):
        Manifest.decode(content, Path("/x/manifest.json"))


# -- the signature


def test_a_signature_is_of_one_digest_by_one_key() -> None:
    made = sign(bytes(32), MAKER)
    assert Signature.parse(str(made)) == made
    assert made.signs(bytes(32))
    assert not made.signs(bytes([1, *bytes(31)]))
    assert not Signature(STRANGER.public_key().public_bytes_raw(), made.value).signs(bytes(32))
    assert not Signature(b"\xff" * 32, made.value).signs(bytes(32))


def test_a_signature_of_the_digest_alone_is_none() -> None:
    """A signature that the same key made for another purpose must not pass for one of a manifest."""
    value = MAKER.sign(bytes(32))
    assert not Signature(MAKER.public_key().public_bytes_raw(), value).signs(bytes(32))


@pytest.mark.parametrize("line", ["", "feltd-manifest-signature 1 00", "feltd-manifest-signature 1 00 00", "x 1 00 00"])
def test_what_is_no_signature_is_refused(line: str) -> None:
    with pytest.raises(ManifestError, match="signature of the manifest"):
        Signature.parse(line)


def test_the_key_is_one_that_openssl_makes_and_shows(tmp_path: Path) -> None:
    file = tmp_path / "signing.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file], check=True)
    command = ["openssl", "pkey", "-in", str(file), "-pubout", "-outform", "DER"]
    shown = subprocess.run(command, check=True, capture_output=True).stdout[-32:].hex()
    assert public(read_signing_key(file)) == shown
    (tmp_path / "maker.pub").write_text(f"{shown}\n", encoding="ascii")
    assert read_public_key(str(tmp_path / "maker.pub")) == read_public_key(shown) == bytes.fromhex(shown)


def test_a_key_that_cannot_sign_is_refused_and_nothing_of_it_is_quoted(tmp_path: Path) -> None:
    file = tmp_path / "signing.key"
    with pytest.raises(ManifestError, match="No such file"):
        read_signing_key(file)
    file.write_text("very secret", encoding="ascii")
    with pytest.raises(ManifestError, match="is no Ed25519 key") as refused:
        read_signing_key(file)
    assert "very secret" not in str(refused.value)
    subprocess.run(["openssl", "genpkey", "-algorithm", "x25519", "-out", file], check=True)
    with pytest.raises(ManifestError, match="is no Ed25519 key"):
        read_signing_key(file)
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:x", "-out", file], check=True
    )
    with pytest.raises(ManifestError, match="has a passphrase"):
        read_signing_key(file)


@pytest.mark.parametrize("content", ["", "abc", "00" * 31, "zz" * 32, "\xff"])
def test_what_is_no_public_key_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "maker.pub"
    file.write_text(content, encoding="latin-1")
    with pytest.raises(ManifestError, match="is no public key"):
        read_public_key(str(file))
    with pytest.raises(ManifestError, match="cannot be read"):
        read_public_key(str(tmp_path / "none"))


def test_a_mark_says_signed_unsigned_or_false(tmp_path: Path) -> None:
    signed, unsigned = installed(tmp_path / "a"), installed(tmp_path / "b", None)
    digest = sha256((signed / PLACE).read_bytes())
    assert mark_of(digest.digest(), signed) == PackageMark(digest.hexdigest(), SignatureState.SIGNED, public(MAKER))
    assert mark_of(digest.digest(), unsigned) == PackageMark(digest.hexdigest(), SignatureState.UNSIGNED, None)
    false = PackageMark(digest.hexdigest(), SignatureState.FALSE, None)
    for line in (f"{sign(bytes(32), MAKER)}\n".encode(), b"no signature", b"\xff"):
        (signed / SIGNATURE_PLACE).write_bytes(line)
        assert mark_of(digest.digest(), signed) == false


def test_a_process_says_what_it_was_started_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = installed(tmp_path)
    digest = sha256((prefix / PLACE).read_bytes()).hexdigest()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    assert running_package() == PackageMark(digest, SignatureState.SIGNED, public(MAKER))
    (prefix / PLACE).write_bytes(b"of the next version, while this one runs")
    assert running_package() == PackageMark(digest, SignatureState.SIGNED, public(MAKER))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "checkout"))
    assert running_package() is None


# -- the disk


def test_what_was_installed_is_as_built(root: Path) -> None:
    found = compared(root)
    assert found == Comparison(same=len(manifest(root).files))
    assert found.as_built


def test_a_changed_byte_another_length_and_a_missing_file_are_named(root: Path) -> None:
    at(root, CODE).write_text("rules = 2\n", encoding="utf-8")
    at(root, UNIT).write_text("[Service]\nUser=root\n", encoding="utf-8")
    at(root, "/opt/feltd/bin/feltd").unlink()
    found = compared(root)
    digest = sha256(b"rules = 2\n").hexdigest()
    assert [one.path for one in found.differs] == [CODE, UNIT]
    assert found.differs[0].how == f"another content; SHA-256 {digest}"
    assert found.differs[1].how.startswith("20 bytes, not 10; SHA-256 ")
    assert found.missing == ["/opt/feltd/bin/feltd"]
    assert not found.as_built


def test_what_a_technician_configures_is_told_and_is_no_fault(root: Path) -> None:
    at(root, CONFIGURATION[0]).write_text('name = "8"\n', encoding="utf-8")
    found = compared(root)
    assert [one.path for one in found.changed] == list(CONFIGURATION)
    assert found.as_built


def test_whatever_lies_in_a_folder_of_the_package_is_named(root: Path) -> None:
    cache = at(root, "/opt/feltd/lib/python3/site-packages/__pycache__/sitecustomize.pyc")
    cache.parent.mkdir()
    cache.write_bytes(b"code")
    at(root, f"{UNIT}.d/99-more.conf").write_text("[Service]\nUser=root\n", encoding="utf-8")
    at(root, "/opt/feltd/away").symlink_to("/tmp")
    os.mkfifo(at(root, "/opt/feltd/pipe"))
    at(root, "/etc/feltd/8.toml").write_text("", encoding="utf-8")  # no folder of the package's alone
    found = compared(root)
    assert [one.path for one in found.extra] == [
        "/opt/feltd/away",
        "/opt/feltd/lib/python3/site-packages/__pycache__/sitecustomize.pyc",
        "/opt/feltd/pipe",
        f"{UNIT}.d/99-more.conf",
    ]
    assert found.extra[0].how == "a link to /tmp"
    assert found.extra[2].how == "cannot be read: neither a file nor a link"
    assert not found.as_built


def test_links_are_compared_by_what_they_say_and_never_followed(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    at(root, CODE).rename(copy)
    at(root, CODE).symlink_to(copy)
    at(root, LINK).unlink()
    at(root, LINK).symlink_to("/tmp/feltd")
    found = compared(root)
    assert {one.path: one.how for one in found.differs} == {
        CODE: f"is a link to {copy}, not a file",
        LINK: "is a link to /tmp/feltd, not a link to /opt/feltd/bin/feltd",
    }


def test_a_folder_that_became_a_link_shows_though_the_files_behind_it_are_the_same(root: Path, tmp_path: Path) -> None:
    at(root, "/opt/feltd/lib").rename(tmp_path / "lib")
    at(root, "/opt/feltd/lib").symlink_to(tmp_path / "lib")
    found = compared(root)
    assert found.differs == [Difference(CODE, "lies behind a link: /opt/feltd/lib")]
    assert [one.path for one in found.extra] == ["/opt/feltd/lib"]


def test_an_own_folder_that_became_a_link_or_a_file_shows(root: Path, tmp_path: Path) -> None:
    folder = at(root, FOLDERS[1])
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    assert compared(root).extra == [Difference(FOLDERS[1], f"is a link to {tmp_path / 'moved'}")]
    folder.unlink()
    folder.write_text("", encoding="utf-8")
    found = compared(root)
    assert found.missing == [f"{FOLDERS[1]}/20-table.conf"]
    assert found.extra == [Difference(FOLDERS[1], "cannot be read: Not a directory")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_no_good_file(root: Path) -> None:
    at(root, CODE).chmod(0)
    assert compared(root).differs == [Difference(CODE, "cannot be read: Permission denied")]


# -- beside the package


def test_adapters_and_what_this_machine_sets_for_the_units_are_told_by_digest(root: Path) -> None:
    files = {
        f"{ADAPTERS}/ascii_shoe/__init__.py": "adapter",
        "/etc/systemd/system/felt-table.service.d/override.conf": "[Service]\nExecStart=\n",
        "/etc/systemd/system/felt-page@.service": "another unit",
        "/run/systemd/system/service.d/all.conf": "for every service",
        "/etc/systemd/system/ssh.service": "of another program",
    }
    for path, text in files.items():
        at(root, path).parent.mkdir(parents=True, exist_ok=True)
        at(root, path).write_text(text, encoding="utf-8")
    at(root, "/etc/systemd/system/feltd-record.timer").symlink_to("/dev/null")
    found = {one.path: one.how for one in beside(root)}
    assert found.pop("/etc/systemd/system/feltd-record.timer") == "a link to /dev/null"
    assert found == {
        path: f"{len(text)} bytes, SHA-256 {sha256(text.encode()).hexdigest()}"
        for path, text in files.items()
        if "ssh" not in path
    }
    assert compared(root).as_built
    assert all(re.fullmatch(r"\d+ bytes, SHA-256 [0-9a-f]{64}", how) for how in found.values())


def test_a_machine_with_the_package_alone_has_nothing_beside_it(root: Path) -> None:
    assert beside(root) == []


def test_what_others_set_for_the_units_is_told_wherever_systemd_looks(root: Path) -> None:
    assert beside(root, manifest(root)) == [], "the package's own units are the manifest's"
    told = {
        "/usr/lib/systemd/system/felt-page.service.d/evil.conf",
        "/usr/lib/systemd/system/felt-.service.d/all-of-felt.conf",
        "/usr/lib/systemd/system/timer.d/all.conf",
        "/run/systemd/system/slice.d/all.conf",
        "/etc/systemd/system/feltdidle.slice.d/50-CPUWeight.conf",
        "/run/systemd/system.control/felt-table.service.d/50-MemoryMax.conf",
        "/run/systemd/transient/felt-table.service",
        "/run/systemd/generator.late/felt-table.service.d/made.conf",
        "/etc/systemd/system-generators/anything",
        "/run/systemd/system-generators/anything",
        "/usr/local/lib/systemd/system-generators/anything",
        "/usr/lib/systemd/system-generators/anything",
        "/usr/lib/systemd/system-generators/systemd-changed-generator",
        "/usr/lib/systemd/system-generators/a-link-no-more",
        "/usr/lib/systemd/system-generators/a-link-elsewhere",
        "/usr/lib/systemd/system-generators/a-strange-link",
        "/usr/lib/systemd/system-generators/a-link-to-nothing",
        "/usr/lib/systemd/system-generators/a-link-to-itself",
    }
    others = {
        "/usr/lib/systemd/system/ssh.service.d/of-another.conf",
        "/usr/lib/systemd/system-generators/systemd-fstab-generator",
        "/usr/lib/systemd/system-generators/a-link-of-a-package",
        "/usr/lib/systemd/system-generators/a-link-to-a-link",
        "/run/systemd/generator/-.mount",
    }
    links = {
        "a-link-of-a-package": "/bin/program",
        "a-link-to-a-link": "a-link-of-a-package",
        "a-link-elsewhere": "/tmp/program",
        "a-strange-link": "../../../bin/program",
        "a-link-to-nothing": "/usr/bin/gone",
        "a-link-to-itself": "a-link-to-itself",
    }
    extra = "/usr/lib/systemd/system/felt-table.service.d/more.conf"
    for path in (*told, *others, extra):
        at(root, path).parent.mkdir(parents=True, exist_ok=True)
        name = path.rpartition("/")[2]
        if name in links:
            at(root, path).symlink_to(links[name])
        else:
            at(root, path).write_text("x", encoding="utf-8")
    for program in ("/usr/bin/program", "/tmp/program"):
        at(root, program).parent.mkdir(parents=True, exist_ok=True)
        at(root, program).write_text("program", encoding="utf-8")
    generators = "lib/systemd/system-generators"
    owned = ["systemd-fstab-generator", "systemd-changed-generator", "a-link-no-more", *links]
    owned.remove("a-strange-link")
    dpkg = at(root, "/var/lib/dpkg/info")
    dpkg.mkdir(parents=True)
    (dpkg / "systemd.list").write_text("".join(f"/{generators}/{name}\n" for name in owned), encoding="utf-8")
    sums = f"{md5(b'x').hexdigest()}  {generators}/{owned[0]}\n{md5(b'y').hexdigest()}  {generators}/{owned[1]}\n"
    sums += f"{md5(b'program').hexdigest()}  usr/bin/program\n"
    (dpkg / "systemd.md5sums").write_text(sums, encoding="utf-8")
    assert {one.path for one in beside(root, manifest(root))} == told
    assert [one.path for one in compared(root).extra] == [extra]
    assert {one.path for one in beside(root)} == {
        path for path in told if not path.startswith("/usr/lib/systemd/system/")
    }
