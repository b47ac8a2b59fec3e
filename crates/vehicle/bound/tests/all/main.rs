//! Bounds beside simulations.

mod errors;
mod key_exchanges;
mod known_answers;
mod random_vehicles;
