//! Load that a recorded log puts on a bus of given rates, exact to the bit.
//!
//! [`LogClock`] counts time from a log's first frame; a [`Bus`] takes the frames of one channel,
//! counts their bits, and plays them onto a simulated bus for their latencies. Memory does not grow
//! with the log.

mod bus;
mod played;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::timing::BitRate;
use waywarden_can_sim::{SimulationError, config};
use waywarden_documents::document::DocumentFormat;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_work::Duration;

pub use bus::Bus;

/// The most frames that wait for a bus at one time: 16 s of a bus at 125 kbit/s.
pub const WAITING_MAX: usize = 1 << 14;

/// The document of a load for programs.
pub const DOCUMENT: DocumentFormat<Summary> = DocumentFormat::new(
    "bus-load",
    1,
    "waywarden bus load LOG --bitrate RATE --format json",
);

/// Reason for a load that cannot be told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The timing cannot be simulated.
    #[error("{0}")]
    Config(#[from] config::ConfigError),
    /// The simulation cannot go on.
    #[error("{0}")]
    Simulation(#[from] SimulationError),
    /// The built-in board `ideal` is missing.
    #[error("the built-in board ideal is missing")]
    NoBoard,
    /// No bus of that rate can have carried the frames.
    #[error(
        "channel {channel}: its {frames} frames are a load of {} at {rate}, and no bus carries \
         more than 100 %; give the bit rates of the recorded bus",
        percent(*.load)
    )]
    Overloaded {
        /// The channel.
        channel: String,
        /// Its frames.
        frames: u64,
        /// Their load, a share above 1.
        load: f64,
        /// The nominal bit rate.
        rate: BitRate,
    },
    /// More frames than [`WAITING_MAX`] wait at one time.
    #[error(
        "channel {channel}: too many frames at once: more than {WAITING_MAX} wait for the bus at \
         one time, though it carries them all in the end ({}); the log's time stamps are too \
         coarse",
        percent(*.load)
    )]
    TooCoarse {
        /// The channel.
        channel: String,
        /// Load of its frames, a share.
        load: f64,
    },
}

/// Time on a log's clock from its first frame on.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogClock {
    first_ns: Option<u64>,
    before_ns: u64,
    /// From the first time stamp to the latest.
    pub length: Duration,
    /// Number of frames that share their time stamp with the one before.
    pub simultaneous: u64,
    /// Number of frames that are stamped earlier than the one before.
    pub backwards: u64,
}

impl LogClock {
    /// Takes the time stamp of the next frame; returns the first one. [`Self::length`] is then the
    /// time of the frame, which never goes back.
    pub fn advance(&mut self, at_ns: u64) -> u64 {
        let first = match self.first_ns {
            None => *self.first_ns.insert(at_ns),
            Some(first) => {
                let since = Duration::from_nanos(at_ns.saturating_sub(first));
                self.backwards += u64::from(at_ns < self.before_ns);
                self.simultaneous += u64::from(since <= self.length);
                self.length = self.length.max(since);
                first
            }
        };
        self.before_ns = at_ns;
        first
    }

    /// Returns the first time stamp.
    #[must_use]
    pub const fn first_ns(&self) -> Option<u64> {
        self.first_ns
    }
}

/// Load of a log on its buses. Loads are shares; intermission is counted unless said otherwise.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Frames on the bus.
    pub frames: u64,
    /// Identifiers seen, over all channels.
    pub ids: usize,
    /// From the first time stamp to the last.
    pub duration_s: f64,
    /// Frames and their three bits of intermission: 1 is a bus without a free moment. `None` for
    /// several channels: the loads of two buses have no sum.
    pub load: Option<f64>,
    /// Frames alone, from start of frame to end of frame.
    pub load_without_intermission: Option<f64>,
    /// Number of frames stamped earlier than the one before; they count as simultaneous with it.
    pub backwards: u64,
    /// Number of frames that share their time stamp with the one before; many mean a coarse clock.
    pub simultaneous: u64,
    /// Number of events or objects of the log that are no frames on the bus.
    pub skipped_events: u64,
    /// Number of damaged lines or messages that were skipped.
    pub skipped_lines: u64,
    /// By channel, which is one bus.
    pub channels: Vec<ChannelSummary>,
}

/// Load of a log on one bus.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChannelSummary {
    /// Its name in the log.
    pub channel: String,
    /// Frames on it.
    pub frames: u64,
    /// By identifier.
    pub ids: Vec<IdSummary>,
    /// Frames and their intermissions, as a share of the time.
    pub load: f64,
    /// Frames alone.
    pub load_without_intermission: f64,
}

/// Load of an identifier's frames on one bus.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IdSummary {
    /// The bus.
    pub channel: String,
    /// The identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Its frames.
    pub frames: u64,
    /// Their share of the time, with intermissions.
    pub load: f64,
    /// The longest time from one to the next; null of a single one.
    pub worst_gap_ms: Option<f64>,
    /// From the time stamp to the end of the frame on the simulated bus.
    pub mean_latency_ms: f64,
    /// The longest of these.
    pub worst_latency_ms: f64,
}

impl Summary {
    /// Sums up the buses of a log, of which so many events and damaged lines were skipped.
    ///
    /// # Errors
    /// [`LoadError`] by cause.
    pub fn new(
        clock: &LogClock,
        buses: impl IntoIterator<Item = Bus>,
        (skipped_events, skipped_lines): (u64, u64),
    ) -> Result<Self, LoadError> {
        let buses: Vec<Bus> = buses.into_iter().collect();
        let ids: BTreeSet<u32> = buses.iter().flat_map(Bus::ids).collect();
        let mut summary = Summary {
            frames: 0,
            ids: ids.len(),
            duration_s: clock.length.as_nanos() as f64 * 1e-9,
            load: None,
            load_without_intermission: None,
            backwards: clock.backwards,
            simultaneous: clock.simultaneous,
            skipped_events,
            skipped_lines,
            channels: Vec::new(),
        };
        for bus in buses {
            let channel = bus.summary(clock.length)?;
            summary.frames += channel.frames;
            summary.channels.push(channel);
        }
        if let [only] = summary.channels.as_slice() {
            summary.load = Some(only.load);
            summary.load_without_intermission = Some(only.load_without_intermission);
        }
        Ok(summary)
    }

    /// Returns all identifiers of all channels.
    pub fn all_ids(&self) -> impl Iterator<Item = &IdSummary> {
        self.channels.iter().flat_map(|channel| &channel.ids)
    }
}
