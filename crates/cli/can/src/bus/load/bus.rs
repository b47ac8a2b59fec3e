//! Load of one channel on a bus, frame by frame, and each identifier's latencies.

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_vehicle_file::formatting::percent;
use waywarden_work::Duration;

use super::played::Played;
use super::summary::{ChannelSummary, IdSummary};
use waywarden_command_line::exit::Failure;

/// Below that rate in bit/s, the unit of `--bitrate` was probably forgotten: no vehicle bus is so
/// slow.
const PLAUSIBLE_RATE_MIN: u32 = 5_000;

/// A bus that a channel of the log is put on.
pub(super) struct Bus {
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
    pub(super) fn new(
        channel: &str,
        timing: BitTiming,
        variant: FdVariant,
    ) -> Result<Self, Failure> {
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

    /// Counts the bits of the channel's next frame and plays it.
    pub(super) fn add(&mut self, at: Duration, frame: Frame) -> Result<(), Failure> {
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
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> {
        self.busy.keys().copied()
    }

    /// Sums the channel up, for a log of this length.
    ///
    /// # Errors
    /// If the bus cannot carry the frames in that time.
    pub(super) fn summary(self, length: Duration) -> Result<ChannelSummary, Failure> {
        let intermission = self.timing.intermission().get();
        let log_ps = length.as_nanos().saturating_mul(1_000).max(1);
        let alone: u64 = self.busy.values().sum();
        let share = |picos: u64| picos as f64 / log_ps as f64;
        let load = share(alone + self.frames * intermission);
        // Between two time stamps there is room for the second frame, not for both.
        if self.after_first > log_ps {
            return Err(self.overloaded(load));
        }
        let Some(measure) = self.played.finish()? else {
            return Err(Failure::new(format_args!(
                "channel {}: too many frames at once: more than {} wait for the bus at one time, \
                 though it carries them all in the end ({}); the log's time stamps are too coarse",
                self.channel,
                Played::WAITING_MAX,
                percent(load)
            )));
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

    fn overloaded(&self, load: f64) -> Failure {
        let rate = self.timing.nominal.bit_rate();
        let bits = rate.bits_per_second();
        let cause = if bits < PLAUSIBLE_RATE_MIN {
            format!("--bitrate {bits} means {bits} bit/s; write {bits}k for {bits} kbit/s")
        } else {
            "give the bit rate of the recorded bus with --bitrate, and with --data-bitrate that of \
             CAN FD frames with BRS; or the log merges several buses into one channel, or its time \
             stamps are not seconds"
                .to_owned()
        };
        Failure::new(format_args!(
            "channel {}: its {} frames are a load of {} at {rate}, and no bus carries more than \
             100 %; {cause}",
            self.channel,
            self.frames,
            percent(load)
        ))
    }
}
