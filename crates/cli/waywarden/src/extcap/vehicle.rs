//! The buses of a simulated vehicle as an interface.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use waywarden_can_log::{Channel, Channels, Record, pcapng};
use waywarden_can_sim::clock::Time;
use waywarden_command_can::logs::logged;
use waywarden_command_can::resources::load_to_run;
use waywarden_command_can::{file_kind, quantity};
use waywarden_command_line::exit::Failure;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::Lowered;
use waywarden_vehicle_lab::run::run_while;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use super::Pipe;
use super::pace::{CaptureEnd, Pace, Speed};
use crate::run;

/// Options of the interface waywarden-vehicle.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "waywarden-vehicle")]
pub(super) struct VehicleOptions {
    /// The vehicle, in TOML.
    #[arg(long, value_name = "FILE")]
    vehicle: Option<PathBuf>,
    /// The bus, by its name [default: all buses].
    #[arg(long, value_name = "NAME")]
    bus: Option<String>,
    /// Duration of the run, such as 10s or 500ms [default: the file's].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Seed of all random choices [default: the file's].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

impl VehicleOptions {
    /// Returns the first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            (self.vehicle.is_some(), "--vehicle"),
            (self.bus.is_some(), "--bus"),
            (self.duration.is_some(), "--duration"),
            (self.seed.is_some(), "--seed"),
        ];
        options
            .into_iter()
            .find_map(|(is, name)| is.then_some(name))
    }

    fn prepare(&self) -> Result<(VehicleFile, Lowered), Failure> {
        let Some(path) = self.vehicle.as_deref() else {
            return Err(Failure::new("--vehicle: give a vehicle file"));
        };
        let text = file_kind::vehicle_text(path)?;
        let mut file = run::parse(&path.display().to_string(), &text)?;
        if let Some(duration) = &self.duration {
            file.duration = quantity::run_length(duration)?;
        }
        self.check_bus(path, &file)?;
        let resources = load_to_run(&file, path, None)?;
        let lowered = run::lowered(&file, &resources, self.seed.unwrap_or(file.seed))?;
        Ok((file, lowered))
    }

    fn check_bus(&self, path: &Path, file: &VehicleFile) -> Result<(), Failure> {
        let Some(wanted) = &self.bus else {
            return Ok(());
        };
        let names: Vec<&str> = file.buses.iter().map(|bus| &*bus.name.value).collect();
        if names.contains(&wanted.as_str()) {
            return Ok(());
        }
        Err(Failure::new(format_args!(
            "--bus {wanted}: {} has no such bus; it has {}",
            path.display(),
            names.join(", ")
        )))
    }
}

/// Runs the vehicle, and writes each frame when it ends on the bus.
pub(super) fn capture(
    options: &VehicleOptions,
    speed: Speed,
    pipe: Pipe<'_>,
) -> Result<(), Failure> {
    let (file, lowered) = options.prepare()?;
    let mut channels = Channels::default();
    let mut buses = Vec::new();
    for bus in &file.buses {
        let name = &bus.name.value;
        let is_wanted = options.bus.as_ref().is_none_or(|wanted| wanted == name);
        let channel = is_wanted.then(|| channels.intern(name.as_bytes()));
        buses.push(channel.transpose().map_err(Failure::new)?);
    }
    let end = CaptureEnd::watch();
    let output = BufWriter::new(pipe.open()?);
    let is_over = Cell::new(false);
    let mut capture = BusCapture {
        writer: pcapng::Writer::new(output),
        channels,
        buses,
        begun_ns: since_1970(),
        pace: Pace::begin(speed),
        end: &end,
        is_over: &is_over,
        fault: None,
    };
    capture.note(|capture| capture.writer.flush());
    let outcome = run_while(lowered, &mut capture, &mut |_, _, _| {
        !is_over.get() && !end.has_come()
    });
    outcome.map_err(Failure::new)?;
    // An idle bus lasts as long as a busy one.
    capture.await_moment(Duration::from_nanos(file.duration.as_nanos()));
    match capture.fault.take() {
        Some(error) => pipe.fault(&error),
        None => capture
            .writer
            .finish()
            .map(drop)
            .or_else(|error| pipe.fault(&error)),
    }
}

/// Writes what a logger on the buses sees.
struct BusCapture<'a> {
    writer: pcapng::Writer<BufWriter<File>>,
    channels: Channels,
    /// Channel of each bus that is captured.
    buses: Vec<Option<Channel>>,
    /// Time of the run's zero, in nanoseconds since 1970.
    begun_ns: u64,
    pace: Pace,
    end: &'a CaptureEnd,
    /// True once nothing more is written.
    is_over: &'a Cell<bool>,
    /// First fault of the pipe, for a sink cannot refuse.
    fault: Option<io::Error>,
}

impl BusCapture<'_> {
    /// Does something with the writer, and keeps its fault.
    fn note(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) {
        if let Err(error) = work(self) {
            self.fault = Some(error);
            self.is_over.set(true);
        }
    }

    /// Hands on what is written, and waits for a moment of the run.
    fn await_moment(&mut self, since: Duration) {
        if self.is_over.get() || self.pace.due_in(since).is_zero() {
            return;
        }
        self.note(|capture| capture.writer.flush());
        if !self.is_over.get() {
            self.pace.wait(since, self.end);
        }
    }
}

impl TraceSink for BusCapture<'_> {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let Some((bus, entry)) = logged(event).filter(|_| !self.is_over.get()) else {
            return;
        };
        let Some(channel) = self.buses.get(bus).copied().flatten() else {
            return;
        };
        let at_ns = at.as_picos().saturating_add(500) / 1_000;
        self.await_moment(Duration::from_nanos(at_ns));
        if self.end.has_come() {
            self.is_over.set(true);
            return;
        }
        let record = Record {
            at_ns: self.begun_ns.saturating_add(at_ns),
            channel,
            entry,
        };
        self.note(|capture| capture.writer.write(&record, &capture.channels));
    }
}

/// Returns the time of the system, in nanoseconds since 1970: up to the year 2554.
fn since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    })
}
