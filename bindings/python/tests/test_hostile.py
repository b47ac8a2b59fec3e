"""Hostile arguments to every public function: exceptions of the package and of Python's families for
wrong arguments, and nothing else. No panic crosses, nothing ends the process, no call hangs.

``WAYWARDEN_CASES`` is the number of calls of each function; what simulates or starts a process gets a
part of it. As a program, for long runs, with one line for each function::

    test_hostile.py CASES [SEED [FUNCTION ...]]
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import os
import pathlib
import signal
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import can

from hostile import NAMES, Planted, Values
from hostile_world import Call, World
from waywarden import can_bus, errors


class TooLong(BaseException):
    """A call did not end in time."""


#: Seconds after which a call counts as one that hangs.
LIMIT = 5.0

ALLOWED = (errors.Error, TypeError, ValueError, OverflowError, OSError, Planted)
#: Packages that are not required.
OPTIONAL = {"IPython", "IPython.display", "pandas", "polars", "tqdm", "tqdm.auto"}
#: What some raise besides: at an end, and for an index.
ALSO: dict[str, tuple[type[BaseException], ...]] = {
    "can.LogReader.__next__": (StopIteration,),
    "v2x.Records.__next__": (StopIteration,),
    "papers.Cells.__getitem__": (IndexError,),
    # These take as long as they are told, and wait for the reader of a pipe; a signal ends them.
    "can_bus.Bus.recv": (TooLong,),
    "sweep.Table.to_csv": (TooLong,),
    "vehicle.Vehicle.run": (TooLong,),
}

MODULES = ["can", "can_bus", "errors", "paired", "papers", "secoc", "sweep", "traffic", "v2x", "vehicle"]
SPECIAL = {"__call__", "__eq__", "__getitem__", "__next__", "__len__", "__bytes__", "__hash__", "_repr_html_"}
SPECIAL |= {"__arrow_c_stream__", "__contains__"}
#: Of python-can, and called by it; what starts threads of its own.
THEIRS = {name for name in dir(can.BusABC)} - {"send", "recv", "shutdown", "flush_tx_buffer", "set_filters"}


class Target(NamedTuple):
    """A function with arguments that it takes; `make` returns the object that has it, or None."""

    name: str
    make: Callable[[], Any] | None
    function: Callable[..., Any]
    call: Call


def public(module: types.ModuleType) -> dict[str, Any]:
    names = getattr(module, "__all__", None) or [name for name in vars(module) if name[0].isupper()]
    return {name: getattr(module, name) for name in names if name != "Sequence"}


def members(class_: type) -> Iterator[str]:
    for name in dir(class_):
        wanted = name in SPECIAL and getattr(class_, name) is not getattr(object, name, None)
        if callable(getattr(class_, name)) and (wanted or not name.startswith("_")):
            yield name


def targets(world: World) -> list[Target]:
    """Returns every public function, class and method of the package."""
    objects, valid, found = world.objects(), world.valid(), []
    for module in MODULES:
        for name, value in public(importlib.import_module(f"waywarden.{module}")).items():
            whole = f"{module}.{name}"
            if module == "vehicle" and name == "Table":
                continue
            call = valid.get("errors.*" if module == "errors" else whole, Call())
            found.append(Target(whole, None, value, call))
            for member in members(value) if isinstance(value, type) and module != "errors" else ():
                own = f"{whole}.{member}"
                is_free = isinstance(inspect.getattr_static(value, member), (staticmethod, classmethod))
                if issubclass(value, tuple) or module == "can_bus" and member in THEIRS:
                    continue
                if not is_free and whole not in objects:
                    assert whole in UNMADE, f"{whole}: say in objects() how one is made"
                    continue
                make = None if is_free else objects[whole]
                found.append(Target(own, make, getattr(value, member), valid.get(own, Call())))
    # Without parameters, only the number of arguments can be wrong.
    found = [
        target if target.call.args or any(parameters(target.function, bound=target.make is not None))
        else target._replace(call=Call(cost=100))
        for target in found
    ]  # fmt: skip
    known = {target.name for target in found} | {"errors.*"}
    assert not set(valid) - known, f"no such functions: {set(valid) - known}"
    return found


#: Classes that have no methods of their own, and those that need a PKI, which long runs have.
UNMADE = {"v2x.Pki", "v2x.Signer", "papers.Paper", "secoc.Announcements", "secoc.Stream", "paired.Stream"}


def parameters(function: Callable[..., Any], *, bound: bool) -> tuple[list[str], list[str]]:
    """Returns the names of positional and of all named parameters."""
    try:
        own = list(inspect.signature(function).parameters.values())
    except ValueError:
        return ["x"], []
    own = own[1:] if bound else own
    places = [one.name for one in own if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    named = [one.name for one in own if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return places, named


class Fuzz:
    """Calls functions with hostile arguments and collects what goes wrong."""

    def __init__(self, world: World, seed: int) -> None:
        self.values = Values(seed, world.folder)
        self.seed = seed
        self.wrong: dict[tuple[str, str], str] = {}
        self.slowest = (0.0, "")
        self.case = os.open(world.folder / "case", os.O_CREAT | os.O_WRONLY)
        warnings.simplefilter("ignore")

    def arguments(self, target: Target) -> tuple[list[Any], dict[str, Any]]:
        """Returns arguments of which some are hostile."""
        rng, any_value = self.values.rng, self.values.any

        def other(value: Any) -> Any:
            return self.values.near(value) if rng.randrange(2) else any_value()

        args, named = list(target.call.args), dict(target.call.named)
        places, keywords = parameters(target.function, bound=target.make is not None)
        spots = [*range(max(len(places), len(args))), *keywords]
        kind = rng.randrange(20)
        for _ in range(1 if kind < 12 else rng.randrange(2, 5)):
            if not spots:
                break
            spot = rng.choice(spots)
            if isinstance(spot, str):
                at = places.index(spot) if spot in places else -1
                if 0 <= at < len(args):
                    args[at] = other(args[at])
                else:
                    named[spot] = any_value()
            elif spot < len(args):
                args[spot] = other(args[spot])
            elif spot == len(args):
                args.append(any_value())
        if kind == 19:
            args += [any_value() for _ in range(rng.randrange(1, 3))]
            named[rng.choice(NAMES)] = any_value()
        if kind == 18 and args:
            args.pop()
        return args, named

    def once(self, target: Target, instance: Any, number: int) -> None:
        case = f"{target.name} {number}"
        os.pwrite(self.case, f"{case:<80}\n".encode(), 0)
        self.values.rng.seed(f"{self.seed} {case}")
        args, named = self.arguments(target)
        if target.make is not None:
            args.insert(0, instance)
        allowed = ALLOWED + ALSO.get(target.name, ())
        if target.name.startswith("can_bus"):
            allowed += (can.CanError,)
        start = time.monotonic()
        try:
            waits = TooLong in ALSO.get(target.name, ())
            signal.setitimer(signal.ITIMER_REAL, 0.1 if waits else LIMIT)
            try:
                value = target.function(*args, **named)
                if isinstance(value, can_bus.Bus):
                    value.shutdown()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except allowed:
            pass
        except KeyboardInterrupt:
            raise
        except ImportError as error:
            if error.name not in OPTIONAL:
                self.wrong.setdefault((target.name, "ImportError"), f"{case}: {error}")
        except NotImplementedError as error:
            # Of Python itself, for the iteration of a buffer of several dimensions.
            if "multi-dimensional" not in str(error):
                self.wrong.setdefault((target.name, "NotImplementedError"), f"{case}: {error}")
        except BaseException as error:  # noqa: B902
            kind = type(error).__name__
            try:
                text = str(error)[:300]
            except BaseException as other:
                text = f"without a text: {other!r}"
            self.wrong.setdefault((target.name, kind), f"{case}: {kind}: {text}")
        self.slowest = max(self.slowest, (time.monotonic() - start, case))

    def run(self, target: Target, cases: int, first: int = 0) -> None:
        """Calls a function so many times."""
        instance = None
        for number in range(first, first + cases):
            if target.make is not None and (number - first) % 50 == 0:
                if isinstance(instance, can_bus.Bus):
                    instance.shutdown()
                    instance.waywarden_peer.shutdown()  # type: ignore[attr-defined]
                instance = target.make()
            if number % 100 == 0:
                faulthandler.dump_traceback_later(300, exit=True)
            self.once(target, instance, number)
        if isinstance(instance, can_bus.Bus):
            instance.shutdown()
            instance.waywarden_peer.shutdown()  # type: ignore[attr-defined]
        faulthandler.cancel_dump_traceback_later()


def too_long(*_: object) -> None:
    raise TooLong


def test_hostile_arguments_to_every_function_raise_exceptions_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seed = int(os.environ.get("WAYWARDEN_SEED", "56"))
    cases = int(os.environ.get("WAYWARDEN_CASES", "10"))
    before = signal.signal(signal.SIGALRM, too_long)
    try:
        world = World(tmp_path)
        fuzz = Fuzz(world, seed)
        for target in targets(world):
            fuzz.run(target, cases // target.call.cost)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not fuzz.wrong, f"seed {seed}\n" + "\n".join(fuzz.wrong.values())


def main() -> None:
    cases, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"seed {seed}", flush=True)
    faulthandler.enable()
    signal.signal(signal.SIGALRM, too_long)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        world = World(pathlib.Path(folder), has_pki=True)
        fuzz, total = Fuzz(world, seed), 0
        for target in targets(world):
            if sys.argv[3:] and not any(target.name.startswith(one) for one in sys.argv[3:]):
                continue
            count, begun = max(1, cases // target.call.cost), time.monotonic()
            fuzz.slowest = (0.0, "")
            fuzz.run(target, count)
            total += count
            slow = "" if fuzz.slowest[0] < 0.5 else f", slowest {fuzz.slowest[0]:.2f} s: {fuzz.slowest[1]}"
            print(f"{target.name}: {count} calls in {time.monotonic() - begun:.1f} s{slow}", flush=True)
        print(f"{total} calls, seed {seed}: {len(fuzz.wrong)} faults", *fuzz.wrong.values(), sep="\n")
        os.chdir("/")
    sys.exit(bool(fuzz.wrong))


if __name__ == "__main__":
    main()
