//! The part of a run's trace that explains the duration of a round trip.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EventSink, TraceEvent};
use waywarden_work::{Instant, OperationKind};

/// A stretch of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// The trace of one run, and the times that its first ECU took. Means are over the samples.
#[derive(Debug, Default)]
pub(super) struct Record {
    frames: Vec<Stretch>,
    work: Vec<Stretch>,
    /// Stretches of work on codes; true where the code was finished with it.
    codes: Vec<(Stretch, bool)>,
    pub(super) sends: Vec<Stretch>,
    pub(super) trips: Vec<Stretch>,
}

impl Stretch {
    pub(super) const fn of((from, to): (Instant, Instant)) -> Self {
        Stretch {
            from: from.as_nanos() as f64,
            to: to.as_nanos() as f64,
        }
    }

    const fn between(from: Time, to: Time) -> Self {
        Stretch {
            from: from.as_picos() as f64 / 1e3,
            to: to.as_picos() as f64 / 1e3,
        }
    }

    fn length(self) -> f64 {
        self.to - self.from
    }

    /// The part of another stretch that is in this one.
    fn overlap(self, other: Stretch) -> f64 {
        (self.to.min(other.to) - self.from.max(other.from)).max(0.0)
    }
}

/// Returns the mean of the lengths; zero of none.
pub(super) fn mean(stretches: &[Stretch]) -> f64 {
    let sum: f64 = stretches.iter().map(|stretch| stretch.length()).sum();
    sum / stretches.len().max(1) as f64
}

impl Record {
    /// Returns the mean time that all of `of` take within a round trip, in nanoseconds.
    fn within(&self, of: &[Stretch]) -> f64 {
        let trips = self.trips.iter();
        let sum: f64 = trips
            .flat_map(|trip| of.iter().map(|stretch| trip.overlap(*stretch)))
            .sum();
        sum / self.trips.len().max(1) as f64
    }

    /// Returns the mean time that frames are on the bus in a round trip, in nanoseconds.
    pub(super) fn bus(&self) -> f64 {
        self.within(&self.frames)
    }

    /// Returns the mean time that both processors are busy with a round trip, in nanoseconds.
    pub(super) fn processors(&self) -> f64 {
        self.within(&self.work)
    }

    /// The frames of each round trip.
    fn frames_of(&self, trip: Stretch) -> impl Iterator<Item = Stretch> + '_ {
        let frames = self.frames.iter().copied();
        frames.filter(move |frame| trip.overlap(*frame) > 0.0)
    }

    /// Returns the mean number of frames in a round trip.
    pub(super) fn count(&self) -> f64 {
        let all = self.trips.iter().map(|trip| self.frames_of(*trip).count());
        all.sum::<usize>() as f64 / self.trips.len().max(1) as f64
    }

    /// Returns the lengths of the frames of each round trip, in nanoseconds.
    pub(super) fn frames_by_trip(&self) -> Vec<Vec<f64>> {
        let trips = self.trips.iter();
        trips
            .map(|trip| self.frames_of(*trip).map(Stretch::length).collect())
            .collect()
    }

    /// Returns the mean time of one code of a round trip, in nanoseconds; none if there was none.
    pub(super) fn code(&self) -> Option<f64> {
        let is_sample = |code: &Stretch| self.trips.iter().any(|trip| trip.overlap(*code) > 0.0);
        let codes = self.codes.iter().filter(|(code, _)| is_sample(code));
        let (mut time, mut count) = (0.0, 0);
        for (code, finished) in codes {
            time += code.length();
            count += u32::from(*finished);
        }
        (count > 0).then(|| time / f64::from(count))
    }
}

impl EventSink for Record {
    fn record(&mut self, at: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Sent { started, .. } => self.frames.push(Stretch::between(started, at)),
            TraceEvent::Worked { slice, .. } => {
                let stretch = Stretch::between(slice.from, slice.to);
                self.work.push(stretch);
                if slice.operation.kind == OperationKind::Tag {
                    self.codes.push((stretch, slice.finished));
                }
            }
            _ => {}
        }
    }
}
