//! Bounds beside simulations.

mod errors;
mod key_exchanges;
mod random_vehicles;
