//! Comparison with independent implementations, in both directions.

mod pycrate;
mod rasn;
