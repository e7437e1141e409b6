"""Validators of dataclasses whose fields are plain: numbers, words, lists and mappings of them, each perhaps None.

pydantic's own generation of a schema keeps what it needs for JSON Schema, serializers and foreign types: ten megabytes
and 70 ms of a start for the table's events, on a computer that starts a table from nothing. The validators here are
pydantic's, of schemas that say no more than the check needs; they take and refuse the same, in the same words.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic_core import CoreConfig, CoreSchema, SchemaValidator, core_schema

Unknown: TypeAlias = Literal["ignore", "forbid"]

_STRICT: Final = CoreConfig(strict=True, allow_inf_nan=False)


def validator_by_tag(kinds: Mapping[str, type], tag: str, *, unknown: Unknown = "ignore") -> SchemaValidator:
    """Return what reads an object of one of `kinds`, the one that its field `tag` names.

    `unknown`: whether fields that the class does not have are ignored or refused. Raises TypeError for a class with a
    field that is not plain.
    """
    choices = {name: _dataclass(kind, unknown) for name, kind in kinds.items()}
    return SchemaValidator(core_schema.tagged_union_schema(choices, tag), _STRICT)


def _dataclass(kind: type, unknown: Unknown) -> CoreSchema:
    hints = get_type_hints(kind)
    read = [
        core_schema.dataclass_field(entry.name, _with_default(entry, _plain(hints[entry.name])), kw_only=True)
        for entry in fields(kind)
    ]
    arguments = core_schema.dataclass_args_schema(kind.__name__, read, extra_behavior=unknown)
    names = [entry.name for entry in fields(kind)]
    return core_schema.dataclass_schema(kind, arguments, names, slots=True, config=_STRICT)


def _with_default(entry: Field[Any], schema: CoreSchema) -> CoreSchema:
    if entry.default is not MISSING:
        return core_schema.with_default_schema(schema, default=entry.default)
    if entry.default_factory is not MISSING:
        return core_schema.with_default_schema(schema, default_factory=entry.default_factory)
    return schema


def _plain(hint: Any) -> CoreSchema:
    simple = _SIMPLE.get(hint) if isinstance(hint, type) or hint is Any else None
    if simple is not None:
        return simple
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return core_schema.literal_schema(list(arguments))
    if origin is list:
        return core_schema.list_schema(_plain(arguments[0]))
    if origin is dict:
        return core_schema.dict_schema(_plain(arguments[0]), _plain(arguments[1]))
    if origin in (Union, types.UnionType):
        return _one_of(arguments)
    raise TypeError(f"{hint}: a field of this type is not plain; give table_fsm.plain_schema its schema")


def _one_of(arguments: tuple[Any, ...]) -> CoreSchema:
    given = [argument for argument in arguments if argument is not type(None)]
    schema = _plain(given[0]) if len(given) == 1 else core_schema.union_schema([_plain(each) for each in given])
    return core_schema.nullable_schema(schema) if type(None) in arguments else schema


_SIMPLE: Final[Mapping[Any, CoreSchema]] = {
    float: core_schema.float_schema(),
    int: core_schema.int_schema(),
    str: core_schema.str_schema(),
    bool: core_schema.bool_schema(),
    Any: core_schema.any_schema(),
}
