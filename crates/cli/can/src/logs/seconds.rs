//! The load of each bus second by second, while frames come.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::frame::Format;
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_work::Duration;

/// Counts what each channel carries in the second that runs.
pub(crate) struct Seconds {
    timing: BitTiming,
    variant: FdVariant,
    /// Start of the second, from the first time stamp on.
    begin: Duration,
    /// The latest time that is known.
    now: Duration,
    channels: BTreeMap<String, Second>,
}

/// One channel in one second.
#[derive(Clone, Debug, Default)]
pub(crate) struct Second {
    pub frames: u64,
    /// Frames since the beginning, with those of this second.
    pub total_frames: u64,
    ids: BTreeSet<u32>,
    /// Identifiers since the beginning.
    all_ids: BTreeSet<u32>,
    /// Duration of the frames without intermission, in picoseconds.
    busy: u64,
    /// The same since the beginning, with intermissions.
    total_busy: u64,
    /// Frames whose data phase has a bit rate that is not given.
    unknown_rate: u64,
}

/// A second that is over, or the shorter rest at the end.
pub(crate) struct Finished {
    /// Start of the second, from the first time stamp on.
    pub begin: Duration,
    length_ps: u64,
    /// From the first time stamp to its end, in picoseconds; more than 64 bits hold in a year.
    elapsed_ps: f64,
    intermission_ps: u64,
    pub channels: Vec<(String, Second)>,
}

const PICOS_PER_NANO: u64 = 1_000;
const NANOS_PER_SECOND: u64 = 1_000_000_000;
const PICOS_PER_SECOND: u64 = NANOS_PER_SECOND * PICOS_PER_NANO;

/// Returns true for a CAN FD frame whose data phase has a bit rate of its own.
pub(crate) fn switches_bit_rate(frame: &Frame) -> bool {
    matches!(
        frame.format(),
        Format::Fd {
            bit_rate_switch: true,
            ..
        }
    )
}

impl Seconds {
    pub(crate) fn new(timing: BitTiming, variant: FdVariant) -> Self {
        Seconds {
            timing,
            variant,
            begin: Duration::ZERO,
            now: Duration::ZERO,
            channels: BTreeMap::new(),
        }
    }

    /// Sets the clock, from the first time stamp on, and returns the second that it ends.
    ///
    /// Seconds in which nothing comes are returned only if the clock is set in them, so that a log
    /// with a gap of years has no line for each second of it.
    pub(crate) fn advance(&mut self, now: Duration) -> Option<Finished> {
        self.now = self.now.max(now);
        let since = self.now.as_nanos() - self.begin.as_nanos();
        if since < NANOS_PER_SECOND {
            return None;
        }
        let finished = self.close(PICOS_PER_SECOND);
        let now = self.now.as_nanos();
        self.begin = Duration::from_nanos(now - now % NANOS_PER_SECOND);
        Some(finished)
    }

    /// Counts a frame in the second that runs.
    pub(crate) fn add(&mut self, channel: &str, frame: &Frame) {
        if !self.channels.contains_key(channel) {
            self.channels.insert(channel.to_owned(), Second::default());
        }
        let Some(second) = self.channels.get_mut(channel) else {
            return;
        };
        let key = acceptance_key(frame.id());
        second.frames += 1;
        second.total_frames += 1;
        second.ids.insert(key);
        second.all_ids.insert(key);
        if self.timing.data.is_none() && switches_bit_rate(frame) {
            second.unknown_rate += 1;
            return;
        }
        let busy = duration(&frame_length(frame, self.variant), &self.timing).get();
        second.busy += busy;
        second.total_busy += busy + self.timing.intermission().get();
    }

    /// Ends the second that runs. It is at least as long as its frames take on a bus: a time stamp
    /// is where a frame begins or was read, and the last one has no time after it.
    pub(crate) fn finish(mut self) -> Option<Finished> {
        let since = (self.now.as_nanos() - self.begin.as_nanos()) * PICOS_PER_NANO;
        let intermission = self.timing.intermission().get();
        let carried = |second: &Second| second.busy + second.frames * intermission;
        let length = self.channels.values().map(carried).fold(since, u64::max);
        let has_frames = self.channels.values().any(|second| second.frames > 0);
        has_frames.then(|| self.close(length))
    }

    fn close(&mut self, length_ps: u64) -> Finished {
        let mut channels = Vec::new();
        for (name, second) in &mut self.channels {
            channels.push((name.clone(), second.clone()));
            second.frames = 0;
            second.busy = 0;
            second.ids.clear();
        }
        Finished {
            begin: self.begin,
            length_ps,
            elapsed_ps: self.begin.as_nanos() as f64 * PICOS_PER_NANO as f64 + length_ps as f64,
            intermission_ps: self.timing.intermission().get(),
            channels,
        }
    }
}

impl Second {
    /// Returns the number of identifiers in this second.
    pub(crate) fn ids(&self) -> usize {
        self.ids.len()
    }

    /// Returns the number of identifiers since the beginning.
    pub(crate) fn all_ids(&self) -> usize {
        self.all_ids.len()
    }

    /// Returns true if a frame came whose data bit rate is not given: loads are then too low.
    pub(crate) const fn has_unknown_rate(&self) -> bool {
        self.unknown_rate > 0
    }
}

impl Finished {
    /// Returns its length.
    pub(crate) fn seconds(&self) -> f64 {
        self.length_ps as f64 / PICOS_PER_SECOND as f64
    }

    /// Returns the load of a channel: frames and their intermissions, as a share of the time.
    pub(crate) fn load(&self, second: &Second) -> f64 {
        let busy = second.busy + second.frames * self.intermission_ps;
        busy as f64 / self.length_ps as f64
    }

    /// Returns the load of the frames alone.
    pub(crate) fn load_without_intermission(&self, second: &Second) -> f64 {
        second.busy as f64 / self.length_ps as f64
    }

    /// Returns the load since the first time stamp.
    pub(crate) fn total_load(&self, second: &Second) -> f64 {
        second.total_busy as f64 / self.elapsed_ps
    }

    /// Returns how many frames of a channel came in a second.
    pub(crate) fn frames_per_second(&self, second: &Second) -> f64 {
        second.frames as f64 / self.seconds()
    }
}
