"""A small package that was installed in a folder: its manifest, made and signed as the real one is."""

from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.installed.manifest import PLACE, PREFIX, SIGNATURE_PLACE, manifest_of
from feltd.installed.signing import sign

MAKER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))
FOLDERS = ("/opt/feltd", "/usr/lib/systemd/system/felt-table.service.d")
CONFIGURATION = ("/etc/feltd/table.toml",)
OWN_BOOK = "own-2020-holdem"
JOURNAL_KEY = bytes(range(32))
CODE = "/opt/feltd/lib/python3/site-packages/feltd/table.py"
UNIT = "/usr/lib/systemd/system/felt-table.service"
LINK = "/usr/bin/feltd"


def installed(root: Path, key: Ed25519PrivateKey | None = MAKER) -> Path:
    """Lay the package below `root`; its prefix."""
    files = {
        CODE: "rules = 1\n",
        "/opt/feltd/bin/feltd": "#!/opt/feltd/bin/python3 -I\n",
        UNIT: "[Service]\n",
        f"{UNIT}.d/20-table.conf": "[Service]\nUser=feltd\n",
        CONFIGURATION[0]: 'name = "7"\n',
    }
    for path, text in files.items():
        place = root / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (root / LINK[1:]).parent.mkdir(parents=True)
    (root / LINK[1:]).symlink_to("/opt/feltd/bin/feltd")
    return described(root, key)


def described(root: Path, key: Ed25519PrivateKey | None) -> Path:
    """Write the manifest of what lies below `root`; its prefix."""
    manifest = manifest_of(root, "9.9.9", "all", folders=FOLDERS, configuration=CONFIGURATION).encode()
    prefix = root / PREFIX
    (prefix / PLACE).parent.mkdir(parents=True)
    (prefix / PLACE).write_bytes(manifest)
    if key is not None:
        (prefix / SIGNATURE_PLACE).write_text(f"{sign(sha256(manifest).digest(), key)}\n", encoding="ascii")
    return prefix


def own_table(folder: Path) -> Path:
    """The file of a table with a shoe and keys, a rulebook of its own and a record that has no entry yet."""
    (folder / "books").mkdir()
    text = f'id = "{OWN_BOOK}"\ntitle = "Our own"\nextends = ["tas-2018-holdem"]\n'
    (folder / f"books/{OWN_BOOK}.toml").write_text(text, encoding="utf-8")
    (folder / "keys").mkdir()
    for name in ("shoe", "keys", "journal"):
        (folder / f"keys/{name}.key").write_text(JOURNAL_KEY.hex(), encoding="ascii")
    devices = "".join(
        f'[[device]]\nname = "{role}"\nrole = "{role}"\n'
        f'port = "/dev/serial/by-id/{role}"\nkey_file = "keys/{role}.key"\n'
        for role in ("shoe", "keys")
    )
    file = folder / "table.toml"
    file.write_text(
        f'[table]\nname = "7"\nrulebook = "{OWN_BOOK}"\nrulebooks = "books"\nseats = [1, 2, 3]\n'
        f'[journal]\npath = "table.journal"\nsealing_key_file = "keys/journal.key"\n{devices}',
        encoding="utf-8",
    )
    return file


def public(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()
