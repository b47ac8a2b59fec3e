//! What one channel does to a bus: the load frame by frame, and each identifier's latencies.

use std::collections::BTreeMap;

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can_sim::controller::acceptance_key;
use waywarden_work::Duration;

use super::played::played;
use super::recording::Recorded;
use super::summary::{ChannelSummary, IdSummary};
use crate::exit::Failure;

/// A bus that a channel of the log is put on.
pub(super) struct Bus {
    pub(super) timing: BitTiming,
    pub(super) variant: FdVariant,
    /// How long the log is.
    pub(super) length: Duration,
}

impl Bus {
    /// Counts a channel's bits and plays it.
    pub(super) fn summary(
        &self,
        channel: String,
        frames: Recorded,
    ) -> Result<ChannelSummary, Failure> {
        let intermission = self.timing.intermission().get();
        let log_ps = self.length.as_nanos().saturating_mul(1_000).max(1) as f64;
        let mut busy: BTreeMap<u32, u64> = BTreeMap::new();
        let mut gaps: BTreeMap<u32, (Duration, Option<Duration>)> = BTreeMap::new();
        for (at, frame) in &frames {
            let key = acceptance_key(frame.id());
            let length = frame_length(frame, self.variant);
            *busy.entry(key).or_default() += duration(&length, &self.timing).get();
            let (last, worst) = gaps.entry(key).or_insert((*at, None));
            if last != at || worst.is_some() {
                *worst = Some(worst.map_or(*at - *last, |worst| worst.max(*at - *last)));
            }
            *last = *at;
        }
        let count = frames.len() as u64;
        let alone: u64 = busy.values().sum();
        let measure = played(&channel, frames, self.timing, self.variant)?;
        let ids = measure.ids.iter().map(|(&(_, key), (id, figures))| {
            let ms =
                |span: Option<Duration>| span.map_or(0.0, |span| span.as_nanos() as f64 * 1e-6);
            let with_intermission = busy[&key] + figures.frames * intermission;
            IdSummary {
                id: id.to_string(),
                extended: id.is_extended(),
                frames: figures.frames,
                load: with_intermission as f64 / log_ps,
                worst_gap_ms: gaps[&key].1.map(|gap| ms(Some(gap))),
                mean_latency_ms: ms(figures.latency.mean()),
                worst_latency_ms: ms(figures.latency.greatest()),
            }
        });
        Ok(ChannelSummary {
            channel,
            frames: count,
            ids: ids.collect(),
            load: (alone + count * intermission) as f64 / log_ps,
            load_without_intermission: alone as f64 / log_ps,
        })
    }
}
