//! `waywarden bus import`: a DBC message matrix becomes a vehicle file to go on from.

use std::io::Write;
use std::path::{Path, PathBuf};

use waywarden_can::timing::BitRate;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::dbc::{Options, observed_periods};
use waywarden_work::Duration;

use super::log::Log;
use crate::logs::damage::Reading;
use crate::matrix;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::Output;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::quantity;

/// How many of the reasons are shown why an import cannot be run: each stream may repeat one.
const SHOWN_MAX: usize = 3;

/// Make a vehicle file of a DBC message matrix.
///
/// Cycle times come from the DBC where it has them (GenMsgCycleTime), else from a log of the same
/// bus (--log), else from --assume; messages without any stand in the result as comments. A
/// message that no bus can carry, such as one with a bad identifier, is skipped and reported.
#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// The DBC file.
    dbc: PathBuf,
    /// Write the vehicle file here instead of to standard output, which is - too.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A log of the bus, for the periods the DBC does not state.
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// The period of messages that have none in either, such as 100ms.
    #[arg(long, value_name = "TIME")]
    assume: Option<String>,
    /// The bus's name.
    #[arg(long, default_value = "main")]
    bus: String,
    /// Nominal bit rate.
    #[arg(long, value_name = "RATE", default_value = "500k")]
    bitrate: BitRate,
    /// Data bit rate, used if any message is CAN FD.
    #[arg(long, value_name = "RATE", default_value = "2M")]
    data_bitrate: BitRate,
}

impl Import {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let path = self.dbc.display();
        let matrix = matrix::read(&self.dbc)?;
        if matrix.messages.is_empty() {
            return Err(Failure::new(format_args!(
                "{path}: has no message to import; a message is `BO_ <identifier> <name>: <bytes> \
                 <sender>`"
            )));
        }
        let options = Options {
            vehicle: self
                .dbc
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            bus: self.bus.clone(),
            bit_rate: self.bitrate,
            data_bit_rate: self.data_bitrate,
            observed: self.observed()?,
            assumed: self.assume.as_deref().map(quantity::duration).transpose()?,
        };
        let text = matrix.to_vehicle_toml(&options);
        let file = check(&text)?;
        let out = self.out.as_deref().unwrap_or(Path::new("-"));
        let mut output = Output::create(out)?;
        output
            .write_all(text.as_bytes())
            .map_err(Failure::writing)?;
        output.finish()?;
        if !is_standard(out) {
            writeln!(
                std::io::stdout().lock(),
                "{}: {} messages of {path}, {} of them as streams",
                out.display(),
                matrix.messages.len(),
                file.streams.len()
            )?;
        }
        Ok(Answer::Yes)
    }

    fn observed(&self) -> Result<std::collections::HashMap<waywarden_can::Id, Duration>, Failure> {
        let Some(log) = &self.log else {
            return Ok(Default::default());
        };
        let mut log = Log::open(log, self.reading)?;
        let mut fault = None;
        let sightings = std::iter::from_fn(|| {
            let record = log.next().unwrap_or_else(|error| {
                fault = Some(error);
                None
            })?;
            let at = Duration::from_nanos(record.at_ns);
            Some(record.entry.frame().map(|frame| (frame.id(), at)))
        });
        let periods = observed_periods(sightings.flatten());
        fault.map_or(Ok(periods), Err)
    }
}

/// Makes sure that what is written can be run; what cannot comes from the options.
fn check(text: &str) -> Result<VehicleFile, Failure> {
    VehicleFile::parse("the vehicle file", text).map_err(|errors| {
        let lines = errors.listed().iter().map(ToString::to_string);
        let remedy = "nothing is written; give other --bitrate, --data-bitrate or --assume";
        Failure::all(lines.take(SHOWN_MAX).chain([remedy.to_owned()]))
    })
}
