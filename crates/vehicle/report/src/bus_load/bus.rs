//! Load of one channel on a bus, frame by frame, and each identifier's latencies.

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_work::Duration;

use super::played::Played;
use super::{ChannelSummary, IdSummary, LoadError};

/// A bus that a channel of the log is put on.
pub struct Bus {
    channel: String,
    timing: BitTiming,
    variant: FdVariant,
    frames: u64,
    /// Total duration of its frames by identifier, in picoseconds.
    busy: BTreeMap<u32, u64>,
    /// Total duration of all frames but the first, with their intermissions, in picoseconds.
    after_first: u64,
    /// By identifier: its last time stamp, and the longest time between two.
    gaps: BTreeMap<u32, (Duration, Option<Duration>)>,
    played: Played,
}

impl Bus {
    /// Begins a bus without a frame.
    ///
    /// # Errors
    /// [`LoadError`] for a timing that cannot be simulated.
    pub fn new(channel: &str, timing: BitTiming, variant: FdVariant) -> Result<Self, LoadError> {
        Ok(Bus {
            channel: channel.to_owned(),
            timing,
            variant,
            frames: 0,
            busy: BTreeMap::new(),
            after_first: 0,
            gaps: BTreeMap::new(),
            played: Played::new(channel, timing, variant)?,
        })
    }

    /// Counts the bits of the channel's next frame and plays it; `at` never goes back.
    ///
    /// # Errors
    /// [`LoadError`] of the simulation.
    pub fn add(&mut self, at: Duration, frame: Frame) -> Result<(), LoadError> {
        let key = acceptance_key(frame.id());
        let length = frame_length(&frame, self.variant);
        let busy = duration(&length, &self.timing).get();
        *self.busy.entry(key).or_default() += busy;
        if self.frames > 0 {
            self.after_first += busy + self.timing.intermission().get();
        }
        self.frames += 1;
        match self.gaps.get_mut(&key) {
            None => {
                self.gaps.insert(key, (at, None));
            }
            Some((last, worst)) => {
                let gap = at - *last;
                *worst = Some(worst.map_or(gap, |worst| worst.max(gap)));
                *last = at;
            }
        }
        self.played.push(at, frame)
    }

    /// Returns the identifiers, as [`acceptance_key`] has them.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.busy.keys().copied()
    }

    /// Sums the channel up, for a log of this length.
    ///
    /// # Errors
    /// If the bus cannot carry the frames in that time.
    pub fn summary(self, length: Duration) -> Result<ChannelSummary, LoadError> {
        let intermission = self.timing.intermission().get();
        let log_ps = length.as_nanos().saturating_mul(1_000).max(1);
        let alone: u64 = self.busy.values().sum();
        let share = |picos: u64| picos as f64 / log_ps as f64;
        let load = share(alone + self.frames * intermission);
        // Between two time stamps there is room for the second frame, not for both.
        if self.after_first > log_ps {
            return Err(LoadError::Overloaded {
                channel: self.channel,
                frames: self.frames,
                load,
                rate: self.timing.nominal.bit_rate(),
            });
        }
        let Some(measure) = self.played.finish()? else {
            return Err(LoadError::TooCoarse {
                channel: self.channel,
                load,
            });
        };
        let ids = measure.ids[0].iter().map(|(key, (id, figures))| {
            let ms =
                |span: Option<Duration>| span.map_or(0.0, |span| span.as_nanos() as f64 * 1e-6);
            IdSummary {
                channel: self.channel.clone(),
                identifier: (*id).into(),
                frames: figures.frames,
                load: share(self.busy[key] + figures.frames * intermission),
                worst_gap_ms: self.gaps[key].1.map(|gap| ms(Some(gap))),
                mean_latency_ms: ms(figures.latency.mean()),
                worst_latency_ms: ms(figures.latency.greatest()),
            }
        });
        Ok(ChannelSummary {
            ids: ids.collect(),
            channel: self.channel,
            frames: self.frames,
            load,
            load_without_intermission: share(alone),
        })
    }
}
