"""The numbers of five papers beside ours: by formula, and by simulation.

::

    from waywarden import papers

    for paper in papers.known():
        print(paper.key, paper.title)
    cells = papers.compare("gke", simulate=False)
    frame = cells.to_pandas()              # needs pandas
    frame[frame.verdict == "differs"]

The classes of numbers and verdicts are those of ``waywarden papers``.
"""

from __future__ import annotations

import dataclasses
import html as _html
import os
import pathlib
import tempfile
from typing import Any

from . import _command

__all__ = ["Cells", "Paper", "compare", "known"]


@dataclasses.dataclass(frozen=True)
class Paper:
    """A paper whose numbers are known.

    Attributes
    ----------
    key : str
        The key, such as ``gke``.
    title : str
        Subject of its numbers.
    """

    key: str
    title: str


class Cells:
    """The numbers of a paper beside ours, one dict a number.

    Attributes
    ----------
    key : str
        The paper.
    cells : list of dict
        ``place``, ``cell``, ``unit``, ``paper``, ``formula``, ``measured``, ``verdict``, ``class``,
        ``why`` and more, as ``waywarden papers KEY --format json`` prints them.
    """

    def __init__(self, key: str, cells: list[dict[str, Any]], page: str | None = None) -> None:
        self.key = key
        self.cells = cells
        self._page = page

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.cells[index]

    def at(self, place: str) -> Cells:
        """Returns the cells of one place, such as ``Table II``."""
        return Cells(self.key, [cell for cell in self.cells if cell["place"] == place])

    @property
    def places(self) -> list[str]:
        """The tables, figures and claims, in the paper's order."""
        return list(dict.fromkeys(cell["place"] for cell in self.cells))

    def to_pandas(self) -> Any:
        """Returns the cells as a ``pandas.DataFrame``, one row a cell."""
        import pandas

        return pandas.DataFrame(self.cells)

    @property
    def html(self) -> str | None:
        """The page with the paper's figures drawn again; None unless it was asked for."""
        return self._page

    def _repr_html_(self) -> str:
        names = ["place", "cell", "unit", "paper", "formula", "measured", "verdict"]
        rows = "".join(
            "<tr>" + "".join(f"<td>{_text(cell.get(name))}</td>" for name in names) + "</tr>"
            for cell in self.cells
        )
        head = "".join(f"<th>{name}</th>" for name in names)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def __repr__(self) -> str:
        return f"<Cells {self.key}: {len(self)}>"


def _text(value: object) -> str:
    if value is None:
        return ""
    return _html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def known() -> list[Paper]:
    """Returns the papers that are known."""
    listed = _command.document(["papers", "--format=json"])
    return [Paper(one["key"], one["title"]) for one in _items(listed)]


def compare(
    key: str,
    *,
    simulate: bool = True,
    host: bool = False,
    traffic: str | os.PathLike[str] | None = None,
    page: bool = False,
) -> Cells:
    """Returns each number of a paper beside ours.

    Parameters
    ----------
    key : str
        A paper: ``ecqv-cits``, ``gke``, ``lasan``, ``vulcan``, ``wave-sec``.
    simulate : bool, optional
        False leaves the measured column empty: the formulas alone, at once. Simulations take some
        seconds.
    host : bool, optional
        True measures this machine as well (``ecqv-cits`` some 2 s, ``wave-sec`` some 30 s).
    traffic : path, optional
        A folder of traffic runs for ``ecqv-cits``.
    page : bool, optional
        True draws the paper's figures, too: ``Cells.html``.

    Raises
    ------
    waywarden.errors.InputError
        No such paper, or options that it does not have.
    """
    if not isinstance(key, str) or key.startswith("-"):
        from .errors import ParameterError

        raise ParameterError(f"key: {key!r} is no paper: see papers.known()", place="key")
    words: list[str | os.PathLike[str]] = ["papers", key, "--format=json"]
    if not simulate:
        words.append("--no-simulation")
    if host:
        words.append("--host")
    if traffic is not None:
        words += ["--traffic", traffic]
    if not page:
        return Cells(key, _items(_command.document(words)))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "page.html")
        cells = _items(_command.document([*words, "--html", file]))
        return Cells(key, cells, file.read_text(encoding="utf-8"))


def _items(listed: Any) -> list[dict[str, Any]]:
    """Returns the list of a document, whose name differs by command."""
    if isinstance(listed, list):
        return listed
    (items,) = (value for value in listed.values() if isinstance(value, list))
    return items
