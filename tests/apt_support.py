"""gpg keys that are thrown away, small packages, and apt in a folder of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def thrown_away_key(home: Path) -> Iterator[str]:
    """The fingerprint of a new key in the keyring `home`, which gpg uses as long as the block lasts."""
    home.mkdir(mode=0o700, parents=True)
    before = os.environ.get("GNUPGHOME")
    os.environ["GNUPGHOME"] = str(home)
    try:
        made = ("--quick-generate-key", "feltd <t@feltd.example>", "ed25519", "sign", "never")
        command = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", *made]
        subprocess.run(command, check=True, capture_output=True)
        command = ["gpg", "--batch", "--with-colons", "--list-secret-keys"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        yield next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)
        if before is None:
            del os.environ["GNUPGHOME"]
        else:
            os.environ["GNUPGHOME"] = before


def small_package(folder: Path, version: str, content: str = "here\n") -> Path:
    """A package `feltd` of one file, for every architecture."""
    tree = folder / f"tree-{version}"
    (tree / "DEBIAN").mkdir(parents=True)
    control = f"Package: feltd\nVersion: {version}\nArchitecture: all\nMaintainer: <x@feltd.example>\nDescription: x\n"
    (tree / "DEBIAN/control").write_text(control, encoding="ascii")
    (tree / "opt").mkdir()
    (tree / "opt/here").write_text(content, encoding="ascii")
    package = folder / f"feltd_{version}_all.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(package)]
    subprocess.run(command, check=True, capture_output=True)
    return package


class Apt:
    """apt with folders of its own: it knows one repository, and the key that was given to it."""

    def __init__(self, folder: Path, repository: Path, keyring: Path) -> None:
        for name in ("lists/partial", "cache/archives/partial", "fetched"):
            (folder / name).mkdir(parents=True)
        self.fetched = folder / "fetched"
        source = f"deb [signed-by={keyring}] file:{repository} bookworm main\n"
        (folder / "feltd.list").write_text(source, encoding="ascii")
        (folder / "status").touch()
        places = {
            "Dir::Etc::sourcelist": folder / "feltd.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::main": "/dev/null",
            "Dir::Etc::parts": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "Dir::State": folder,
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
        }
        # Read before the machine's own settings, which may ask for less: nothing of those is read then.
        self._settings = folder / "apt.conf"
        lines = (f'{name} "{value}";\n' for name, value in places.items())
        self._settings.write_text("".join(lines), encoding="ascii")

    def __call__(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = ["apt-get", *arguments]
        environment = os.environ | {"LC_ALL": "C", "APT_CONFIG": str(self._settings)}
        done = subprocess.run(command, cwd=self.fetched, capture_output=True, text=True, check=False, env=environment)
        done.stdout += done.stderr
        return done

    def takes(self, *arguments: str) -> str:
        done = self(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def refuses(self, *arguments: str) -> str:
        done = self("-o", "APT::Update::Error-Mode=any", *arguments)
        assert done.returncode != 0, done.stdout
        return done.stdout
