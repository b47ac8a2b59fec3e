//! `waywarden bus load`: what a recorded log does to a bus of given rates.
//!
//! The load is counted frame by frame, exact to the bit. For latencies the log is played onto a
//! simulated bus: each frame is released at its time stamp and competes with the others.

mod lines;
mod live_table;
mod recording;
mod summary;

pub use self::lines::SCHEMA as LINE_SCHEMA;
pub use self::summary::SCHEMA;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_can::bits::FdVariant;
use waywarden_can::timing::BitTiming;
use waywarden_can_dbc::SignalMatrix;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_report::bus_load::{Bus, LoadError, Summary};

use self::live_table::LiveTable;
use self::recording::{Clock, Moment, Observer};
use self::summary::PrintedSummary;
use crate::logs::damage::LogReadingOptions;
use crate::logs::seconds::{Finished, Seconds, switches_bit_rate};
use crate::logs::source::LogSource;
use crate::quantity::Rates;
use crate::signals;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table;

const EXAMPLES: &str = "\
Examples:
  waywarden bus load drive.log --bitrate 500k         the identifiers that load the bus most
  waywarden bus load fd.log --bitrate 500k --data-bitrate 2M
  waywarden bus load drive.blf --bitrate 500k --channel 1 --most 0
  waywarden bus load drive.asc.gz --bitrate 125k --format csv
  waywarden bus load drive.log --bitrate 500k --lines
  candump -L can0 | waywarden bus load - --bitrate 500k
  waywarden bus load --interface can0 --bitrate 500k --data-bitrate 2M
  waywarden bus load --interface can0 --bitrate 500k --dbc matrix.dbc
  waywarden bus load --interface can0 --bitrate 500k | PROGRAM
                                                      JSON Lines: the load of each second";

/// The exact load a log puts on a bus: by identifier, worst gaps, latency under arbitration.
///
/// LOG is a log of any format that `bus convert` reads, or - for standard input. Each channel of
/// the log is a bus of its own, with a load of its own; the log as a whole has one only if it has
/// one channel. A log whose frames all have one time stamp has no length and is refused. So is one
/// that is a load above 100 % at these rates: no bus can have carried it, and the error names the
/// likely cause. Memory does not grow with the log.
///
/// With --interface the bus is read until ^C or SIGTERM, and then summed up. While it is read a
/// terminal shows the rate and the load of each second; a pipe gets JSON Lines, unless --format
/// asks for the summary.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct LoadCommand {
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
    /// Number of identifiers in the table, heaviest first; 0 means all. JSON and CSV show all.
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// The form of the figures [default: table].
    #[arg(long, value_enum, conflicts_with = "lines")]
    format: Option<table::OutputFormat>,
    /// Print JSON Lines while the log is read: for each second of each channel its frames and its
    /// load. The summary goes to standard error. An interface whose output goes to a pipe has them
    /// unasked.
    #[arg(long)]
    lines: bool,
    /// Show the signals of the latest frames by this message matrix, in the table that a terminal
    /// has while frames come. The signals of a file: `waywarden bus convert --dbc`.
    #[arg(long, value_name = "MATRIX.dbc")]
    dbc: Option<PathBuf>,
    #[command(flatten)]
    reading: LogReadingOptions,
}

/// Below that rate in bit/s, the unit of `--bitrate` was probably forgotten: no vehicle bus is so
/// slow.
const PLAUSIBLE_RATE_MIN: u32 = 5_000;

/// Names the options that mend an error.
fn described(error: &LoadError) -> String {
    let LoadError::Overloaded {
        channel,
        frames,
        load,
        rate,
    } = error
    else {
        return error.to_string();
    };
    let bits = rate.bits_per_second();
    let cause = if bits < PLAUSIBLE_RATE_MIN {
        format!("--bitrate {bits} means {bits} bit/s; write {bits}k for {bits} kbit/s")
    } else {
        "give the bit rate of the recorded bus with --bitrate, and with --data-bitrate that of CAN \
         FD frames with BRS; or the log merges several buses into one channel, or its time stamps \
         are not seconds"
            .to_owned()
    };
    format!(
        "channel {channel}: its {frames} frames are a load of {} at {rate}, and no bus carries \
         more than 100 %; {cause}",
        percent(*load)
    )
}

/// Counts and outputs while a log is read.
struct Following<'a> {
    load: &'a LoadCommand,
    timing: BitTiming,
    variant: FdVariant,
    buses: BTreeMap<String, Bus>,
    /// None where no seconds are shown.
    seconds: Option<Seconds>,
    first_ns: u64,
    prints_lines: bool,
    live_table: Option<LiveTable>,
}

impl LoadCommand {
    /// Prints the load of each bus of a log.
    ///
    /// # Errors
    /// Bad input, and output that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let mut following = Following::new(self)?;
        let only = self.channel.as_deref();
        let clock = recording::read(&self.source, self.reading, only, &mut following)?;
        let prints_lines = following.prints_lines;
        let buses = following.finish()?;
        let summary = self.summary(clock, buses)?;
        let path = self.source.path();
        match prints_lines {
            true => summary.report(path)?,
            false => summary.print(path, self.format.unwrap_or_default(), self.most)?,
        }
        Ok(Answer::Yes)
    }

    /// Returns true if JSON Lines are asked for, or an interface has its output in a pipe.
    fn prints_lines(&self) -> bool {
        let is_followed = self.source.interface().is_some() && !io::stdout().is_terminal();
        self.lines || (is_followed && self.format.is_none())
    }

    fn summary(
        &self,
        clock: Clock,
        buses: BTreeMap<String, Bus>,
    ) -> Result<PrintedSummary, Failure> {
        let skipped = (clock.skipped_events, clock.skipped_lines);
        let summary = Summary::new(&clock.log, buses.into_values(), skipped);
        summary.map(PrintedSummary).map_err(|error| {
            let log = self.source.path().display();
            Failure::new(format_args!("{log}: {}", described(&error)))
        })
    }

    /// Reads the matrix of the signals that are shown while frames come.
    fn signal_matrix(&self) -> Result<Option<Rc<SignalMatrix>>, Failure> {
        let Some(matrix) = &self.dbc else {
            return Ok(None);
        };
        if !self.source.is_live() {
            let (log, matrix) = (self.source.path().display(), matrix.display());
            return Err(Failure::new(format_args!(
                "--dbc is for the table of a bus that is followed, and {log} is a file; the \
                 signals of a file: waywarden bus convert {log} signals.csv --dbc {matrix}"
            )));
        }
        signals::read(matrix).map(Some)
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

impl<'a> Following<'a> {
    fn new(load: &'a LoadCommand) -> Result<Self, Failure> {
        let timing = load.rates.timing()?;
        let variant = match load.non_iso {
            true => FdVariant::NonIso,
            false => FdVariant::Iso,
        };
        let prints_lines = load.prints_lines();
        let shows_table = load.source.is_live() && !(prints_lines && io::stdout().is_terminal());
        let matrix = load.signal_matrix()?;
        let live_table = shows_table.then(|| LiveTable::new(matrix)).flatten();
        let shows_seconds = prints_lines || live_table.is_some();
        Ok(Following {
            load,
            timing,
            variant,
            buses: BTreeMap::new(),
            seconds: shows_seconds.then(|| Seconds::new(timing, variant)),
            first_ns: 0,
            prints_lines,
            live_table,
        })
    }

    fn show(&self, finished: &Finished) -> Result<(), Failure> {
        if let Some(table) = &self.live_table {
            table.show(finished);
        }
        match self.prints_lines {
            true => lines::print(self.first_ns, finished),
            false => Ok(()),
        }
    }

    /// Shows the rest of the last second.
    fn finish(mut self) -> Result<BTreeMap<String, Bus>, Failure> {
        if let Some(rest) = self.seconds.take().and_then(Seconds::finish) {
            self.show(&rest)?;
        }
        if let Some(table) = self.live_table {
            table.finish();
        }
        Ok(self.buses)
    }
}

impl Observer for Following<'_> {
    fn frame(&mut self, channel: &str, moment: Moment, frame: Frame) -> Result<(), Failure> {
        if self.timing.data.is_none() && switches_bit_rate(&frame) {
            return Err(self.load.no_data_rate());
        }
        self.silence(moment)?;
        if let Some(table) = &mut self.live_table {
            table.keep(channel, &frame);
        }
        if let Some(seconds) = &mut self.seconds {
            seconds.add(channel, &frame);
        }
        if let Some(bus) = self.buses.get_mut(channel) {
            return bus.add(moment.since, frame).map_err(Failure::new);
        }
        let new = Bus::new(channel, self.timing, self.variant).map_err(Failure::new)?;
        let bus = self.buses.entry(channel.to_owned()).or_insert(new);
        bus.add(moment.since, frame).map_err(Failure::new)
    }

    fn silence(&mut self, now: Moment) -> Result<(), Failure> {
        self.first_ns = now.first_ns;
        match self.seconds.as_mut().and_then(|all| all.advance(now.since)) {
            Some(finished) => self.show(&finished),
            None => Ok(()),
        }
    }
}
