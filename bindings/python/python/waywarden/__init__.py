"""Security of vehicles: the exact CAN bus, SecOC, V2X messages and the lab.

Import the module that you need:

- ``waywarden.can_bus``: exact simulated buses, the interface ``waywarden`` of python-can
- ``waywarden.can``: logs as tables, bus load, frames bit by bit, message matrices
- ``waywarden.secoc``: SecOC of AUTOSAR; ``waywarden.paired``: vatiCAN and LeiA
- ``waywarden.v2x``: V2X messages verified, inspected, signed and encrypted
- ``waywarden.vehicle``: vehicles checked, run, bounded and compared
- ``waywarden.traffic``, ``waywarden.papers``: road traffic on the radio channel; papers' numbers
- ``waywarden.sweep``, ``waywarden.ray``: many seeds, on one machine or on a Ray cluster

All errors are exceptions of ``waywarden.errors``, whose root is :class:`Error`. The command
``waywarden`` is in the package: ``python -m waywarden --help``.
"""

from .errors import Error

__all__ = ["Error"]
