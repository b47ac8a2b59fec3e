//! Message matrices without files around them: what damage and bad messages cost, and what they do
//! not. What becomes of a matrix in a vehicle file is for `waywarden-vehicle-file` to test.

mod mistakes;
mod signals;
mod write;
