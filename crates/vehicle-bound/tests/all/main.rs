//! Bounds beside simulations.

mod random_vehicles;
