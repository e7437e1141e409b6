"""How an acceptance is carried out: one result for each step, whatever happens on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from feltd.acceptance.run import (
    NOBODY,
    AgainError,
    CannotDoError,
    Place,
    Result,
    StepFailedError,
    StepResult,
    StopRunError,
    carry_out,
)
from feltd.acceptance.steps import Act, Expected, Listening, Message, Motion, Sense, Shows, Step

PRESS = Motion(Act.PRESS, "Press it.", 17)
CALLED = Expected("floor.called", {"by": "dealer"}, "keys:pins", alone=True)
KEY = Step("key", PRESS, CALLED)
LAMP = Step("lamp", Motion(Act.LOOK, "Look:"), sense=Sense(Shows.ON, "Is it lit?", "it is dark"))
HEARD = Step("heard", PRESS, listening=Listening("keys:pins", (Message(("pot",)),)))


@dataclass
class World:
    """Hands, record and technician in one. `come`: what the record finds; `more`: what came besides; `eyes`: what is
    seen; `do_`: what happens as a hand does it, once for each; `after`: what a person says to each failure."""

    come: bool = True
    more: Sequence[str] = ()
    eyes: list[bool] = field(default_factory=lambda: [True] * 9)
    do_: list[Callable[[], object]] = field(default_factory=list)
    after: list[Callable[[], bool]] = field(default_factory=list)
    said: str | None = ""
    refusal: Exception | None = None
    listens: int = 0
    now: float = 0.0

    def last(self) -> int:
        return 0

    def found(self, expected: Expected, after: int) -> bool:
        return self.come

    def others(self, expected: Expected, after: int) -> Sequence[str]:
        return self.more

    def begin(self, step: Step, number: int, of: int) -> None:
        """Nobody is told."""

    def do(self, motion: Motion) -> None:
        if self.do_:
            self.do_.pop(0)()

    def done(self, motion: Motion) -> None:
        """At once."""

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def sees(self, sense: Sense) -> bool:
        return self.eyes.pop(0)

    def again(self, result: Result) -> bool:
        return self.after.pop(0)() if self.after else False

    def listen(self, listening: Listening) -> None:
        self.listens += 1
        if self.refusal is not None:
            raise self.refusal

    def heard(self, listening: Listening) -> str | None:
        return self.said

    def listened(self) -> None:
        self.listens -= 1

    def place(self, *, signed_in: bool = True) -> Place:
        technician = self if signed_in else None
        return Place(self, self, technician, 2.0, lambda: self.now, lambda: 1000.0)


def throws(error: BaseException) -> Callable[[], bool]:
    def throw() -> bool:
        raise error

    return throw


def one(world: World, step: Step, *, signed_in: bool = True) -> Result:
    [result], _ = carry_out([step], world.place(signed_in=signed_in))
    return result


def test_what_comes_has_passed_with_the_seconds_that_it_took() -> None:
    result = one(World(), KEY)
    assert (result.outcome, result.seconds, result.at, result.tries) == (StepResult.PASSED, 0.0, 1000.0, 1)


def test_what_does_not_come_has_failed_after_a_while() -> None:
    world = World(come=False, more=["floor.called (by seat:1)"])
    result = one(world, KEY)
    assert result.outcome is StepResult.FAILED
    assert result.why == "the record has no floor.called (by dealer) within 2 s, but floor.called (by seat:1)"
    assert world.now == pytest.approx(2.0, abs=0.2)


def test_what_does_not_come_alone_has_failed() -> None:
    result = one(World(more=["deal.start"]), KEY)
    assert result.why == "with floor.called (by dealer) came deal.start: two parts answer, or one bounces"


def test_what_a_place_cannot_do_is_left_out_with_its_reason() -> None:
    result = one(World(do_=[throws(CannotDoError("no wire"))]), KEY)
    assert (result.outcome, result.why) == (StepResult.LEFT_OUT, "no wire")


@pytest.mark.parametrize(
    "step",
    [
        Step("test", Motion(Act.TEST, "")),
        Step("mode", Motion(Act.BEGIN_TESTS, "")),
        Step("look", Motion(Act.LOOK, ""), in_tests=True),
        HEARD,
    ],
)
def test_what_a_technician_must_ask_for_is_left_out_where_nobody_is_signed_in(step: Step) -> None:
    result = one(World(), step, signed_in=False)
    assert (result.outcome, result.why) == (StepResult.LEFT_OUT, NOBODY)


def test_a_device_is_listened_to_and_no_longer_than_its_step() -> None:
    world = World()
    assert one(world, HEARD).outcome is StepResult.PASSED
    silent = World(said=None)
    assert one(silent, HEARD).why == "keys:pins did not say pot within 2 s"
    wrong = World(said="keys:pins said hand_end")
    assert one(wrong, HEARD).why == "keys:pins said hand_end"
    refused = World(refusal=StepFailedError("the table says: it is not there"))
    assert one(refused, HEARD).why == "the table says: it is not there"
    assert (world.listens, silent.listens, wrong.listens) == (0, 0, 0)


def test_a_failed_step_is_begun_again_if_the_person_wants() -> None:
    world = World(eyes=[False, False, True], after=[lambda: True, lambda: True])
    result = one(world, LAMP)
    assert (result.outcome, result.tries) == (StepResult.PASSED, 3)
    assert one(World(eyes=[False], after=[lambda: False]), LAMP).why == "it is dark"


def test_a_step_is_begun_again_in_its_middle() -> None:
    world = World(do_=[throws(AgainError()), lambda: None])
    assert one(world, KEY).tries == 2


def test_a_failed_step_that_is_left_out_says_that_it_had_failed() -> None:
    result = one(World(eyes=[False], after=[throws(CannotDoError("by the technician: no bulb"))]), LAMP)
    assert result.outcome is StepResult.LEFT_OUT
    assert result.why == "by the technician: no bulb (before that it had failed: it is dark)"


@pytest.mark.parametrize("error", [StopRunError("by the technician"), KeyboardInterrupt()])
def test_a_failed_step_after_which_the_run_is_stopped_has_failed(error: BaseException) -> None:
    results, stopped = carry_out([LAMP, KEY], World(eyes=[False], after=[throws(error)]).place())
    assert [result.outcome for result in results] == [StepResult.FAILED, StepResult.LEFT_OUT]
    assert stopped == (str(error) or "by hand")
    assert results[1].why == f"the run was stopped: {stopped}"


@pytest.mark.parametrize("error", [StopRunError("by SIGHUP"), KeyboardInterrupt()])
def test_a_run_that_is_stopped_has_a_result_for_every_step_and_tells_each(error: BaseException) -> None:
    told: list[Result] = []
    world = World(do_=[lambda: None, throws(error)])
    results, stopped = carry_out([KEY, KEY, LAMP], world.place(), told.append)
    assert [result.outcome for result in results] == [StepResult.PASSED, StepResult.LEFT_OUT, StepResult.LEFT_OUT]
    assert stopped == (str(error) or "by hand")
    assert told == results
