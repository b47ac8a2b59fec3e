"""Sweeps on a Ray cluster: the table of ``waywarden.sweep``, byte for byte.

::

    from waywarden import ray

    table = ray.sweep(vehicles={"car": "car.toml"}, seeds=range(1, 101))

A worker that dies has its run done again, by another one. All machines need the package and the
files under the same paths. Needs ``pip install waywarden[ray]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import sweep as _sweep

__all__ = ["sweep"]


def sweep(
    *,
    vehicles: Mapping[str, str | os.PathLike[str]] | None = None,
    traffic: Mapping[str, Mapping[str, Any]] | None = None,
    seeds: Iterable[int],
    workers: int | None = None,
    retries: int = 5,
    progress: Callable[[int, int], object] | None = None,
) -> _sweep.Table:
    """Does all runs of a sweep with Ray.

    Parameters
    ----------
    vehicles, traffic, seeds, progress
        As of ``waywarden.sweep.run``.
    workers : int, optional
        Processors of a Ray that is started here, if none is connected; all by default.
    retries : int, optional
        Number of times that a run is done again after its worker died.

    Raises
    ------
    ImportError
        Ray is missing.
    waywarden.errors.Error
        What a run refuses: the sweep ends.
    """
    import ray
    import ray.exceptions

    wanted = _sweep.jobs(vehicles=vehicles, traffic=traffic, seeds=seeds)
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(num_cpus=1, max_retries=retries)(_sweep.execute)
    waiting = {remote.remote(job): place for place, job in enumerate(wanted)}
    found: dict[int, list[_sweep.Row]] = {}
    while len(found) < len(wanted):
        done, _ = ray.wait(list(waiting))
        for reference in done:
            place = waiting.pop(reference)
            try:
                found[place] = ray.get(reference)
            except ray.exceptions.RayTaskError as error:
                raise error.as_instanceof_cause() from None
            if progress is not None:
                progress(len(found), len(wanted))
    return _sweep.Table(row for place in range(len(wanted)) for row in found[place])
