"""Settings that the floor wishes otherwise than a table's own file has them: looked at, remembered, in force at once.

A wish says all of them: a setting that it does not name is as the file says. What a setting may be stands in the file's
own model, and which the floor may wish in `[floor] settings`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from feltd.door import CommandRefused
from feltd.door.wishing import Setting, TableSettings, WishedSettings
from feltd.table.config.config import JournalPlace, Links, Play, TableConfig
from feltd.table.keeper.floor_memory import FloorMemory
from feltd.table.keeper.wishes import BookWishes
from feltd.text.errors import FeltdError

SETTINGS: Final = "settings"
Put = Callable[[Setting, Any], None]
"""Has a setting of this value in force."""
_SECTIONS: Final[Mapping[Setting, tuple[str, type[BaseModel]]]] = {
    Setting.LANGUAGE: ("table", Play),
    Setting.SHORT_LOSS: ("links", Links),
    Setting.GATHER: ("journal", JournalPlace),
}
_SHOWN_MOST: Final = 64


def settings_in(config: TableConfig) -> dict[Setting, Any]:
    """What a table's own file says of each."""
    return {setting: getattr(getattr(config, section), setting.value) for setting, (section, _) in _SECTIONS.items()}


class SettingWishes:
    """The settings that the floor wishes here. `keep` blocks and runs in a thread; all else belongs to the loop."""

    def __init__(
        self, allowed: Collection[Setting], in_file: Mapping[Setting, Any], memory: FloorMemory, put: Put
    ) -> None:
        """`allowed`: those that the floor may wish; `in_file`: what the table's own file says of each."""
        self._allowed = allowed
        self._in_file = in_file
        self._memory = memory
        self._put = put
        self.now = TableSettings({})
        """Those that hold by a wish."""

    def checked(self, settings: TableSettings) -> TableSettings:
        """The settings, as the file's own model reads them. Raises CommandRefused, with the reason."""
        values: dict[str, Any] = {}
        for name, value in settings.values.items():
            if name not in set(Setting):
                raise CommandRefused(
                    f"this table knows no setting {name[:_SHOWN_MOST]}: bring it to the floor's version"
                )
            setting = Setting(name)
            try:
                read = _reader(setting).validate_python(value)
            except ValidationError as faults:
                told = faults.errors(include_url=False)[0]["msg"]
                raise CommandRefused(f"{name} cannot be {str(value)[:_SHOWN_MOST]}: {told}") from None
            values[name] = read
        return TableSettings(values)

    def forbidden(self, settings: TableSettings) -> Setting | None:
        """The first that the table's own file does not let the floor wish; what stands there itself it may always."""
        return next(
            (
                setting
                for setting in map(Setting, settings.values)
                if setting not in self._allowed and settings.values[setting.value] != self._in_file[setting]
            ),
            None,
        )

    def keep(self, wish: WishedSettings) -> None:
        """Remember what was taken, on the disk. Raises CommandRefused."""
        kept = {"number": wish.number, "values": dict(wish.settings.values), "instead_of": self._told_of_file()}
        self._memory.keep_wish(SETTINGS, kept)

    def put(self, settings: TableSettings) -> None:
        """Have these in force from now on, and all others as the file says."""
        self.now = settings
        for setting, value in self._in_file.items():
            self._put(setting, settings.values.get(setting, value))

    def put_at_start(self, tell: Callable[[str], object]) -> None:
        """Have in force what the floor wished last.

        Whoever has changed one of the settings in the table's own file since has the last word. `tell`: hears why no
        wish holds.
        """
        try:
            kept = self._memory.read().wishes.get(SETTINGS)
            if kept is None:
                return
            values, instead_of = dict(kept["values"]), kept["instead_of"]
        except (FeltdError, KeyError, TypeError, ValueError) as fault:
            tell(f"which settings the floor wished last is not known, so those of the table's own file hold: {fault}")
            return
        if instead_of != self._told_of_file():
            tell("the table's own file was changed since the floor wished settings: the file holds")
            return
        try:
            settings = self.checked(TableSettings(values))
        except CommandRefused as fault:
            tell(f"what the floor wished does not hold, so the settings of the table's own file do: {fault}")
            return
        if (forbidden := self.forbidden(settings)) is not None:
            tell(f"the table's own file lets the floor wish no {forbidden.value} any more: the file holds")
            return
        self.put(settings)

    def _told_of_file(self) -> dict[str, Any]:
        return {setting.value: value for setting, value in self._in_file.items()}


@dataclass(frozen=True, slots=True)
class TableWishes:
    """What takes the floor's wishes at a table, by what they are for."""

    books: BookWishes
    settings: SettingWishes


def _reader(setting: Setting) -> TypeAdapter[Any]:
    """What reads the value of a setting, as the file's own model does."""
    field = _SECTIONS[setting][1].model_fields[setting.value]
    kind: Any = Annotated[field.annotation, field]
    return TypeAdapter(kind, config=ConfigDict(strict=True, allow_inf_nan=False))
