//! `waywarden traffic`: road traffic on the air.

use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use waywarden_traffic_lab::radio::{Place, RadioSettings};
use waywarden_traffic_lab::{BIN_M, Report, Run, RunSettings};
use waywarden_vehicle_tracks::Origin;
use waywarden_vehicle_tracks::fcd::{TimeStep, TimeSteps};

use crate::exit::{Answer, Failure};
use crate::files;
use crate::table::{Format, Rows, print_json};
use crate::terminal::plain;

/// How far time steps may be apart: between them vehicles stand still on the channel.
const STEP_MAX_S: f64 = 10.0;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum TrafficCommand {
    Run(TrafficRun),
}

impl TrafficCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        match self {
            Self::Run(run) => run.execute(),
        }
    }
}

/// Put the vehicles of a trace on the radio channel, and count what each of them hears.
///
/// The trace is floating car data of SUMO (`sumo --fcd-output`), as XML or CSV, compressed by gzip
/// or not, in metres; docs/vehicle-tracks.md has the formats. Each vehicle broadcasts by IEEE
/// 802.11p in free space; docs/traffic-radio.md has the model, and what it leaves out.
///
/// The same trace and seed give the same figures.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficRun {
    /// The trace.
    trace: PathBuf,
    /// From which the phases of messages, backoffs and errors follow.
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
    /// How to print the figures.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn power(text: &str) -> Result<f64, String> {
    let power: Option<f64> = text.parse().ok();
    let power = power.filter(|power| (0.001..=2_000.0).contains(power));
    power.ok_or_else(|| "a power from 0.001 to 2000 mW".to_owned())
}

/// What is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    vehicles_at_most: usize,
    messages_sent: u64,
    messages_received: u64,
    received_in_100ms: InWindows,
    delivered_by_distance: Vec<Delivered>,
}

/// Of all windows of 100 ms of all vehicles.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InWindows {
    windows: u64,
    mean: f64,
    mean_where_any: f64,
    half: u32,
    ninety_nine_percent: u32,
    most: u32,
}

/// The share of messages that arrive.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Delivered {
    from_metres: f64,
    share: f64,
}

impl Figures {
    fn of(report: &Report) -> Self {
        let windows = &report.windows;
        let delivered = report.delivered().enumerate().filter_map(|(bin, share)| {
            Some(Delivered {
                from_metres: bin as f64 * BIN_M,
                share: share?,
            })
        });
        Self {
            vehicles_at_most: report.vehicles_most,
            messages_sent: report.sent,
            messages_received: report.received,
            received_in_100ms: InWindows {
                windows: windows.count(),
                mean: windows.mean(),
                mean_where_any: windows.mean_heard(),
                half: windows.quantile(0.5),
                ninety_nine_percent: windows.quantile(0.99),
                most: windows.most(),
            },
            delivered_by_distance: delivered.collect(),
        }
    }

    fn rows(&self) -> Rows {
        let windows = &self.received_in_100ms;
        let mut rows = vec![
            (
                "vehicles at most".to_owned(),
                self.vehicles_at_most.to_string(),
            ),
            ("messages sent".to_owned(), self.messages_sent.to_string()),
            (
                "messages received".to_owned(),
                self.messages_received.to_string(),
            ),
            (
                "received in 100 ms, mean".to_owned(),
                format!("{:.2}", windows.mean),
            ),
            (
                "received in 100 ms, mean where any".to_owned(),
                format!("{:.2}", windows.mean_where_any),
            ),
            (
                "received in 100 ms, half".to_owned(),
                windows.half.to_string(),
            ),
            (
                "received in 100 ms, 99 %".to_owned(),
                windows.ninety_nine_percent.to_string(),
            ),
            (
                "received in 100 ms, most".to_owned(),
                windows.most.to_string(),
            ),
        ];
        rows.extend(self.delivered_by_distance.iter().map(|one| {
            let name = format!("delivered from {} m on", one.from_metres);
            (name, format!("{:.1} %", one.share * 100.0))
        }));
        Rows {
            headers: vec!["figure", "value"],
            rows: rows
                .into_iter()
                .map(|(name, value)| vec![name, value])
                .collect(),
            numbers: 1..2,
        }
    }
}

impl TrafficRun {
    fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let report = self.run()?;
        let figures = Figures::of(&report);
        let mut out = io::stdout().lock();
        match self.format {
            Format::Json => print_json(&mut out, &figures)?,
            Format::Csv => figures.rows().print_csv(&mut out)?,
            Format::Table => figures.rows().print(&mut out)?,
        }
        out.flush()?;
        Ok(Answer::Yes)
    }

    fn run(&self) -> Result<Report, Failure> {
        let file = files::open(&self.trace)?;
        let bar = bar(file.metadata().map_or(0, |metadata| metadata.len()));
        let read = BufReader::with_capacity(1 << 16, bar.wrap_read(file));
        let steps = TimeSteps::new(read);
        let mut steps = steps.map_err(|error| failed(&self.trace, &error.to_string()))?;
        let mut run = Run::new(&self.settings());
        let mut origin = None;
        let mut last: Option<(f64, f64)> = None;
        while let Some(step) = steps.next() {
            let step = step.map_err(|error| failed(&self.trace, &error.to_string()))?;
            let line = steps.line();
            let wrong = |what: String| failed(&self.trace, &format!("line {line}: {what}"));
            check(&step, last.map(|(time, _)| time), self.geo).map_err(wrong)?;
            last = Some((
                step.time_s,
                last.map_or(0.1, |(time, _)| step.time_s - time),
            ));
            origin = origin.or_else(|| first_place(&step));
            run.step(&step, |x, y| match origin.filter(|_| self.geo) {
                Some(origin) => {
                    let (x_m, y_m) = origin.metres(y, x);
                    Place { x_m, y_m }
                }
                None => Place { x_m: x, y_m: y },
            });
        }
        bar.finish_and_clear();
        let (_, step_s) = last.ok_or_else(|| failed(&self.trace, "it has no time step"))?;
        Ok(run.finish((step_s * 1e9).round() as u64))
    }

    fn settings(&self) -> RunSettings {
        RunSettings {
            radio: RadioSettings {
                power_mw: self.power,
                ..RadioSettings::DEFAULT
            },
            bytes: self.bytes,
            period_ns: 1_000_000_000 / self.rate,
            seed: self.seed,
            ..RunSettings::DEFAULT
        }
    }
}

fn failed(path: &Path, what: &str) -> Failure {
    let path = path.display().to_string();
    Failure::new(format_args!("{}: {}", plain(&path), plain(what)))
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
