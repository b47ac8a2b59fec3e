//! The samples of a file, by vehicle.

use std::collections::HashMap;

use crate::error::{Location, ReadError, TrackCause};
use crate::faults::{Faults, TrackFaultKind};
use crate::sample::Sample;
use crate::select::{Located, select};
use crate::track::{Track, TrackError, follows};

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
    pub(crate) faults: Faults,
    numbers: HashMap<String, usize>,
    samples: Vec<(String, Vec<Located>)>,
    count: usize,
}

fn fault(name: &str, location: Location, cause: TrackError) -> ReadError {
    ReadError {
        location,
        cause: TrackCause::Track {
            name: name.to_owned(),
            cause,
        },
    }
}

impl Tracks {
    pub(crate) fn new(is_strict: bool) -> Self {
        Self {
            faults: Faults::new(is_strict),
            ..Self::default()
        }
    }

    /// Adds a sample. A strict reader checks here that it follows on the one before; another one
    /// chooses at the end.
    pub(crate) fn add(
        &mut self,
        name: &str,
        sample: Sample,
        location: Location,
    ) -> Result<(), ReadError> {
        if self.count >= SAMPLES_MAX {
            let cause = TrackCause::TooMany(SAMPLES_MAX);
            return Err(ReadError { location, cause });
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
        if let Some(last) = samples.last().filter(|_| self.faults.is_strict()) {
            let checked = follows(&last.sample, &sample);
            checked.map_err(|cause| fault(name, location, cause))?;
        }
        samples.push(Located { sample, location });
        Ok(())
    }

    /// Makes tracks of the samples that fit together, and counts the others. `needed` is what a
    /// position needs, for a file that has none.
    pub(crate) fn finish(
        mut self,
        needed: &'static str,
    ) -> Result<(Vec<NamedTrack>, Faults), ReadError> {
        if self.samples.is_empty() {
            return Err(self.faults.why_empty(needed));
        }
        let mut tracks = Vec::with_capacity(self.samples.len());
        for (name, samples) in self.samples {
            let (mut jumps, mut first_jump) = (0, None);
            let faults = &mut self.faults;
            let samples = select(samples, |one| {
                if one.kind == TrackFaultKind::Jump {
                    jumps += 1;
                    first_jump.get_or_insert((one.location, one.cause));
                }
                let cause = TrackCause::Track {
                    name: name.clone(),
                    cause: one.cause,
                };
                faults.note(one.kind, one.location, cause);
            });
            // A file most of whose samples jump has other units than it seems.
            if let Some((location, cause)) = first_jump.filter(|_| jumps >= samples.len()) {
                return Err(fault(&name, location, cause));
            }
            let track = Track::new(&samples);
            let track = track.map_err(|cause| fault(&name, Location::Line(1), cause))?;
            tracks.push(NamedTrack { name, track });
        }
        Ok((tracks, self.faults))
    }
}
