"""Notes on second factors: who needs one, and which kinds work at this page."""

from collections.abc import Iterator
from typing import Protocol

from feltd.table.config.security_keys import Placed, keys_at
from feltd.text.page_roles import PageRole


class Asking(Placed, Protocol):
    """A page that may ask for second factors: a table's (`[page]`), or the pit's (`[pit]`)."""

    @property
    def second_factor(self) -> tuple[PageRole, ...]:
        """The roles that do nothing without one."""


def second_factor_notes(section: str, page: Asking) -> Iterator[str]:
    """Say who needs a second factor at the page of `section`, and whether security keys work there, and why not."""
    if page.second_factor:
        roles = ", ".join(page.second_factor)
        yield f"[{section}] second_factor: {roles} only look until they have set one up"
    else:
        yield f"[{section}] has no second_factor: everybody may sign in by a password alone; people may set one up"
    keys = keys_at(page)
    if keys.origin is not None:
        yield f"second factors: codes by an app (TOTP), and security keys at {keys.origin} and nowhere else"
        if keys.doubt:
            yield f"security keys: {keys.doubt}"
    else:
        yield f"second factors: codes by an app (TOTP) alone; no security keys, for {keys.why}"
