"""The API, asked for all it describes and more: no failure of ours, no answer that it does not describe."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from feltd.page.access.roles import Role
from tests.feltd.history_support import record
from tests.feltd.page_support import Page

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
ENDLESS = {"/stream", "/events"}
"""Streams: what they say is judged elsewhere."""
EXAMPLES = 25
"""Of each operation and mode."""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    async def make() -> Page:
        page = Page(tmp_path)
        record(page.bench, rounds=3)
        await page.bench.synced()
        return page

    made = asyncio.run(make())
    yield made
    made.close()


def ask_all(operation: Any, mode: GenerationMode, headers: dict[str, str]) -> None:
    """Many requests of one operation, all that it may be sent or, by mode, much that it may not."""

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def ask(case: Any) -> None:
        # Starlette's mounts match no path with a line's end in it: such an address is of no operation, and gets a 404.
        assume(not any("\n" in unquote(str(part)) for part in (case.path_parameters or {}).values()))
        case.validate_response(case.call(headers=headers), checks=CHECKS)

    try:
        ask()
    except Exception as fault:
        fault.add_note(f"{operation.method} {operation.path}")
        raise


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_brings_a_failure_or_an_answer_that_is_not_described(page: Page, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(page.api.openapi())
    schema.app = page.app
    headers = {role: {**page.session(role), "host": "testserver"} for role in (Role.DIRECTOR, Role.TECHNICIAN)}
    asked = set()
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.path in ENDLESS:
            continue
        if mode is GenerationMode.NEGATIVE and not operation.body and not list(operation.iter_parameters()):
            continue  # it takes nothing, so nothing wrong can be sent
        asked.add(operation.path)
        role = Role.TECHNICIAN if operation.path.startswith(("/test-mode", "/devices")) else Role.DIRECTOR
        ask_all(operation, mode, headers[role])
    assert len(asked) >= 12
