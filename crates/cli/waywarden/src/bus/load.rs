//! `waywarden bus load`: what a recorded log does to a bus of given rates.
//!
//! The load is counted frame by frame, exact to the bit. For latencies the log is played onto a
//! simulated bus: each frame is released at its time stamp and competes with the others.

mod bus;
mod played;
mod recording;
mod summary;

pub(super) use self::summary::SCHEMA;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use waywarden_can::Frame;
use waywarden_can::bits::FdVariant;
use waywarden_can::frame::Format;

use indicatif::{ProgressBar, ProgressStyle};

use self::bus::Bus;
use self::summary::Summary;
use crate::logs::damage::Reading;
use crate::logs::source::LogSource;
use crate::quantity::Rates;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::table;
use waywarden_work::Duration;

const EXAMPLES: &str = "\
Examples:
  waywarden bus load drive.log --bitrate 500k         the identifiers that load the bus most
  waywarden bus load fd.log --bitrate 500k --data-bitrate 2M
  waywarden bus load drive.blf --bitrate 500k --channel 1 --most 0
  waywarden bus load drive.asc.gz --bitrate 125k --format csv
  waywarden bus load --interface can0 --bitrate 500k --data-bitrate 2M";

/// The exact load a log puts on a bus: by identifier, worst gaps, latency under arbitration.
///
/// LOG is a candump, ASC or BLF log, plain or gzip. Each channel of the log is a bus of its own,
/// with a load of its own; the log as a whole has one only if it has one channel. A log whose
/// frames all have one time stamp has no length and is refused. So is one that is a load above
/// 100 % at these rates: no bus can have carried it, and the error names the likely cause. Memory
/// does not grow with the log.
///
/// With --interface the bus is read until ^C or SIGTERM; a terminal shows the load so far.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Load {
    #[command(flatten)]
    source: LogSource,
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
    format: table::Format,
    #[command(flatten)]
    reading: Reading,
}

impl Load {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let timing = self.rates.timing()?;
        let variant = if self.non_iso {
            FdVariant::NonIso
        } else {
            FdVariant::Iso
        };
        let mut buses: BTreeMap<String, Bus> = BTreeMap::new();
        let only = self.channel.as_deref();
        let mut progress = LiveLoad::new(self.source.is_live());
        let clock = recording::read(
            &self.source,
            self.reading,
            only,
            &mut |channel, at, frame| {
                if timing.data.is_none() && switches_bit_rate(frame) {
                    return Err(self.no_data_rate());
                }
                if let Some(bus) = buses.get_mut(channel) {
                    progress.show(bus, at);
                    return bus.add(at, frame);
                }
                let bus = buses.entry(channel.to_owned());
                bus.or_insert(Bus::new(channel, timing, variant)?)
                    .add(at, frame)
            },
        )?;
        progress.bar.finish_and_clear();
        let ids: BTreeSet<u32> = buses.values().flat_map(Bus::ids).collect();
        let mut summary = Summary {
            frames: 0,
            ids: ids.len(),
            duration_s: clock.length.as_nanos() as f64 * 1e-9,
            load: None,
            load_without_intermission: None,
            backwards: clock.backwards,
            simultaneous: clock.simultaneous,
            skipped_events: clock.skipped_events,
            skipped_lines: clock.skipped_lines,
            channels: Vec::new(),
        };
        for bus in buses.into_values() {
            let log = self.source.path().display();
            let named = |error: Failure| {
                Failure::all(error.lines().iter().map(|line| format!("{log}: {line}")))
            };
            let channel = bus.summary(clock.length).map_err(named)?;
            summary.frames += channel.frames;
            summary.channels.push(channel);
        }
        if let [only] = summary.channels.as_slice() {
            summary.load = Some(only.load);
            summary.load_without_intermission = Some(only.load_without_intermission);
        }
        summary.print(self.source.path(), self.format, self.most)?;
        Ok(Answer::Yes)
    }

    /// A frame that switches its bit rate to one that is not given.
    fn no_data_rate(&self) -> Failure {
        Failure::new(format_args!(
            "{}: has CAN FD frames with BRS, whose data phase has a bit rate of its own; give \
             --data-bitrate, such as 2M",
            self.source.path().display()
        ))
    }
}

/// Returns true for a CAN FD frame whose data phase has a bit rate of its own.
fn switches_bit_rate(frame: Frame) -> bool {
    matches!(
        frame.format(),
        Format::Fd {
            bit_rate_switch: true,
            ..
        }
    )
}

/// The load so far of a bus that is followed, on a terminal.
struct LiveLoad {
    bar: ProgressBar,
    shown: Instant,
}

impl LiveLoad {
    fn new(is_live: bool) -> Self {
        let bar = match is_live && messages::shows_progress() {
            true => ProgressBar::new_spinner(),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let shown = Instant::now();
        LiveLoad { bar, shown }
    }

    fn show(&mut self, bus: &Bus, at: Duration) {
        if !self.bar.is_hidden() && self.shown.elapsed().as_millis() >= 250 {
            self.bar.set_message(bus.so_far(at));
            self.shown = Instant::now();
        }
    }
}
