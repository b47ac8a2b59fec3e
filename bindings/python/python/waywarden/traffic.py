"""Road traffic on the radio channel: which vehicle hears which message, and verifies it in time.

::

    from waywarden import traffic

    run = traffic.run("examples/traffic/roundabout.csv.gz", board=["arm11"], policy=["fifo"], seed=1)
    run.figures                        # as `waywarden traffic run --format json` prints them
    run.numbers()                      # every number of it by name

Options have the names of the command's, with underscores: ``attack_rate=5`` is ``--attack-rate 5``,
``geo=True`` is ``--geo``, a list gives an option more than once. Many seeds: ``waywarden.sweep``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import _command

__all__ = ["Run", "run"]


class Run:
    """The figures of a run.

    Attributes
    ----------
    figures : dict
        The document of ``waywarden traffic run --format json``.
    """

    def __init__(self, figures: dict[str, Any]) -> None:
        self.figures = figures

    def numbers(self) -> dict[str, float]:
        """Returns every number of the figures by its path, such as ``vehicles``."""
        return numbers(self.figures)

    def to_pandas(self) -> Any:
        """Returns the numbers as a ``pandas.DataFrame`` with the columns figure and value."""
        import pandas

        return pandas.DataFrame(list(self.numbers().items()), columns=["figure", "value"])

    def __repr__(self) -> str:
        return f"<Run of {len(self.numbers())} figures>"


def options(named: Mapping[str, Any]) -> list[str | os.PathLike[str]]:
    """Returns the words of the command for options by name.

    Raises
    ------
    waywarden.errors.ParameterError
        A value that is neither a number, a text, a path, a bool nor a list of such.
    """
    words: list[str | os.PathLike[str]] = []
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if isinstance(one, bool) or not isinstance(one, (int, float, str, os.PathLike)):
                from .errors import ParameterError

                raise ParameterError(
                    f"{name}: {one!r:.60}: a number, a text or a path", code="parameter", place=name
                )
            words += [f"{option}={os.fspath(one) if isinstance(one, os.PathLike) else one}"]
    return words


def run(
    trace: str | os.PathLike[str], *, seed: int = 1, out: str | os.PathLike[str] | None = None,
    **named: Any,
) -> Run:
    """Puts the vehicles of a trace or a scenario on the channel.

    Parameters
    ----------
    trace : path
        Floating car data of SUMO (XML, CSV, gzip, Parquet), or the folder of a scenario.
    seed : int, optional
        Seed of the random generator, 0 to 2**64 - 1. The same input, seed and options give the same
        figures.
    out : path, optional
        A folder in which what is found is kept.
    **named
        Further options of ``waywarden traffic run``.

    Raises
    ------
    waywarden.errors.InputError
        What the command refuses, in its words.
    """
    words: list[str | os.PathLike[str]] = ["traffic", "run"]
    words += options({"seed": seed, "out": out, **named})
    return Run(_command.document([*words, "--format=json", "--", trace]))


def numbers(document: Any, path: str = "") -> dict[str, float]:
    """Returns every number of a document by its path, in its order."""
    if isinstance(document, bool) or document is None or isinstance(document, str):
        return {}
    if isinstance(document, (int, float)):
        return {path: float(document)}
    if isinstance(document, Mapping):
        parts = [(str(key), value) for key, value in document.items()]
    else:
        parts = [(str(place), value) for place, value in enumerate(document)]
    found: dict[str, float] = {}
    for key, value in parts:
        found.update(numbers(value, f"{path}.{key}" if path else key))
    return found
