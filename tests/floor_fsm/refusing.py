"""What a refusal says, for tests."""

from collections.abc import Callable

import pytest

from floor_fsm.errors import Reason, Refused


def refused(call: Callable[[], object]) -> tuple[Reason, str | None]:
    """The reason and the clause with which `call` is refused."""
    with pytest.raises(Refused) as info:
        call()
    return info.value.reason, info.value.clause
