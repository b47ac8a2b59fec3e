//! `waywarden traffic run`: a trace on the channel.

use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_traffic_lab::radio::{
    Antenna, Buildings, Place, Position, Propagation, RadioSettings,
};
use waywarden_traffic_lab::{Comparison, Report, Run, RunSettings};
use waywarden_vehicle_tracks::fcd::{TimeStep, TimeSteps};
use waywarden_vehicle_tracks::{Origin, read_buildings};

use super::compared::Compared;
use super::failed;
use super::figures::Figures;
use super::kept::Kept;
use super::scenario::{Folder, make};
use super::sumo::simulate;
use crate::exit::{Answer, Failure};
use crate::files;
use crate::table::{Format, print_json};

/// How far time steps may be apart: between them vehicles stand still on the channel.
const STEP_MAX_S: f64 = 10.0;

/// Put the vehicles of a trace or a scenario on the radio channel, and count what each of them
/// hears.
///
/// A trace is floating car data of SUMO (`sumo --fcd-output`), as XML or CSV, compressed by gzip
/// or not, in metres; docs/vehicle-tracks.md has the formats. A scenario is a folder with a
/// scenario.toml (docs/traffic-scenarios.md); SUMO simulates it first. Each vehicle broadcasts by
/// IEEE 802.11p; docs/traffic-radio.md has the model, and what it leaves out.
///
/// With --board it says which share of the relevant messages a board verifies in time.
///
/// The same input, seed and options give the same figures.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficRun {
    /// The trace, or the folder of the scenario.
    input: PathBuf,
    /// How much traffic of a scenario, by its name for it, such as rush.
    #[arg(long)]
    level: Option<String>,
    /// Keep what is found in this folder: summary.json, manifest.json, and the trace of a scenario.
    /// A folder that has the same run already is left as it is, and its summary is printed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Buildings that take power from the radio: polygons of SUMO (.poly.xml).
    #[arg(long, value_name = "FILE")]
    buildings: Option<PathBuf>,
    /// From which trips, the phases of messages, backoffs and errors follow.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// How long a frame is with its MAC header and check sequence, 40 to 2,304 bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 460)]
    #[arg(value_parser = clap::value_parser!(u32).range(40..=2304))]
    bytes: u32,
    /// How many messages a vehicle sends in a second, 1 to 50.
    #[arg(long, value_name = "HZ", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=50))]
    rate: u64,
    /// The power that vehicles send with, 0.001 to 2,000 mW.
    #[arg(long, value_name = "MW", default_value_t = 20.0, value_parser = power)]
    power: f64,
    /// The trace is in degrees (`sumo --fcd-output.geo`).
    #[arg(long)]
    geo: bool,
    #[command(flatten)]
    compared: Compared,
    /// How to print the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn power(text: &str) -> Result<f64, String> {
    let power: Option<f64> = text.parse().ok();
    let power = power.filter(|power| (0.001..=2_000.0).contains(power));
    power.ok_or_else(|| "a power from 0.001 to 2000 mW".to_owned())
}

impl TrafficRun {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let folder = match self.input.is_dir() {
            true => Some(Folder::read(&self.input)?),
            false => None,
        };
        let comparison = self.compared.comparison()?;
        let settings = self.settings(folder.as_ref())?;
        let mut kept = None;
        if let Some(out) = &self.out {
            make(out)?;
            let inputs = match &folder {
                Some(folder) => folder.files(),
                None => vec![self.input.clone()],
            };
            let inputs = inputs.into_iter().chain(self.buildings.clone());
            let text = folder.as_ref().map_or("", |folder| folder.text.as_str());
            // Buildings are among the inputs; as text their cells have no order.
            let plain = Propagation {
                buildings: None,
                ..settings.propagation.clone()
            };
            let options = RunSettings {
                propagation: plain,
                ..settings.clone()
            };
            let own = (&self.level, self.geo);
            let options = format!("{own:?} {options:?} {comparison:?} {text}");
            let here = Kept::new(out, inputs, &options)?;
            if let Some(summary) = here.summary()? {
                eprintln!("note: {}: this run is there already", out.display());
                io::stdout().write_all(&summary).map_err(Failure::writing)?;
                return Ok(Answer::Yes);
            }
            kept = Some(here);
        }
        let trace = self.trace(folder.as_ref())?;
        let report = self.run(&trace, &settings, &comparison)?;
        let figures = Figures::of(&report, &comparison);
        if let Some(kept) = kept {
            kept.write(&figures)?;
        }
        let mut out = io::stdout().lock();
        match self.format {
            Format::Json => print_json(&mut out, &figures)?,
            Format::Csv => figures.rows().print_csv(&mut out)?,
            Format::Table => figures.rows().print(&mut out)?,
        }
        out.flush()?;
        Ok(Answer::Yes)
    }

    /// Returns where the trace is; lets SUMO make that of a scenario.
    fn trace(&self, folder: Option<&Folder>) -> Result<PathBuf, Failure> {
        let Some(folder) = folder else {
            return Ok(self.input.clone());
        };
        let out = self.out.as_ref().ok_or_else(|| {
            let what = "a scenario needs a folder for its trace: give --out DIR";
            failed(&self.input, what)
        })?;
        let (_, vehicles) = folder.level(self.level.as_deref())?;
        simulate(folder, vehicles, self.seed, &out.join("sumo"))
    }

    fn run(
        &self,
        trace: &Path,
        settings: &RunSettings,
        comparison: &Comparison,
    ) -> Result<Report, Failure> {
        let file = files::open(trace)?;
        let bar = bar(file.metadata().map_or(0, |metadata| metadata.len()));
        let read = BufReader::with_capacity(1 << 16, bar.wrap_read(file));
        let steps = TimeSteps::new(read);
        let mut steps = steps.map_err(|error| failed(trace, &error.to_string()))?;
        let mut run = Run::new(settings, comparison.clone());
        let mut origin = None;
        let mut last: Option<(f64, f64)> = None;
        while let Some(step) = steps.next() {
            let step = step.map_err(|error| failed(trace, &error.to_string()))?;
            let line = steps.line();
            let wrong = |what: String| failed(trace, &format!("line {line}: {what}"));
            check(&step, last.map(|(time, _)| time), self.geo).map_err(wrong)?;
            last = Some((
                step.time_s,
                last.map_or(0.1, |(time, _)| step.time_s - time),
            ));
            origin = origin.or_else(|| first_place(&step));
            run.step(&step, |x, y, heading_degrees| {
                let (x_m, y_m) = match origin.filter(|_| self.geo) {
                    Some(origin) => origin.metres(y, x),
                    None => (x, y),
                };
                Position {
                    place: Place { x_m, y_m },
                    heading_degrees,
                }
            });
        }
        bar.finish_and_clear();
        let (_, step_s) = last.ok_or_else(|| failed(trace, "it has no time step"))?;
        Ok(run.finish((step_s * 1e9).round() as u64))
    }

    fn settings(&self, folder: Option<&Folder>) -> Result<RunSettings, Failure> {
        let own = match &self.buildings {
            Some(path) => {
                let outlines = read_buildings(BufReader::new(files::open(path)?));
                let outlines = outlines.map_err(|error| failed(path, &error.to_string()))?;
                Some(Buildings::new(&outlines))
            }
            None => None,
        };
        let buildings = match (own, folder) {
            (None, Some(folder)) => folder.buildings()?,
            (own, _) => own,
        };
        let gains = folder.map_or(&[][..], |folder| &folder.scenario.radio.antenna_dbi);
        Ok(RunSettings {
            radio: RadioSettings {
                power_mw: self.power,
                ..RadioSettings::DEFAULT
            },
            propagation: Propagation {
                antenna: Antenna::new(gains),
                buildings: buildings.map(Arc::new),
                ..Propagation::FREE_SPACE
            },
            bytes: self.bytes,
            period_ns: 1_000_000_000 / self.rate,
            attack: self.compared.attack(),
            seed: self.seed,
        })
    }
}

/// Refuses time steps that are too far apart, and coordinates that are of the other kind.
fn check(step: &TimeStep, last_s: Option<f64>, is_geo: bool) -> Result<(), String> {
    let passed = last_s.map_or(0.0, |last| step.time_s - last);
    if passed > STEP_MAX_S {
        return Err(format!(
            "{passed} s after the time step before: at most {STEP_MAX_S} s are expected; write the \
             trace with --device.fcd.period 1 or less, and without --fcd-output.skip-empty"
        ));
    }
    let is_degrees = |x: f64, y: f64| x.abs() <= 180.0 && y.abs() <= 90.0;
    let outside = step
        .vehicles
        .iter()
        .find(|one| is_geo && !is_degrees(one.x, one.y));
    match outside {
        Some(one) => Err(format!(
            "x={} y={}: not degrees; leave out --geo",
            one.x, one.y
        )),
        None => Ok(()),
    }
}

/// Where a trace in degrees has its first vehicle: the plane touches the ellipsoid there.
fn first_place(step: &TimeStep) -> Option<Origin> {
    let first = step.vehicles.first()?;
    Some(Origin {
        latitude: first.y.clamp(-80.0, 80.0),
        longitude: first.x,
    })
}

/// How much of the file is read, on a terminal.
fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {elapsed} eta {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
