//! Bounds beside simulations.

mod errors;
mod key_exchanges;
mod known_answers;
mod pairs;
mod random_vehicles;
