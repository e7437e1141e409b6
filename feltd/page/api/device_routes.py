"""Devices: how each one is, tests of it, its key, and the acceptance of the one that is there."""

from collections.abc import Awaitable
from http import HTTPStatus
from typing import Final, TypeVar

from fastapi import APIRouter, Depends, Response

from feltd.door import TableDoor, UnknownDeviceError
from feltd.page.access.roles import Right
from feltd.page.api.action_routes import until_kept
from feltd.page.api.device_models import (
    Accepted,
    DeviceName,
    DevicesView,
    KeyMade,
    KeyWanted,
    TestView,
    TestWanted,
)
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.problems import ApiProblem, documented
from feltd.page.api.together_routes import require_second

_T = TypeVar("_T")
_SEEING: Final = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_DOING: Final = documented(
    HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.SERVICE_UNAVAILABLE
)
_NEXT_SESSION: Final = "at the device's next session: load the key into it and restart it"


def device_router(guard: Guard, door: TableDoor) -> APIRouter:
    """`/devices`."""
    router = APIRouter(tags=["devices"], responses=_SEEING)
    sees = Depends(guard.need(Right.SEE))
    works = Depends(guard.need(Right.DEVICES))

    @router.get("/devices")
    async def now(response: Response, caller: Caller = sees) -> DevicesView:
        """Every device, the board and the record as they are now: states, counters, faults; no card and no key."""
        response.headers["cache-control"] = "no-store"
        return DevicesView.model_validate(await door.devices())

    @router.post("/devices/{name}/test", responses=_DOING)
    async def test(name: DeviceName, body: TestWanted, caller: Caller = works) -> TestView:
        """Light a lamp, fill the display, sound the buzzer, run the clock, or wait for what a key or reader says. In
        test mode only, between two rounds; it ends by itself."""
        begun = door.begin_test(caller.person(), name, body.test, lamp=body.lamp, expect=body.expect)
        return TestView.model_validate(await _recorded(begun))

    @router.delete("/devices/{name}/test", status_code=HTTPStatus.NO_CONTENT, responses=_DOING)
    async def end(name: DeviceName, caller: Caller = works) -> None:
        """End the test of this device, if one runs."""
        await _recorded(door.end_test(caller.person(), name))

    @router.post("/devices/{name}/key", responses=_DOING)
    async def key(name: DeviceName, body: KeyWanted, response: Response, caller: Caller = works) -> KeyMade:
        """Give a device another key: made here and shown this once, or given. feltd keeps the old one until the
        device has connected with the new one. It takes two people: `POST /together` asks for the second."""
        await require_second(guard, door, caller, name)
        response.headers["cache-control"] = "no-store"
        made = await _recorded(door.new_key(caller.person(), name, body.given))
        return KeyMade(device=name, key=made, takes_effect=_NEXT_SESSION)

    @router.delete("/devices/{name}/key", responses=_DOING)
    async def key_back(name: DeviceName, caller: Caller = works) -> KeyMade:
        """Take the last change back: the device keeps the key it had. It takes two people, as a new key does."""
        await require_second(guard, door, caller, name)
        await _recorded(door.key_back(caller.person(), name))
        return KeyMade(device=name, key=None, takes_effect="at once: the device has this key")

    @router.post("/devices/{name}/accept", responses=_DOING)
    async def accept(name: DeviceName, caller: Caller = works) -> Accepted:
        """Accept the device that came in place of another, or clear the fault of its disabled inputs."""
        return Accepted(device=name, serial=await _recorded(door.accept(caller.person(), name)))

    return router


async def _recorded(command: Awaitable[_T]) -> _T:
    """The answer to a command about a device. Raises ApiProblem: 404 for no device, else as `until_kept`."""
    try:
        return await until_kept(command, "done")
    except UnknownDeviceError as unknown:
        raise ApiProblem(HTTPStatus.NOT_FOUND, f"{unknown}: GET /devices names them") from None
