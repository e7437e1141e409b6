"""Changes of accounts told to the table for its record: those made here, and those made at the console meanwhile.

What was told last is kept in a file of the page's own, so that a change made while no page runs is told by the next.
It has no password: of each only a digest of what argon2id made of it, to see that it is another one.
"""

import hashlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.telling import AccessTeller
from feltd.page.access.tokens import Token
from feltd.record.access import AccountChange
from feltd.text.atomic_file import replace_atomically

KEPT_IN: Final = "accounts-told.json"

_log = logging.getLogger("feltd.access")


@dataclass(frozen=True, slots=True)
class _Told:
    """An account as the table was told of it."""

    role: str
    staff: str | None
    enabled: bool
    password: str
    second_factor: bool = False
    tokens: tuple[str, ...] = ()
    """Their ids."""
    keys: tuple[str, ...] = ()
    """Security keys, by their ids."""

    @classmethod
    def of(cls, account: Account) -> "_Told":
        digest = hashlib.sha256(account.password.encode()).hexdigest()
        factor = account.totp is not None
        return cls(account.role.value, account.staff, account.enabled, digest, factor, _ids(account), _keys(account))


class AccountNews:
    """Compares the accounts with what was told. Belongs to the loop."""

    def __init__(self, accounts: AccountBook, folder: Path, record: AccessTeller) -> None:
        """`folder`: the page's own."""
        self._accounts = accounts
        self._file = folder / KEPT_IN
        self._record = record
        self._told = self._read()

    def look(self) -> None:
        """Tell what has changed since the last look, at the console. Raises AccountError."""
        now = {account.name: _Told.of(account) for account in self._accounts}
        if now == self._told:
            return
        for name in sorted({*now, *self._told}):
            before, after = self._told.get(name), now.get(name)
            for change in _changes(before, after):
                role = (after or before or now[name]).role
                self._record.account_changed(name, role, change, None)
            account = self._accounts.get(name)
            if account is not None:
                self._tell_tokens(before.tokens if before else (), account)
        self._keep(now)

    def password_changed(self, account: Account, address: str) -> None:
        """A person has given themselves another password at the page: the account as it is now."""
        told = self._told.get(account.name)
        if told is not None:  # what the console changed of it meanwhile is news yet
            self._keep({**self._told, account.name: replace(told, password=_Told.of(account).password)})
        self._record.account_changed(account.name, account.role.value, AccountChange.PASSWORD, address)

    def changed_by_two(self, account: Account, address: str) -> None:
        """Two people have made or changed an account at the page: as it is now. `address`: of the second.

        What the console has changed until then must have been told (`look`): it would go on record as theirs.
        """
        after = _Told.of(account)
        for change in _changes(self._told.get(account.name), after):
            self._record.account_changed(account.name, account.role.value, change, address)
        self._keep({**self._told, account.name: after})

    def second_factor_changed(self, account: Account, address: str) -> None:
        """A person has set up a second factor at the page, or taken it away: the account as it is now."""
        told = self._told.get(account.name)
        if told is not None:
            self._keep({**self._told, account.name: replace(told, second_factor=account.totp is not None)})
        self._record.account_changed(account.name, account.role.value, _factor(account.totp is not None), address)

    def keys_changed(self, before: Account, account: Account, address: str) -> None:
        """A person has registered a security key at the page, or taken one away: the account before, and as it is."""
        told = self._told.get(account.name)
        if told is not None:
            self._keep({**self._told, account.name: replace(told, keys=_keys(account))})
        for change in _key_changes(_keys(before), _keys(account)):
            self._record.account_changed(account.name, account.role.value, change, address)

    def token_made(self, account: Account, token: Token, address: str) -> None:
        """A person has made a token at the page: the account as it is now."""
        self._know_tokens(account)
        self._record.token_made(account, token, address)

    def token_revoked(self, account: Account, token: str, address: str) -> None:
        """A person has revoked a token at the page: the account as it is now. `token`: its id."""
        self._know_tokens(account)
        self._record.token_revoked(account, token, address)

    def _know_tokens(self, account: Account) -> None:
        told = self._told.get(account.name)
        if told is not None:
            self._keep({**self._told, account.name: replace(told, tokens=_ids(account))})

    def _tell_tokens(self, before: tuple[str, ...], account: Account) -> None:
        for gone in sorted({*before} - {*_ids(account)}):
            self._record.token_revoked(account, gone, None)
        for token in account.tokens:
            if token.id not in before:
                self._record.token_made(account, token, None)

    def _read(self) -> dict[str, _Told]:
        try:
            rows = json.loads(self._file.read_bytes())
            return {name: _read_told(row) for name, row in rows.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as fault:
            _log.warning("%s: cannot be read, so every account is told anew: %s", self._file, fault)
            return {}

    def _keep(self, told: Mapping[str, _Told]) -> None:
        self._told = dict(told)
        rows = {name: asdict(one) for name, one in told.items()}
        try:
            replace_atomically(self._file, json.dumps(rows).encode(), self._file.parent.stat())
        except OSError as fault:
            _log.warning("%s: cannot be written: %s; the next start tells every account anew", self._file, fault)


def _ids(account: Account) -> tuple[str, ...]:
    return tuple(token.id for token in account.tokens)


def _keys(account: Account) -> tuple[str, ...]:
    return tuple(key.id for key in account.keys)


def _key_changes(before: Collection[str], after: Collection[str]) -> Iterator[AccountChange]:
    yield from (AccountChange.NO_KEY for id in before if id not in after)  # noqa: A001 - a key's word for it
    yield from (AccountChange.KEY for id in after if id not in before)  # noqa: A001


def _read_told(row: Mapping[str, Any]) -> _Told:
    return _Told(**{**row, "tokens": tuple(row.get("tokens", ())), "keys": tuple(row.get("keys", ()))})


def _factor(there: bool) -> AccountChange:
    return AccountChange.SECOND_FACTOR if there else AccountChange.NO_SECOND_FACTOR


def _changes(before: _Told | None, after: _Told | None) -> Iterator[AccountChange]:
    if after is None:
        yield AccountChange.REMOVED
    elif before is None:
        yield AccountChange.CREATED
    else:
        if after.role != before.role:
            yield AccountChange.ROLE
        if after.staff != before.staff:
            yield AccountChange.BADGE
        if after.password != before.password:
            yield AccountChange.PASSWORD
        if after.second_factor != before.second_factor:
            yield _factor(after.second_factor)
        yield from _key_changes(before.keys, after.keys)
        if after.enabled != before.enabled:
            yield AccountChange.OPENED if after.enabled else AccountChange.SHUT
