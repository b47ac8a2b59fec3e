//! Tests of the readers of tracks.

mod formats;
mod hostile;
mod steps;
