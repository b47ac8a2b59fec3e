//! The samples of a file, by vehicle.

use std::collections::HashMap;

use crate::error::{Cause, ReadError};
use crate::sample::Sample;
use crate::track::{Track, follows};

/// The most samples of one file: some 1 GB of memory while they are checked.
pub const SAMPLES_MAX: usize = 5_000_000;

/// A vehicle's track.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedTrack {
    /// The vehicle's name in the file.
    pub name: String,
    /// Its samples.
    pub track: Track,
}

/// The samples of vehicles that are read.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    numbers: HashMap<String, usize>,
    samples: Vec<(String, Vec<Sample>)>,
    count: usize,
}

impl Tracks {
    pub(crate) fn add(&mut self, name: &str, sample: Sample) -> Result<(), Cause> {
        if self.count >= SAMPLES_MAX {
            return Err(Cause::TooMany(SAMPLES_MAX));
        }
        self.count += 1;
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                self.numbers.insert(name.to_owned(), self.samples.len());
                self.samples.push((name.to_owned(), Vec::new()));
                self.samples.len() - 1
            }
        };
        let Some((name, samples)) = self.samples.get_mut(number) else {
            return Ok(());
        };
        let checked = samples.last().map_or(Ok(()), |last| follows(last, &sample));
        checked.map_err(|cause| Cause::Track {
            name: name.clone(),
            cause,
        })?;
        samples.push(sample);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Vec<NamedTrack>, ReadError> {
        let fault = |cause| ReadError::at_line(1, cause);
        if self.samples.is_empty() {
            return Err(fault(Cause::Empty));
        }
        let tracks = self
            .samples
            .into_iter()
            .map(|(name, samples)| match Track::new(&samples) {
                Ok(track) => Ok(NamedTrack { name, track }),
                Err(cause) => Err(fault(Cause::Track { name, cause })),
            });
        tracks.collect()
    }
}
