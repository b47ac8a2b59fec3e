//! SecOC: known answers, rules, attacks, and a car under fire.

mod attacks;
mod batch;
mod car;
#[path = "../bench/dice.rs"]
mod dice;
mod fire;
mod rules;
mod vectors;
