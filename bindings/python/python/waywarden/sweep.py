"""Many seeds of vehicles and of road traffic, on one machine or, by ``waywarden.ray``, on many.

::

    from waywarden import sweep

    table = sweep.run(vehicles={"car": "examples/minimal.toml"}, seeds=range(1, 21))
    table.summary()            # mean and 95 % confidence of every figure
    table.to_csv("sweep.csv")

The table is the same, byte for byte, with any number of workers.
"""

from __future__ import annotations

import concurrent.futures
import csv
import io
import math
import multiprocessing
import os
import pathlib
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import traffic as _traffic
from .errors import ParameterError

__all__ = ["Job", "Row", "Table", "execute", "jobs", "run"]


class Job(NamedTuple):
    """One run: what a worker needs."""

    kind: str
    name: str
    #: Path of the vehicle file or of the trace.
    subject: str
    options: tuple[tuple[str, Any], ...]
    seed: int


class Row(NamedTuple):
    """One figure of one run."""

    kind: str
    name: str
    seed: int
    figure: str
    value: float


class Table:
    """The figures of all runs, in order of kind, name, seed and figure."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: list[Row] = list(rows)
        for row in self.rows:
            if not isinstance(row, Row):
                raise TypeError(f"rows: {reprlib.repr(row)} is no sweep.Row")

    def __len__(self) -> int:
        return len(self.rows)

    def csv(self) -> str:
        """Returns the rows as CSV with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(self.rows)
        return text.getvalue()

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows as CSV."""
        pathlib.Path(path).write_text(self.csv(), encoding="utf-8")

    def to_pandas(self) -> Any:
        """Returns the rows as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.rows, columns=list(Row._fields))

    def summary(self) -> list[dict[str, Any]]:
        """Returns for each figure its number of runs, mean, standard deviation, least and most."""
        groups: dict[tuple[str, str, str], list[float]] = {}
        for row in self.rows:
            groups.setdefault((row.kind, row.name, row.figure), []).append(row.value)
        return [
            {
                "kind": kind,
                "name": name,
                "figure": figure,
                "runs": len(values),
                "mean": (mean := math.fsum(values) / len(values)),
                "deviation": _deviation(values, mean),
                "least": min(values),
                "most": max(values),
            }
            for (kind, name, figure), values in groups.items()
        ]

    def __repr__(self) -> str:
        return f"<Table of {len(self)} figures>"


def _deviation(values: list[float], mean: float) -> float | None:
    if len(values) < 2:
        return None
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def jobs(
    *,
    vehicles: Mapping[str, str | os.PathLike[str]] | None = None,
    traffic: Mapping[str, Mapping[str, Any]] | None = None,
    seeds: Iterable[int],
) -> list[Job]:
    """Returns the runs of a sweep, in the order of its table.

    Parameters
    ----------
    vehicles : mapping of names to paths, optional
        Vehicle files.
    traffic : mapping of names to options, optional
        Options of ``waywarden.traffic.run``, with ``trace`` among them.
    seeds : iterable of int
        Seeds of each.

    Raises
    ------
    waywarden.errors.ParameterError
        Nothing to run, a seed out of range, or traffic without a trace.
    """
    if not isinstance(seeds, Iterable):
        shown = reprlib.repr(seeds)
        raise ParameterError(f"seeds: {shown}: several numbers, such as range(1, 21)", place="seeds")
    chosen = list(seeds)
    for seed in chosen:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise ParameterError(f"seeds: {reprlib.repr(seed)}: 0 to 2**64 - 1", place="seeds")
    numbers = sorted(set(chosen))
    for place, given in ("vehicles", vehicles), ("traffic", traffic):
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError(f"{place}: {reprlib.repr(given)}: a dict of names", place=place)
        if not all(isinstance(name, str) for name in given or ()):
            raise ParameterError(f"{place}: a name that is no text", place=place)
    if not numbers or not (vehicles or traffic):
        raise ParameterError("seeds: nothing to run: pass vehicles or traffic, and seeds")
    found: list[Job] = []
    for name, named in sorted((traffic or {}).items()):
        if not isinstance(named, Mapping) or "trace" not in named:
            raise ParameterError(f"traffic: {name!r} has no trace", place="traffic")
        options = {key: value for key, value in named.items() if key != "trace"}
        trace = str(pathlib.Path(named["trace"]).absolute())
        found += [Job("traffic", name, trace, tuple(options.items()), seed) for seed in numbers]
    for name, path in sorted((vehicles or {}).items()):
        file = str(pathlib.Path(path).absolute())
        found += [Job("vehicle", name, file, (), seed) for seed in numbers]
    return found


def execute(job: Job) -> list[Row]:
    """Does one run and returns its figures."""
    if not isinstance(job, Job):
        raise TypeError(f"job: {reprlib.repr(job)} is no sweep.Job")
    if job.kind == "traffic":
        found = _traffic.run(job.subject, seed=job.seed, **dict(job.options)).numbers()
    else:
        from . import _command

        words = ["run", "--format=json", f"--seed={job.seed}", "--", job.subject]
        found = _traffic.numbers(_command.document(words))
    return [Row(job.kind, job.name, job.seed, figure, value) for figure, value in found.items()]


def run(
    *,
    vehicles: Mapping[str, str | os.PathLike[str]] | None = None,
    traffic: Mapping[str, Mapping[str, Any]] | None = None,
    seeds: Iterable[int],
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Table:
    """Does all runs of a sweep on this machine.

    Parameters
    ----------
    vehicles, traffic, seeds
        As of ``jobs``.
    workers : int, optional
        Runs at a time; one a core by default.
    progress : callable, optional
        Called with the number of runs that are done, and of all.

    Raises
    ------
    waywarden.errors.Error
        What a run refuses: the sweep ends.
    """
    wanted = jobs(vehicles=vehicles, traffic=traffic, seeds=seeds)
    if workers is not None and not 1 <= workers <= 1024:
        raise ParameterError(f"workers: {workers}: 1 to 1024", place="workers")
    count = workers or multiprocessing.cpu_count()
    found: dict[int, list[Row]] = {}
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        waiting = {pool.submit(execute, job): place for place, job in enumerate(wanted)}
        try:
            for done in concurrent.futures.as_completed(waiting):
                found[waiting[done]] = done.result()
                if progress is not None:
                    progress(len(found), len(wanted))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return Table(row for place in range(len(wanted)) for row in found[place])
