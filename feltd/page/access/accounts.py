"""The people of a table's page: one file, written whole, made at the console, never with a password of its own.

The file is JSON: `{"accounts": [{"name", "role", "password", "staff", "enabled", "totp", "keys", "tokens"}, …]}`,
`password` being what argon2id made of it, or of a code that is good once until `code_until` (`first_codes`), `totp` the
secret of a second factor, in clear, where there is one, `keys` security keys, by their public halves, `tokens` those of
programs, by their digests. It is for the service alone (mode 0600). A change made while feltd runs is seen at the next
request.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from feltd.page.access.first_codes import new_code
from feltd.page.access.passwords import check_password, hash_password
from feltd.page.access.roles import RIGHTS, Right, Role
from feltd.page.access.second_factor import SECRET
from feltd.page.access.security_keys import MOST as KEYS_MOST
from feltd.page.access.security_keys import NAME_MOST, SecurityKey, SecurityKeyError
from feltd.page.access.tokens import MOST, Token, TokenError, make_token
from feltd.text.atomic_file import replace_atomically
from feltd.text.errors import FeltdError

NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")


class AccountError(FeltdError):
    """An account, or the file of accounts, that cannot be used as asked."""


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account for the page.

    `staff`: the text of their badge, where they have one; the record names them by it when they decide.
    """

    name: str
    role: Role
    password: str
    staff: str | None = None
    enabled: bool = True
    totp: str | None = None
    """The secret of the person's second factor, where they have one."""
    tokens: tuple[Token, ...] = ()
    """Of programs that act in the person's name, the oldest first."""
    keys: tuple[SecurityKey, ...] = ()
    """Security keys, the oldest first."""
    code_until: float | None = None
    """Where `password` is a code's, by which the person chooses one: until when, in seconds since 1970."""

    def __repr__(self) -> str:
        return f"Account({self.name!r}, {self.role.value})"

    @property
    def signature(self) -> str:
        """The person's name in the record: the badge's text, else the account's name."""
        return self.staff or self.name

    @property
    def asks_factor(self) -> bool:
        """Whether a password alone signs nobody in. A key that was copied still asks, and answers no more."""
        return self.totp is not None or bool(self.keys)

    @property
    def factors(self) -> frozenset[str]:
        """The second factors that count, each by a mark of its own that tells no secret."""
        marks = {f"key {key.id}" for key in self.keys if not key.copied}
        if self.totp is not None:
            marks.add(f"totp {hashlib.sha256(self.totp.encode()).hexdigest()}")
        return frozenset(marks)

    def may(self, right: Right) -> bool:
        """Whether the person may see or do this."""
        return self.enabled and right in RIGHTS[self.role]


class _TokenRow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[0-9a-f]{8}$")
    words: str
    role: Role
    scope: list[Right]
    made: float
    until: float
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")

    def token(self) -> Token:
        return Token(self.id, self.words, self.role, frozenset(self.scope), self.made, self.until, self.digest)


class _KeyRow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,1400}$")
    name: str = Field(min_length=1, max_length=NAME_MOST)
    public_key: str = Field(pattern=r"^[A-Za-z0-9_-]{1,4096}$")
    count: int = Field(ge=0)
    made: float
    copied: bool = False


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=NAME.pattern)
    role: Role
    password: str = Field(pattern=r"^\$argon2id\$")
    staff: str | None = Field(default=None, min_length=1, max_length=64)
    enabled: bool = True
    totp: str | None = Field(default=None, pattern=f"^{SECRET.pattern}$")
    tokens: list[_TokenRow] = []
    keys: list[_KeyRow] = []
    code_until: float | None = None

    def account(self) -> Account:
        tokens = tuple(row.token() for row in self.tokens)
        keys = tuple(SecurityKey(**dict(row)) for row in self.keys)
        return Account(
            self.name, self.role, self.password, self.staff, self.enabled, self.totp, tokens, keys, self.code_until
        )


class _Sheet(BaseModel):
    model_config = ConfigDict(extra="forbid")

    accounts: list[_Row] = []


class AccountBook:
    """The accounts of one file. A file that is not there holds none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int, int] | None = None
        self._accounts: dict[str, Account] = {}

    def __iter__(self) -> Iterator[Account]:
        return iter(list(self._fresh().values()))

    def __len__(self) -> int:
        return len(self._fresh())

    def get(self, name: str) -> Account | None:
        """Return the account of this name as the file has it now; None without one.

        Raises AccountError if the file cannot be read.
        """
        return self._fresh().get(name)

    def of_badge(self, staff: str) -> Account | None:
        """Return the account with this badge, open or shut; None without one.

        Raises AccountError if the file cannot be read.
        """
        return next((account for account in self if account.staff == staff), None)

    # -- changes, each written at once

    def add(self, name: str, role: Role, password: str, staff: str | None = None) -> Account:
        """Add an account and write the file.

        Raises AccountError for a name that is malformed or taken and for a badge that is taken, PasswordError for a
        password that may not be used.
        """
        with self._alone():
            self.require_free(name, staff)
            check_password(name, password)
            return self._put(Account(name, role, hash_password(password), staff))

    def add_by_code(self, name: str, role: Role, until: float, staff: str | None = None) -> tuple[Account, str]:
        """Add an account whose person is to choose a password; return it, and the code for that, which nothing keeps.

        `until`: when the code is over, in seconds since 1970. Raises AccountError as `add`.
        """
        self.require_free(name, staff)  # before it takes long
        code, kept = new_code()
        return self.add_kept_code(name, role, kept, until, staff), code

    def add_kept_code(self, name: str, role: Role, kept: str, until: float, staff: str | None = None) -> Account:
        """As `add_by_code`, by a code that others have. `kept`: what is kept of it."""
        with self._alone():
            self.require_free(name, staff)
            return self._put(Account(name, role, kept, staff, code_until=until))

    def put_code(self, name: str, until: float) -> tuple[Account, str]:
        """Take an account's password away; return it as it is now, and the code by which its person chooses another.

        `until`: as of `add_by_code`. Raises AccountError.
        """
        self._known(name)  # before it takes long
        code, kept = new_code()
        return self.put_kept_code(name, kept, until), code

    def put_kept_code(self, name: str, kept: str, until: float) -> Account:
        """As `put_code`, by a code that others have. `kept`: what is kept of it."""
        return self._changed(name, lambda account: replace(account, password=kept, code_until=until))

    def require_free(self, name: str, staff: str | None) -> None:
        """Raise AccountError for a name and a badge that are malformed or another's: people sign by either."""
        accounts = self._fresh()
        if not NAME.fullmatch(name):
            raise AccountError(f'"{name}" is no name for an account: small letters, digits, . _ -, at most 32')
        if name in accounts:
            raise AccountError(
                f'there is an account "{name}" already; feltd user password {name} gives it a new password'
            )
        if any(account.staff is not None and account.staff.casefold() == name for account in accounts.values()):
            raise AccountError(f'"{name}" is on another account\'s badge: the record would take one for the other')
        if staff is not None:
            _require_free_badge(staff, accounts)

    def _put(self, account: Account) -> Account:
        self._write({**self._accounts, account.name: account})
        return account

    def change(
        self, name: str, *, role: Role | None = None, password: str | None = None, enabled: bool | None = None
    ) -> Account:
        """Change the account's role or password, or open or shut it; None leaves a value as it is.

        Raises AccountError for a name that has no account, PasswordError for a password that may not be used.
        """
        with self._alone():
            account = self._known(name)
            if password is not None:
                check_password(name, password)
                account = replace(account, password=hash_password(password), code_until=None)
            account = replace(
                account,
                role=account.role if role is None else role,
                enabled=account.enabled if enabled is None else enabled,
            )
            return self._put(account)

    def put_password(self, before: Account, hashed: str) -> Account:
        """Keep what argon2id made of the person's new password; return the account as it is now.

        `before`: the account whose old password was compared. Raises AccountError where it has another one since then.
        """
        with self._alone():
            account = self._known(before.name)
            if account.password != before.password:
                raise AccountError("the password was changed by somebody else meanwhile: sign in again")
            return self._put(replace(account, password=hashed, code_until=None))

    def put_second_factor(self, name: str, secret: str | None) -> Account:
        """Keep the secret of an account's second factor, or None for none; return the account as it is now.

        Raises AccountError.
        """
        return self._changed(name, lambda account: replace(account, totp=secret))

    def take_second_factors(self, name: str) -> Account:
        """Take the secret and every security key of an account away; return it as it is now. Raises AccountError."""
        return self._changed(name, lambda account: replace(account, totp=None, keys=()))

    def add_key(self, name: str, key: SecurityKey) -> Account:
        """Keep a security key; return the account as it is now.

        Raises AccountError, and SecurityKeyError for one too many, one that is there, and a name that is taken.
        """

        def added(account: Account) -> Account:
            if len(account.keys) >= KEYS_MOST:
                raise SecurityKeyError(f"{name} has {KEYS_MOST} security keys already: take one away first")
            if any(one.id == key.id for one in account.keys):
                raise SecurityKeyError("this security key is there already")
            if any(one.name == key.name for one in account.keys):
                raise SecurityKeyError(f'there is a security key "{key.name}" already: choose another name')
            return replace(account, keys=(*account.keys, key))

        return self._changed(name, added)

    def remove_key(self, name: str, id: str) -> Account:  # noqa: A002 - a key's word for it
        """Take a security key away; return the account as it is now. Raises AccountError, SecurityKeyError."""
        return self._changed(name, lambda account: replace(account, keys=_without(account, id)))

    def note_key(self, name: str, id: str, *, count: int = 0, copied: bool = False) -> Account:  # noqa: A002
        """Note how far a security key has counted, or that it was copied; return the account as it is now.

        Raises AccountError, SecurityKeyError.
        """

        def noted(account: Account) -> Account:
            _without(account, id)  # it must be there
            keys = (
                replace(one, count=max(one.count, count), copied=one.copied or copied) if one.id == id else one
                for one in account.keys
            )
            return replace(account, keys=tuple(keys))

        return self._changed(name, noted)

    def _changed(self, name: str, change: Callable[[Account], Account]) -> Account:
        with self._alone():
            return self._put(change(self._known(name)))

    def add_token(
        self, name: str, words: str, role: Role, scope: Iterable[Right], days: int, now: float
    ) -> tuple[Account, Token, str]:
        """Make a token for an account; return the account as it is now, the token, and its text, which nothing keeps.

        Tokens that are over go. `now`: seconds since 1970. Raises AccountError, and TokenError as `make_token` and
        for one too many.
        """
        with self._alone():
            account = self._known(name)
            token, text = make_token(account.role, words, role, scope, days, now)
            there = tuple(one for one in account.tokens if not one.over(now))
            if len(there) >= MOST:
                raise TokenError(f"{name} has {MOST} tokens already: revoke one first")
            return self._put(replace(account, tokens=(*there, token))), token, text

    def revoke_token(self, name: str, id: str) -> Account:  # noqa: A002 - a token's word for it
        """Take a token away; return the account as it is now. Raises AccountError, TokenError where there is none."""
        with self._alone():
            account = self._known(name)
            left = tuple(one for one in account.tokens if one.id != id)
            if left == account.tokens:
                raise TokenError(f'{name} has no token "{id}"')
            return self._put(replace(account, tokens=left))

    def remove(self, name: str) -> None:
        """Remove an account; the record keeps what the person has done. Raises AccountError."""
        with self._alone():
            self._known(name)
            self._write({other: account for other, account in self._accounts.items() if other != name})

    def _known(self, name: str) -> Account:
        account = self._fresh().get(name)
        if account is None:
            raise AccountError(f'there is no account "{name}" in {self.path}: feltd user list shows those there are')
        return account

    # -- the file

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep the console and the page from writing over each other: one changes the accounts at a time."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as fault:
            raise AccountError(f"{self.path}: cannot be written: {fault.strerror}") from None
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _fresh(self) -> dict[str, Account]:
        """The accounts, read again where the file has changed."""
        try:
            stat = self.path.stat()
        except FileNotFoundError:
            self._seen, self._accounts = None, {}
            return self._accounts
        except OSError as fault:
            raise AccountError(f"{self.path}: cannot be read: {fault.strerror}") from None
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            self._accounts = self._read()
            self._seen = seen
        return self._accounts

    def _read(self) -> dict[str, Account]:
        try:
            sheet = _Sheet.model_validate_json(self.path.read_bytes())
        except OSError as fault:
            raise AccountError(f"{self.path}: cannot be read: {fault.strerror}") from None
        except ValidationError as fault:
            place = ".".join(map(str, fault.errors()[0]["loc"])) or "the whole"
            raise AccountError(
                f"{self.path}: no file of accounts ({place}: {fault.errors()[0]['msg']}); bring back a copy, or move "
                "it away and make the accounts anew with feltd user add"
            ) from None
        accounts = {row.name: row.account() for row in sheet.accounts}
        if len(accounts) < len(sheet.accounts):
            raise AccountError(f"{self.path}: a name stands there twice; leave one of them")
        return accounts

    def _write(self, accounts: dict[str, Account]) -> None:
        """The whole file beside the old one, synced, then in its place: a pulled plug leaves the one or the other."""
        rows = [
            {
                "name": account.name,
                "role": account.role.value,
                "password": account.password,
                "staff": account.staff,
                "enabled": account.enabled,
                **({} if account.totp is None else {"totp": account.totp}),  # an earlier feltd reads files without it
                **({} if account.code_until is None else {"code_until": account.code_until}),
                **({"keys": [asdict(key) for key in account.keys]} if account.keys else {}),
                **({"tokens": [_token_row(token) for token in account.tokens]} if account.tokens else {}),
            }
            for account in accounts.values()
        ]
        try:
            text = json.dumps({"accounts": rows}, indent=1) + "\n"
            replace_atomically(self.path, text.encode(), self.path.parent.stat())
        except OSError as fault:
            raise AccountError(f"{self.path}: cannot be written: {fault.strerror}") from None
        self._seen = None


def _without(account: Account, id: str) -> tuple[SecurityKey, ...]:  # noqa: A002 - a key's word for it
    left = tuple(key for key in account.keys if key.id != id)
    if left == account.keys:
        raise SecurityKeyError(f"{account.name} has no such security key")
    return left


def _token_row(token: Token) -> dict[str, object]:
    return {
        "id": token.id, "words": token.words, "role": token.role.value, "scope": sorted(token.scope),
        "made": token.made, "until": token.until, "digest": token.digest,
    }  # fmt: skip


def _require_free_badge(staff: str, accounts: Mapping[str, Account]) -> None:
    """Raise AccountError for a badge that cannot be told from another's, or from another's name."""
    if not staff.isprintable() or staff != staff.strip():
        raise AccountError("a badge has no signs that cannot be seen, and no space at its ends")
    if any(account.staff == staff for account in accounts.values()):
        raise AccountError(f'the badge "{staff}" belongs to another account already')
    if staff.casefold() in accounts:
        raise AccountError(f'"{staff}" is the name of another account: the record would take one for the other')
