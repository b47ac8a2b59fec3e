//! Logs read and written: the corpus, other programs, hostile bytes.

mod at_any_place;
mod corpus;
mod fuzz;
mod python_can;
mod round_trips;
mod support;
mod tshark;
