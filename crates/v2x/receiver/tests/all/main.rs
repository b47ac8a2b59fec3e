//! Tests of a receiver that threads share.

mod shared;
