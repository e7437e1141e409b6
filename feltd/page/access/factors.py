"""What proves a second factor, at the door and once more later: a code, or what a security key has signed."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from feltd.page.access.accounts import Account, AccountBook
from feltd.page.access.second_factor import Codes
from feltd.page.access.security_keys import (
    Counters,
    KeysPlace,
    Made,
    Questions,
    SecurityKey,
    SecurityKeyError,
    Signed,
    count_told,
    key_made,
    questions_for,
)

_log = logging.getLogger("feltd.access")


@dataclass(frozen=True, slots=True)
class Proof:
    """What somebody gives of a second factor; `key`: answered to what `whose` was asked."""

    code: str | None = None
    key: Signed | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was given."""
        return self.code is None and self.key is None


NO_PROOF: Final = Proof()


class Factors:
    """Asks for second factors and judges what comes. Belongs to the loop."""

    def __init__(
        self,
        accounts: AccountBook,
        clock: Callable[[], float],
        wall: Callable[[], float],
        place: KeysPlace | None,
    ) -> None:
        """`clock`: monotonic seconds; `wall`: seconds since 1970. `place`: where keys work; None: nowhere."""
        self.place = place
        self._accounts = accounts
        self._wall = wall
        self._codes = Codes(wall)
        self._questions = Questions(clock)
        self._counters = Counters()

    def question(self, account: Account, whose: str) -> dict[str, Any] | None:
        """Return what a browser has one of the account's keys sign; None where none of them would be taken here.

        `whose`: who asks, and what for: the answer counts for the same alone.
        """
        if self.place is None or not any(not key.copied for key in account.keys):
            return None
        return questions_for(self.place, self._questions.ask(f"{whose}, {account.name}", account.keys), account.keys)

    async def proven(self, account: Account, proof: Proof, whose: str, copied: Callable[[], None]) -> bool:
        """Whether this proves one of the account's second factors; a code and a question are used now.

        `copied` is called where a key shows that there are two of it. Raises AccountError.
        """
        if proof.key is not None:
            return await self._signed(account, proof.key, whose, copied)
        return proof.code is not None and account.totp is not None and self.is_code(account, account.totp, proof.code)

    def is_code(self, account: Account, secret: str, code: str) -> bool:
        """Whether a code is one of a secret, and was not used; it is used now."""
        return self._codes.take(account.name, secret, code)

    def question_for_new(self, whose: str) -> bytes | None:
        """Return the challenge for a key that is to be made; None where no key works here."""
        return None if self.place is None else self._questions.ask(f"{whose}, new")

    async def made(self, made: Made, name: str, whose: str) -> SecurityKey:
        """Return the key that was made. Raises SecurityKeyError."""
        question = self._questions.take(f"{whose}, new", made.client_data)
        if question is None or self.place is None:
            raise SecurityKeyError("no security key was asked for here in the last two minutes: begin again")
        return await asyncio.to_thread(key_made, self.place, question.challenge, made, name, self._wall())

    async def _signed(self, account: Account, signed: Signed, whose: str, copied: Callable[[], None]) -> bool:
        question = self._questions.take(f"{whose}, {account.name}", signed.client_data)
        key = next((key for key in account.keys if key.id == signed.id and not key.copied), None)
        if question is None or key is None or key.id not in question.counts or self.place is None:
            return False
        count = await asyncio.to_thread(count_told, self.place, key, question.challenge, signed)
        if count is None:
            return False
        try:
            if self._counters.is_sound(key.id, question.counts[key.id], count):
                if count > key.count:
                    self._accounts.note_key(account.name, key.id, count=count)
                return True
            self._accounts.note_key(account.name, key.id, copied=True)
        except SecurityKeyError:  # it was taken away meanwhile
            return False
        _log.warning("%s: a security key tells a counter that it has told before: there are two of it", account.name)
        copied()
        return False
