"""The API as an application of its own, mounted by the page at `/api/v1`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI

from feltd.door import TableDoor
from feltd.page.access.account_news import AccountNews
from feltd.page.access.account_steps import AccountSteps
from feltd.page.api import problems
from feltd.page.api.account_routes import account_router
from feltd.page.api.action_routes import action_router
from feltd.page.api.alarm_routes import alarm_router
from feltd.page.api.broadcast_routes import broadcast_router
from feltd.page.api.device_routes import device_router
from feltd.page.api.export_routes import export_router
from feltd.page.api.feed import Feed
from feltd.page.api.guard import Guard
from feltd.page.api.history_routes import history_router
from feltd.page.api.hub import Hub
from feltd.page.api.on_record import OnRecord
from feltd.page.api.pack_routes import pack_router
from feltd.page.api.people_routes import people_router
from feltd.page.api.second_factor_routes import second_factor_router
from feltd.page.api.security_key_routes import security_key_router
from feltd.page.api.session_routes import session_router
from feltd.page.api.state import state_as_json
from feltd.page.api.table_routes import table_router
from feltd.page.api.together_routes import together_router
from feltd.page.api.token_routes import token_router
from feltd.page.api.tournament_routes import tournament_router
from feltd.page.api.trend_routes import trend_router
from feltd.page.api.vocabulary_routes import vocabulary_router
from feltd.page.history.deliveries import Deliveries
from feltd.page.history.desk import HistoryDesk
from feltd.page.limits.places import StreamPlaces

PREFIX: Final = "/api/v1"
_ABOUT: Final = (
    "Everything that the page does. Sign in with `POST /session`: the answer sets a cookie and gives a token, which "
    "every request that changes something sends along as `X-CSRF-Token`. A program sends a token of its person "
    "instead, `Authorization: Bearer feltd_…`, and needs neither. What goes wrong is answered as "
    "`application/problem+json`."
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The objects that the API is made of."""

    guard: Guard
    door: TableDoor
    hub: Hub
    feed: Feed
    desk: HistoryDesk
    places: StreamPlaces
    """Of all streams."""
    record: OnRecord
    deliveries: Deliveries
    news: AccountNews
    wall: Callable[[], float]
    """Seconds since 1970."""
    clock: Callable[[], float]
    """Monotonic seconds."""


def make_api(parts: Parts) -> FastAPI:
    """The API. Its description is at `/openapi.json`."""
    api = FastAPI(
        title="feltd", version="1", description=_ABOUT, docs_url=None, redoc_url=None, servers=[{"url": PREFIX}],
        root_path_in_servers=False, redirect_slashes=False,
    )  # fmt: skip
    problems.install(api)

    async def state() -> dict[str, Any]:
        return state_as_json(await parts.door.state())

    async def name() -> str:
        return (await parts.door.state()).name

    api.include_router(session_router(parts.guard, parts.news))
    api.include_router(account_router(parts.guard, parts.news, parts.wall))
    api.include_router(second_factor_router(parts.guard, parts.news, name))
    api.include_router(security_key_router(parts.guard, parts.news))
    api.include_router(token_router(parts.guard, parts.news))
    api.include_router(table_router(parts.guard, state, parts.hub, parts.feed, parts.places))
    api.include_router(vocabulary_router(parts.guard))
    api.include_router(action_router(parts.guard, parts.door))
    api.include_router(broadcast_router(parts.guard, parts.door))
    api.include_router(device_router(parts.guard, parts.door))
    api.include_router(pack_router(parts.guard, parts.door))
    signing_in = parts.guard.signing_in
    steps = AccountSteps(signing_in.accounts, signing_in.sessions.lacks_factor, parts.wall, parts.clock)
    api.include_router(together_router(parts.guard, parts.door, steps, parts.news))
    api.include_router(people_router(parts.guard, parts.door, steps))
    api.include_router(tournament_router(parts.guard, parts.door, parts.desk.rulebooks))
    api.include_router(history_router(parts.guard, parts.desk, parts.record))
    api.include_router(alarm_router(parts.guard, parts.desk, parts.record))
    api.include_router(export_router(parts.guard, parts.desk, name, parts.record, parts.deliveries))
    api.include_router(trend_router(parts.guard, parts.desk, parts.wall))
    original = api.openapi

    def described() -> dict[str, Any]:
        if api.openapi_schema is None:
            schema = original()
            schema["components"]["schemas"]["Problem"] = problems.Problem.model_json_schema()
            problems.replace_validation_errors(schema)
            api.openapi_schema = schema
        return api.openapi_schema

    api.openapi = described  # type: ignore[method-assign]  # the framework's own way to extend the description
    return api
