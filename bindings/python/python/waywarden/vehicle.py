"""Vehicles as files, texts or objects: checked, run and judged.

A vehicle is a TOML file of buses, ECUs and messages, with their protection and attackers::

    from waywarden.vehicle import Vehicle

    car = Vehicle.from_file("examples/compact-car-secoc.toml")
    run = car.run(seed=7, duration="2s")
    if not run:
        print(run.requirements.to_dict())
    run.table("streams").to_pandas()

Runs are exact and repeatable: the same vehicle and seed give the same figures, byte for byte those
of the command ``waywarden run``. ``fit("car.dbc", log="drive.blf")`` answers if SecOC fits a bus, as
``waywarden fit`` does.
"""

from ._native import vehicle as _vehicle
from .can import Table

Bounds = _vehicle.Bounds
Comparison = _vehicle.Comparison
Fit = _vehicle.Fit
Run = _vehicle.Run
Runs = _vehicle.Runs
Vehicle = _vehicle.Vehicle
fit = _vehicle.fit

__all__ = ["Bounds", "Comparison", "Fit", "Run", "Runs", "Table", "Vehicle", "fit"]
