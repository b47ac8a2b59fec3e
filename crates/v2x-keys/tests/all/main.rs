//! Tests of the keys of V2X.

mod round_trips;
