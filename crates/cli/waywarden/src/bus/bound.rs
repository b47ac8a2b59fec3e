//! `waywarden bus bound`: worst-case response times by analysis, beside a simulation.

mod rows;

pub(super) use self::rows::SCHEMA;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::PathBuf;

use waywarden_can::timing::BitRate;
use waywarden_can_sim::trace::Discard;
use waywarden_command_can::file_kind::{self, FileKind};
use waywarden_command_can::matrix;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::junit::JunitOption;
use waywarden_command_line::messages;
use waywarden_command_line::quantity;
use waywarden_command_line::table::OutputFormat;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::matrix as message_matrix;
use waywarden_vehicle_lab::bounds::{BoundChoices, Bounding};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use self::rows::PrintedBounds;
use crate::run::{lowered, parse, simulate};
use waywarden_command_can::resources::load;

/// Bound the worst-case response time of each stream by analysis, beside a simulation.
///
/// FILE is a vehicle file, or a message matrix (DBC, ARXML, KCD, SYM) with cycle times. For each
/// stream and bus the table has the bound from release to the slowest receiver, the same without
/// message authentication, the slowest message of a simulation without attackers, and the ratio of
/// bound to simulated. Below, it prints what the bounds assume and leave out. Exit code 0 if every
/// bound is within its deadline, 1 if one is not or does not exist, 2 for bad input.
#[derive(Debug, clap::Args)]
pub(crate) struct Bound {
    /// The vehicle file, or a message matrix.
    file: PathBuf,
    /// Simulate the vehicle for its own duration and compare: the default.
    #[arg(long, overrides_with = "no_simulate")]
    simulate: bool,
    /// Do the analysis only.
    #[arg(long)]
    no_simulate: bool,
    /// The shortest time between two errors on a bus, such as 10ms: each repeats a frame. Errors
    /// that may drive a sender bus-off leave its streams without a bound.
    #[arg(long, value_name = "TIME")]
    error_every: Option<String>,
    /// Number of errors that may come at once, with --error-every.
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        requires = "error_every"
    )]
    error_burst: u32,
    /// Count a code for each freshness value and each message that a receiver may try, as under
    /// forged messages, and not what genuine messages in order need.
    #[arg(long)]
    every_attempt: bool,
    /// Use the offsets of the file: the streams of one sender keep them, and nothing is known
    /// between two senders.
    #[arg(long)]
    offsets: bool,
    /// Leave the frames of key exchanges out: the bounds then hold while no keys are exchanged.
    #[arg(long)]
    without_keys: bool,
    /// Nominal bit rate of the buses of a matrix, whatever it has; 500k if it has none.
    #[arg(long, value_name = "RATE")]
    bitrate: Option<BitRate>,
    /// Data bit rate of a matrix, used if any message is CAN FD; 2M if it has none.
    #[arg(long, value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    junit: JunitOption,
}

impl Bound {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut vehicle = self.vehicle()?;
        // A bound is computed with the figures of boards.
        vehicle.simulate_images();
        let bounding = Bounding::new(vehicle, !self.without_keys);
        let resources = load(bounding.file(), &self.file)?;
        let choices = BoundChoices {
            errors: self.errors()?,
            every_attempt: self.every_attempt,
            offsets: self.offsets,
        };
        let seen = match self.no_simulate && !self.simulate {
            true => None,
            false => Some(seen(bounding.file(), &resources)?),
        };
        let bounds = bounding.bounds(&resources, &choices, seen.as_deref());
        let bounds = PrintedBounds(bounds.map_err(Failure::new)?);
        self.junit.write(|| bounds.junit())?;
        let out = &mut io::stdout().lock();
        match self.format {
            OutputFormat::Json => bounds.print_json(out)?,
            OutputFormat::Csv => bounds.print_csv(out)?,
            OutputFormat::Table => {
                bounds.rows().print(out)?;
                for assumption in &bounds.0.assumptions {
                    writeln!(out, "assumed: {assumption}")?;
                }
                if bounds.0.without_receivers > 0 {
                    writeln!(
                        out,
                        "{} streams have no receivers: their bounds end with their frames, and \
                         their deadlines are skipped",
                        bounds.0.without_receivers
                    )?;
                }
                if let Some(ratio) = bounds.0.median_ratio {
                    writeln!(out, "bound / simulated: median {ratio:.2}")?;
                }
            }
        }
        Ok(if bounds.0.all_met {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    /// Reads a vehicle file, or makes one of a message matrix.
    fn vehicle(&self) -> Result<VehicleFile, Failure> {
        let name = self.file.display().to_string();
        let is_matrix = || file_kind::of_file(&self.file).is_some_and(FileKind::is_matrix);
        if self.file.extension() != Some(OsStr::new("dbc")) && !is_matrix() {
            return parse(&name, &file_kind::vehicle_text(&self.file)?);
        }
        let matrix = matrix::read(&self.file)?;
        let stem = self.file.file_stem().unwrap_or_default();
        let options = message_matrix::DbcOptions {
            vehicle: stem.to_string_lossy().into_owned(),
            bus: "main".to_owned(),
            bit_rate: self.bitrate,
            data_bit_rate: self.data_bitrate,
            ..message_matrix::DbcOptions::default()
        };
        let file = parse(&name, &message_matrix::to_vehicle_toml(&matrix, &options))?;
        if file.streams.is_empty() {
            Err(Failure::new(format_args!(
                "{name}: no message has a cycle time (GenMsgCycleTime); `waywarden bus import \
                 --assume TIME` makes a vehicle file with one"
            )))
        } else {
            let left_out = matrix.messages().count().saturating_sub(file.streams.len());
            if left_out > 0 {
                messages::warning(format_args!(
                    "{name}: {left_out} messages without cycle time are left out"
                ));
            }
            Ok(file)
        }
    }

    /// Burst and interval in picoseconds.
    fn errors(&self) -> Result<Option<(u64, u64)>, Failure> {
        let Some(every) = &self.error_every else {
            return Ok(None);
        };
        let every = quantity::duration(every)?;
        if every == Duration::ZERO || self.error_burst == 0 {
            return Err(Failure::new(
                "--error-every and --error-burst are above zero; leave them out for no errors",
            ));
        }
        let interval = every.as_nanos().saturating_mul(1_000);
        Ok(Some((u64::from(self.error_burst), interval)))
    }
}

/// Simulates a vehicle; returns the slowest message of each stream that arrived.
fn seen(file: &VehicleFile, resources: &Resources) -> Result<Vec<Option<Duration>>, Failure> {
    let outcome = simulate(lowered(file, resources, file.seed)?, &mut Discard)?;
    let streams = outcome.measure.streams.iter();
    Ok(streams.map(|one| one.latency.greatest()).collect())
}
