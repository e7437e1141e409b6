"""Dataclasses that are made quickly are those that Python makes: what they show, refuse and compare is the same."""

import dataclasses
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import FrozenInstanceError, dataclass, field, replace
from functools import partial
from typing import Any

import pytest

from feltd.table.host.quick_dataclasses import quick_dataclasses


@dataclass
class Made:
    """Classes of every kind, made in one way."""

    plain: Any
    frozen: Any
    slots: Any
    below: Any
    empty: Any


def _make() -> Made:
    @dataclass
    class Plain:
        name: str
        hidden: int = field(default=3, repr=False)
        others: list[object] = field(default_factory=list, compare=False)

    @dataclass(frozen=True, order=True)
    class Frozen:
        name: str
        cents: int = 0

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Slots:
        name: str
        number: int = field(default=0, hash=False)

    @dataclass(frozen=True)
    class Below(Frozen):
        seat: int = 1

    @dataclass(frozen=True)
    class Empty:
        pass

    return Made(Plain, Frozen, Slots, Below, Empty)


def _makers() -> tuple[object, ...]:
    theirs = vars(dataclasses)
    return theirs.get("_repr_fn"), theirs.get("_frozen_get_del_attr"), theirs.get("_create_fn")


@pytest.fixture(
    params=[quick_dataclasses, partial(quick_dataclasses, when_called=True), nullcontext],
    ids=["quick", "when called", "Python's own"],
)
def made(request: pytest.FixtureRequest) -> Made:
    """What holds for those that Python makes must hold for the others."""
    with request.param():
        return _make()


def test_they_show_their_fields_and_end_where_they_hold_themselves(made: Made) -> None:
    plain = made.plain("a")
    plain.others.append(plain)
    assert repr(plain) == "_make.<locals>.Plain(name='a', others=[...])"
    assert repr(plain) == "_make.<locals>.Plain(name='a', others=[...])"
    assert repr(made.slots(name="b")) == "_make.<locals>.Slots(name='b', number=0)"
    assert repr(made.below("c")) == "_make.<locals>.Below(name='c', cents=0, seat=1)"
    assert repr(made.empty()) == "_make.<locals>.Empty()"


def test_one_that_cannot_be_shown_can_be_tried_again(made: Made) -> None:
    class Broken:
        def __repr__(self) -> str:
            raise LookupError

    plain = made.plain(Broken())
    for _ in range(2):
        with pytest.raises(LookupError):
            repr(plain)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: setattr(one, "name", "x"), "cannot assign to field 'name'"),
        (lambda one: setattr(one, "another", "x"), "cannot assign to field 'another'"),
        (lambda one: delattr(one, "name"), "cannot delete field 'name'"),
    ],
)
def test_what_is_frozen_refuses_every_change(made: Made, change: Callable[[object], None], words: str) -> None:
    for one in (made.frozen("a"), made.below("b")):
        with pytest.raises(FrozenInstanceError) as refused:
            change(one)
        assert str(refused.value) == words


def test_a_class_below_one_that_is_frozen_may_have_more_and_change_that(made: Made) -> None:
    class More(made.frozen):  # type: ignore[misc,name-defined]  # made within the test
        pass

    more = More("a")
    more.note = "kept"
    assert more.note == "kept"
    with pytest.raises(FrozenInstanceError):
        more.name = "b"
    del more.note
    assert not hasattr(more, "note")


def test_they_compare_are_hashed_and_replaced_as_ever(made: Made) -> None:
    assert made.frozen("a") < made.frozen("b")
    assert {made.slots(name="a", number=1), made.slots(name="a", number=2)} == {
        made.slots(name="a", number=2),
        made.slots(name="a", number=1),
    }
    assert replace(made.frozen("a"), cents=5) == made.frozen("a", 5)
    assert made.plain("a", others=[1]) == made.plain("a", others=[2])


def test_pythons_own_makers_are_back_behind_the_block() -> None:
    before = _makers()
    for when_called in (False, True):
        with pytest.raises(LookupError), quick_dataclasses(when_called=when_called):
            raise LookupError
        assert _makers() == before


def test_a_python_whose_makers_take_something_else_makes_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def takes_more(fields: object, globals: object, more: object) -> None:  # noqa: A002 - as Python's own
        raise AssertionError

    monkeypatch.setitem(vars(dataclasses), "_repr_fn", takes_more)
    before = _makers()
    with quick_dataclasses():
        assert _makers() == before
    monkeypatch.delitem(vars(dataclasses), "_repr_fn")
    with quick_dataclasses():
        assert "_repr_fn" not in vars(dataclasses)


def test_a_python_that_compiles_methods_from_something_else_compiles_all_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def takes_more(name: str, args: object, body: object, more: object) -> None:
        raise AssertionError

    monkeypatch.setitem(vars(dataclasses), "_create_fn", takes_more)
    with quick_dataclasses(when_called=True):
        assert vars(dataclasses)["_create_fn"] is takes_more


def test_what_is_given_wrongly_is_refused_in_pythons_own_words(made: Made) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"^_make\.<locals>\.Plain\.__init__\(\) missing 1 required positional"):
            made.plain()


@pytest.mark.skipif(None in _makers(), reason="this Python makes the methods of dataclasses in another way")
def test_a_method_that_waits_is_pythons_own_once_it_was_called() -> None:
    """A class below one with such a method, and made before it was called, has Python's own too."""
    with quick_dataclasses(when_called=True):
        made = _make()

    class More(made.frozen):  # type: ignore[misc,name-defined]  # made within the test
        pass

    waiting = made.frozen.__init__
    assert waiting.__code__.co_filename.endswith("quick_dataclasses.py")
    More("a", cents=3)
    own = made.frozen.__init__
    assert own is not waiting
    assert More.__init__ is own
    assert own.__code__.co_varnames == ("self", "name", "cents")
    assert own.__qualname__ == "_make.<locals>.Frozen.__init__"
    assert made.below.__init__.__code__ is waiting.__code__
    kept = made.frozen("a", cents=3)
    waiting(kept, "b")
    assert kept == made.frozen("b")


@pytest.mark.skipif(None in _makers(), reason="this Python makes the methods of dataclasses in another way")
def test_no_method_of_a_quick_class_is_a_program_of_its_own() -> None:
    """Two classes share the code of what refuses changes."""
    with quick_dataclasses():
        one, other = _make(), _make()
    assert one.frozen.__setattr__.__code__ is other.slots.__setattr__.__code__


def test_one_is_pickled_as_ever() -> None:
    assert pickle.loads(pickle.dumps(Pickled("a"))) == Pickled("a")


with quick_dataclasses():

    @dataclass(frozen=True, slots=True)
    class Pickled:
        """A class of a module."""

        name: str
