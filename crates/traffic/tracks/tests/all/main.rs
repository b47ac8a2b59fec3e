//! Tests of the readers of tracks.

mod formats;
mod hostile;
mod parquet;
mod steps;
