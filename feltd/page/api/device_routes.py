"""Devices: how each one is, tests of it, its key, and whether the one that is there is in order."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, TypeVar

from fastapi import APIRouter, Depends, Response

from feltd.page.access.roles import Right
from feltd.page.api.device_facts import gather, trial_view
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
from feltd.page.api.keeping import until_kept
from feltd.page.api.problems import ApiProblem, documented
from feltd.table.host import computer
from feltd.table.host.health import LoopLag
from feltd.table.keeper.deliveries import PlayStopped
from feltd.table.links.slots import Slot
from feltd.table.workshop.device_keys import DeviceKeyError
from feltd.table.workshop.device_tests import DeviceTestRefused
from feltd.table.workshop.workshop import Workshop

_T = TypeVar("_T")
_SEEING: Final = documented(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_DOING: Final = documented(
    HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.SERVICE_UNAVAILABLE
)
_NEXT_SESSION: Final = "at the device's next session: load the key into it and restart it"


def device_router(guard: Guard, workshop: Workshop, lag: LoopLag) -> APIRouter:
    """`/devices`."""
    router = APIRouter(tags=["devices"], responses=_SEEING)
    sees = Depends(guard.need(Right.SEE))
    works = Depends(guard.need(Right.DEVICES))

    def known(name: str) -> Slot:
        slot = workshop.bridge.slots.get(name)
        if slot is None:
            raise ApiProblem(HTTPStatus.NOT_FOUND, f'there is no device "{name}": GET /devices names them')
        return slot

    @router.get("/devices")
    async def now(response: Response, caller: Caller = sees) -> DevicesView:
        """Every device, the board and the record as they are now: states, counters, faults; no card and no key."""
        response.headers["cache-control"] = "no-store"
        disk = await asyncio.to_thread(computer.disk, workshop.journal.path)
        return gather(workshop, lag, disk)

    @router.post("/devices/{name}/test", responses=_DOING)
    async def test(name: DeviceName, body: TestWanted, caller: Caller = works) -> TestView:
        """Light a lamp, fill the display, sound the buzzer, run the clock, or wait for what a key or reader says. In
        test mode only, between two rounds; it ends by itself."""
        known(name)
        trial = await _recorded(
            workshop,
            lambda: workshop.tests.begin(caller.person(), name, body.test, lamp=body.lamp, expect=body.expect),
        )
        return trial_view(trial, workshop.keeper.now)

    @router.delete("/devices/{name}/test", status_code=HTTPStatus.NO_CONTENT, responses=_DOING)
    async def end(name: DeviceName, caller: Caller = works) -> None:
        """End the test of this device, if one runs."""
        known(name)
        running = workshop.tests.running
        if running is not None and running.device == name:
            await _recorded(workshop, workshop.tests.end)

    @router.post("/devices/{name}/key", responses=_DOING)
    async def key(name: DeviceName, body: KeyWanted, response: Response, caller: Caller = works) -> KeyMade:
        """Give a device another key: made here and shown this once, or given. The old one is kept beside it until the
        device has come up under the new one."""
        known(name)
        response.headers["cache-control"] = "no-store"
        made = await _recorded(workshop, lambda: workshop.new_key(caller.person(), name, body.given))
        return KeyMade(device=name, key=made.hex() if body.given is None else None, takes_effect=_NEXT_SESSION)

    @router.delete("/devices/{name}/key", responses=_DOING)
    async def key_back(name: DeviceName, caller: Caller = works) -> KeyMade:
        """Take the last change back: the device keeps the key it had."""
        known(name)
        await _recorded(workshop, lambda: workshop.key_back(caller.person(), name))
        return KeyMade(device=name, key=None, takes_effect="at once: the device has this key")

    @router.post("/devices/{name}/accept", responses=_DOING)
    async def accept(name: DeviceName, caller: Caller = works) -> Accepted:
        """Say that the device which came in place of another is in order, or that its disabled inputs are."""
        slot = known(name)
        if slot.replaced is None and not slot.disabled:
            raise ApiProblem(
                HTTPStatus.CONFLICT, f"{name}: no other device is in its place, and no input of it is disabled"
            )
        await _recorded(workshop, lambda: workshop.accept(caller.person(), name))
        return Accepted(device=name, serial=None if slot.identity is None else slot.identity.serial)

    return router


async def _recorded(workshop: Workshop, what: Callable[[], _T]) -> _T:
    """Do it, and wait until the record of it is on the disk. Raises ApiProblem: 409 refused, 503 nothing is kept."""
    try:
        done = what()
    except (DeviceTestRefused, DeviceKeyError) as refusal:
        raise ApiProblem(HTTPStatus.CONFLICT, str(refusal)) from None
    except PlayStopped as stopped:
        raise ApiProblem(HTTPStatus.SERVICE_UNAVAILABLE, str(stopped)) from None
    await until_kept(workshop.journal, "done")
    return done
