//! `waywarden bus load`: what a recorded log does to a bus of given rates.
//!
//! The load is counted frame by frame, exact to the bit. For latencies the log is played onto a
//! simulated bus: each frame is released at its time stamp and competes with the others.

mod bus;
mod played;
mod recording;
mod summary;

use std::collections::BTreeSet;
use std::path::PathBuf;

use waywarden_can::bits::FdVariant;
use waywarden_can_sim::controller::acceptance_key;

use self::bus::Bus;
use self::recording::Recording;
use self::summary::Summary;
use crate::exit::{Answer, Failure};
use crate::quantity::Rates;
use crate::table::Format;

/// The exact load a log puts on a bus: by identifier, worst gaps, latency under arbitration.
///
/// LOG is a candump, ASC or BLF log, plain or gzip. Each channel of the log is a bus of its own,
/// with a load of its own; the log as a whole has one only if it has one channel. A log whose
/// frames all have one time stamp has no length and is refused. Memory grows with the log, by some
/// 230 bytes a frame, for the frames are played onto the simulated bus.
#[derive(Debug, clap::Args)]
pub(crate) struct Load {
    /// The log.
    log: PathBuf,
    #[command(flatten)]
    rates: Rates,
    /// Only this channel of the log.
    #[arg(long)]
    channel: Option<String>,
    /// The CAN FD frame format before ISO 11898-1:2015.
    #[arg(long)]
    non_iso: bool,
    /// How many identifiers the table shows, heaviest first; 0 means all. JSON and CSV show all.
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Load {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let Recording {
            channels,
            length,
            simultaneous,
            backwards,
        } = Recording::read(&self.log, self.channel.as_deref())?;
        let timing = self.rates.timing()?;
        let variant = if self.non_iso {
            FdVariant::NonIso
        } else {
            FdVariant::Iso
        };
        let mut summary = Summary {
            frames: 0,
            ids: 0,
            duration_s: length.as_nanos() as f64 * 1e-9,
            load: None,
            load_without_intermission: None,
            backwards,
            simultaneous,
            channels: Vec::new(),
        };
        let mut ids = BTreeSet::new();
        for (channel, frames) in channels {
            ids.extend(frames.iter().map(|(_, frame)| acceptance_key(frame.id())));
            let bus = Bus {
                timing,
                variant,
                length,
            };
            let channel = bus.summary(channel, frames)?;
            summary.frames += channel.frames;
            summary.channels.push(channel);
        }
        if let [only] = summary.channels.as_slice() {
            summary.load = Some(only.load);
            summary.load_without_intermission = Some(only.load_without_intermission);
        }
        summary.ids = ids.len();
        summary.print(&self.log, self.format, self.most)?;
        Ok(Answer::Yes)
    }
}
