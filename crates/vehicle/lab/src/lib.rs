//! Vehicles run, compared and attacked.
//!
//! [`mod@run`] runs a vehicle file and measures it; [`mod@compare`] does that with the same car
//! under other keys and authentication; [`many`] runs seeds and phases; [`fit`] answers if SecOC
//! fits a bus; [`mod@bounds`] bounds response times; [`start_up`] measures how long it takes to its
//! first authentic messages in several situations; [`attack_matrix`] is the matrix of protocols and
//! attacks; [`exchange`] follows one exchange of keys message by message.
//! Nothing here opens a file: [`waywarden_vehicle_resources::needed`] says which ones a
//! vehicle needs.
#![forbid(unsafe_code)]

pub mod attack_matrix;
pub mod bounds;
pub mod compare;
mod composing;
pub mod exchange;
pub mod fingerprint;
pub mod fit;
pub mod lower;
pub mod many;
pub mod phases;
pub mod run;
pub mod start_up;
