"""The exceptions of this package: one tree, whose root is :class:`Error`.

A message names the file, the place in it, what is wrong and what would be right. The same parts
stand in attributes, for programs.
"""

from __future__ import annotations

from collections.abc import Sequence


class Error(Exception):
    """Root of all exceptions of this package.

    Attributes:
        code: stable name of the cause, or None.
        place: place in the input (a path of keys, a line, an index), or None.
        remedy: the way to mend it, or None.
        problems: every problem found, if there are several; one line each.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: str | None = None,
        remedy: str | None = None,
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.code: str | None = code
        self.place: str | None = place
        self.remedy: str | None = remedy
        self.problems: list[str] = list(problems)


class InputError(Error, ValueError):
    """A value, file or message that cannot be read."""


class VehicleError(InputError):
    """A vehicle file that has faults; ``problems`` lists all of them."""


class LogError(InputError):
    """A log or a database of CAN messages that cannot be read."""


class TrustError(InputError):
    """A trust folder, certificate or list that cannot be used."""


class ParameterError(InputError):
    """A key or a parameter of a protocol that cannot be used."""


class MissingError(InputError, KeyError):
    """A name that there is not, such as that of a column or a table."""

    def __str__(self) -> str:
        # That of KeyError would print the message in quotation marks.
        return Exception.__str__(self)


class SimulationError(Error, RuntimeError):
    """A simulation that cannot go on."""


class RefusedError(Error):
    """An operation that the rules of a protocol refuse."""
