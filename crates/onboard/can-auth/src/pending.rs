//! Data that wait for their tag: not one, which an injected frame would displace, but a few.

use waywarden_work::Instant;

/// Maximum number of data frames of a stream that wait for a tag. As many tags are computed for a
/// frame with a tag, at most.
pub const CANDIDATES: usize = 4;

/// Something that waits, by the low bits of its counter where it shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate<T> {
    pub(crate) low: Option<u16>,
    pub(crate) what: T,
    pub(crate) until: Instant,
}

/// Up to [`CANDIDATES`] of them, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Pending<T>([Option<Candidate<T>>; CANDIDATES]);

impl<T: Copy> Pending<T> {
    pub(crate) const fn new() -> Self {
        Pending([None; CANDIDATES])
    }

    /// Adds one; returns the oldest if it was displaced.
    pub(crate) fn push(&mut self, candidate: Candidate<T>) -> Option<T> {
        if let Some(place) = self.0.iter_mut().find(|place| place.is_none()) {
            *place = Some(candidate);
            return None;
        }
        self.0.rotate_left(1);
        let displaced = self.0[CANDIDATES - 1].replace(candidate);
        displaced.map(|candidate| candidate.what)
    }

    /// Those that a tag with these low bits may belong to, newest first, with their places.
    pub(crate) fn matching(&self, low: u16) -> impl Iterator<Item = (usize, T)> + use<T> {
        let places = self.0;
        (0..CANDIDATES).rev().filter_map(move |place| {
            let candidate = places[place]?;
            candidate
                .low
                .is_none_or(|own| own == low)
                .then_some((place, candidate.what))
        })
    }

    /// Takes out the one at `place` and all that are older.
    pub(crate) fn take_until(&mut self, place: usize) {
        self.0[..=place].fill(None);
        self.0.rotate_left(place + 1);
    }

    /// Takes out the one at `place` alone.
    pub(crate) fn take(&mut self, place: usize) {
        self.0[place..].rotate_left(1);
        self.0[CANDIDATES - 1] = None;
    }

    /// Takes out the oldest if its time is over.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<T> {
        let oldest = self.0[0].filter(|candidate| candidate.until <= now)?;
        self.take_until(0);
        Some(oldest.what)
    }

    /// Returns the expiry of the oldest.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.0[0].map(|candidate| candidate.until)
    }

    pub(crate) fn clear(&mut self) {
        self.0 = [None; CANDIDATES];
    }
}
