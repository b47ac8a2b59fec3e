"""The compiled part of the package; import the modules beside it instead."""

from typing import Any

can_bus: Any
can: Any
secoc: Any
vehicle: Any

def command(arguments: list[str]) -> int: ...
paired: Any
v2x: Any
