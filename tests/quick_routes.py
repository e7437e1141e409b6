"""The routes of a page in less time: what reads and writes the values of a type is made once for all pages.

Each test of the page makes an application of its own. Half of the time that takes goes into pydantic's adapters of the
routes' types, which are the same each time; a type says all that its adapter does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, get_args
from unittest.mock import patch

from fastapi._compat import v2
from pydantic import ConfigDict, TypeAdapter

_MADE: Final[dict[tuple[object, str], tuple[object, TypeAdapter[Any]]]] = {}
"""By a type and the words of what is said beside it; with both, so that nothing else has their place in memory."""


def adapter(annotated: Any, *, config: ConfigDict | None = None) -> TypeAdapter[Any]:
    """The adapter of an annotated type: the one that was made before where there is one."""
    said = get_args(annotated)
    key = (said[0], repr((said[1:], config)))
    if key not in _MADE:
        _MADE[key] = (annotated, TypeAdapter(annotated, config=config))
    return _MADE[key][1]


@contextmanager
def quick_routes() -> Iterator[None]:
    """While the block runs, applications of this process have such adapters."""
    with patch.object(v2, "TypeAdapter", adapter):
        yield
