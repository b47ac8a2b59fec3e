//! Known answers, outside implementations, an outside reckoning of each table, hostile input.

mod agreement;
mod arithmetic;
mod ecqv;
mod edges;
mod fuzz;
mod hostile;
mod kernels;
mod known_answers;
mod lanes;
mod models;
mod outside;
mod paths;
mod samples;
mod special;
mod tables;
mod vectors;
mod verifier;
mod wycheproof;
