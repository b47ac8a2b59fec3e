//! SecOC: known answers, rules, attacks, and a car under fire.

mod attacks;
mod batch;
mod car;
mod fire;
mod production;
mod rules;
mod separate;
mod vectors;
