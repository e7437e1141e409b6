"""Notes on second factors: who needs one, and which kinds work at this page."""

from collections.abc import Iterator

from feltd.table.config.config import Page
from feltd.table.config.security_keys import keys_at


def second_factor_notes(page: Page) -> Iterator[str]:
    """Say who needs a second factor at the page, and whether security keys work there, and why not."""
    if page.second_factor:
        roles = ", ".join(page.second_factor)
        yield f"[page] second_factor: {roles} only look until they have set one up"
    else:
        yield "[page] has no second_factor: everybody may sign in by a password alone; people may set one up"
    keys = keys_at(page)
    if keys.origin is not None:
        yield f"second factors: codes by an app (TOTP), and security keys at {keys.origin} and nowhere else"
        if keys.doubt:
            yield f"security keys: {keys.doubt}"
    else:
        yield f"second factors: codes by an app (TOTP) alone; no security keys, for {keys.why}"
