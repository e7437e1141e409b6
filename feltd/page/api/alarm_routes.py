"""The alarm log: looked through, and handed out as a list."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.responses import Response

from feltd.page.access.roles import Right
from feltd.page.api.guard import Caller, Guard
from feltd.page.api.history_routes import LARGEST, MOST_SECONDS, REFUSALS, answered
from feltd.page.api.on_record import OnRecord
from feltd.page.history import cut
from feltd.page.history.alarm_log import EXPORTED_MOST, LoggedAlarm, Looked, export_alarms, find_alarms
from feltd.page.history.desk import HistoryDesk
from feltd.page.history.search import PAGE_MOST
from feltd.record.access import Part
from feltd.text.alarms import Priority

_CSV: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "A file.", "content": {"text/csv": {"schema": {"type": "string"}}}}
}
_FOUND: Final = TypeAdapter(list[LoggedAlarm])


class AlarmFilter(BaseModel):
    """The conditions of a look into the alarm log."""

    model_config = ConfigDict(extra="forbid")

    since: Annotated[float, Field(ge=0, le=MOST_SECONDS)] | None = Field(None, description="seconds since 1970")
    until: Annotated[float, Field(ge=0, le=MOST_SECONDS)] | None = None
    kind: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,64}$")] | None = Field(None, description="a kind of alarms")
    priority: Priority | None = None
    stands: bool | None = Field(None, description="true: its cause lasts")
    acknowledged: bool | None = None
    before: Annotated[int, Field(ge=1, le=LARGEST)] | None = Field(
        None, description="the last entry of the list so far"
    )
    limit: Annotated[int, Field(ge=1, le=PAGE_MOST)] = 50

    def looked(self) -> Looked:
        """Return the conditions as the index takes them."""
        return Looked(
            self.since,
            self.until,
            self.kind,
            self.priority,
            self.stands,
            self.acknowledged,
            self.before,
            self.limit,
        )


def alarm_router(guard: Guard, desk: HistoryDesk, record: OnRecord) -> APIRouter:
    """`/alarms` and `/alarms/export`."""
    router = APIRouter(tags=["history"], responses=REFUSALS)
    sees = Depends(guard.need(Right.SEE))
    exports = Depends(guard.need(Right.EXPORT))

    @router.get("/alarms", response_model=None, responses={200: {"model": list[LoggedAlarm]}})
    async def alarms(wanted: Annotated[AlarmFilter, Query()], caller: Caller = sees) -> Response:
        """Alarms with when each was first seen, who acknowledged it and when it ended, newest first."""
        looked = wanted.looked()
        found = desk.of(caller.visitor.key).ask(lambda index: _FOUND.dump_json(find_alarms(index, looked)))
        return Response(await answered(found), media_type="application/json")

    @router.get("/alarms/export", response_class=Response, responses=_CSV)
    async def export(wanted: Annotated[AlarmFilter, Query()], caller: Caller = exports) -> Response:
        """The same as CSV, the newest 5000 at most; times in the table's zone, with its offset, and English words. Of
        more than 5000 its last line says so, and `x-feltd-newest`. It has no card. The record says who has it, once an
        hour for who asks again."""
        looked = wanted.looked()
        made = await answered(desk.of(caller.visitor.key).ask(lambda index: export_alarms(index, looked)))
        await record.put_list(caller, Part.ALARMS, wanted.since, wanted.until)
        headers = {"content-disposition": 'attachment; filename="alarms.csv"', "cache-control": "no-store"}
        headers |= cut.headers(cut=made.cut, most=EXPORTED_MOST)
        return Response(made.text, media_type="text/csv; charset=utf-8", headers=headers)

    return router
