"""Security of vehicles: the exact CAN bus, SecOC, V2X messages and the lab.

Each module stands for itself: ``waywarden.secoc``, ``waywarden.v2x``, ``waywarden.vehicle``,
``waywarden.can``. All errors are exceptions of ``waywarden.errors``.
"""

from .errors import Error

__all__ = ["Error"]
