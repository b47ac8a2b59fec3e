//! Tests of the readers of tracks.

mod faults;
mod formats;
mod hostile;
mod parquet;
mod steps;
mod without_rmc;
