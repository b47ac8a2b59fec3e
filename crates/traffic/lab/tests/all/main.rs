//! Tests of the traffic laboratory.

mod ns3;
mod receptions;
mod switching;
