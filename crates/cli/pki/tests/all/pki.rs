//! `waywarden pki`: what it makes, what it refuses, and what it keeps secret.

mod certificates;
mod keys;
