//! A trace on the channel, from its file to what was counted.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_traffic_lab::message_log::MessageLog;
use waywarden_traffic_lab::radio::{PlanePoint, VehiclePosition};
use waywarden_traffic_lab::{
    Beacons, MessageSource, PolicyComparison, RunPicture, RunSettings, TrafficReport,
    TrafficSimulation,
};
use waywarden_vehicle_tracks::fcd::{TimeStep, TimeSteps};
use waywarden_vehicle_tracks::{Location, PlaneOrigin};

use super::failed;
use super::stack::StackPlan;
use super::stack_report::StackReport;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// Maximum distance of time steps, in seconds: between them vehicles stand still on the channel.
const STEP_MAX_S: f64 = 10.0;

/// The farthest that a vehicle may be from 0,0, in metres: more than once around the earth.
const METRES_MAX: f64 = 1e8;

/// Logs of a run; `None`: nothing is logged.
pub(super) type Logs = Option<(MessageLog, RunPicture)>;

/// A trace in a file, and how it is run.
pub(super) struct Trace<'a> {
    pub(super) path: &'a Path,
    /// True if the trace is in degrees.
    pub(super) is_geo: bool,
    pub(super) settings: &'a RunSettings,
    pub(super) comparison: &'a PolicyComparison,
    /// The stack that sends in place of beacons.
    pub(super) stack: Option<&'a StackPlan>,
}

/// Counts of a run.
pub(super) struct Counted {
    pub(super) report: TrafficReport,
    pub(super) stack: Option<StackReport>,
}

/// Runs a trace; returns what was counted, and the logs. `bar` shows how much is done.
pub(super) fn run(
    trace: &Trace<'_>,
    logs: Logs,
    bar: &ProgressBar,
) -> Result<(Counted, Logs), Failure> {
    let Some(plan) = trace.stack else {
        let (report, logs, Beacons) = run_with(trace, logs, Beacons, bar)?;
        let counted = Counted {
            report,
            stack: None,
        };
        return Ok((counted, logs));
    };
    let stations = plan.stations(trace.settings.seed)?;
    let (report, logs, stations) = run_with(trace, logs, stations, bar)?;
    let figures = stations.finish().map_err(Failure::new)?;
    let counted = Counted {
        report,
        stack: Some(plan.report(&figures)),
    };
    Ok((counted, logs))
}

fn run_with<M: MessageSource>(
    &Trace {
        path: trace,
        is_geo,
        settings,
        comparison,
        ..
    }: &Trace<'_>,
    logs: Logs,
    source: M,
    bar: &ProgressBar,
) -> Result<(TrafficReport, Logs, M), Failure> {
    let mut steps = open(trace, bar)?;
    let mut run = TrafficSimulation::with_source(settings, comparison.clone(), logs, source);
    let mut origin = None;
    let mut last: Option<(f64, f64)> = None;
    while let Some(step) = steps.next() {
        let step = step.map_err(|error| failed(trace, &error.to_string()))?;
        let location = steps.location();
        if let Location::Row(row) = location {
            bar.set_position(row);
        }
        let wrong = |what: String| failed(trace, &format!("{location}: {what}"));
        check(&step, last.map(|(time, _)| time), is_geo).map_err(wrong)?;
        origin = origin.or_else(|| first_place(&step));
        if let Some((log, _)) = run.log() {
            if last.is_none() {
                log.begin_at(step.time_s);
            }
            log.name_vehicles(|number| steps.name(number));
            log.check().map_err(Failure::writing)?;
        }
        let passed = last.map_or(0.1, |(time, _)| step.time_s - time);
        last = Some((step.time_s, passed));
        run.step(&step, |x, y, heading_degrees| {
            let (x_m, y_m) = match origin.filter(|_| is_geo) {
                Some(origin) => origin.metres(y, x),
                None => (x, y),
            };
            VehiclePosition {
                place: PlanePoint { x_m, y_m },
                heading_degrees,
            }
        });
    }
    bar.finish_and_clear();
    let (_, step_s) = last.ok_or_else(|| failed(trace, "it has no time step"))?;
    Ok(run.finish((step_s * 1e9).round() as u64))
}

/// Begins to read a trace: Parquet, or what else floating car data come as.
pub(super) fn open(trace: &Path, bar: &ProgressBar) -> Result<TimeSteps<'static>, Failure> {
    let mut file = files::open(trace)?;
    let wrong = |error: &std::io::Error| Failure::file(trace.display(), error);
    let steps = if is_parquet(&mut file).map_err(|error| wrong(&error))? {
        let steps = TimeSteps::parquet(file);
        if let Ok(steps) = &steps {
            bar.set_length(steps.rows());
        }
        steps
    } else {
        let length = file.metadata().map_err(|error| wrong(&error))?.len();
        bar.set_length(length);
        TimeSteps::new(BufReader::with_capacity(1 << 16, bar.wrap_read(file)))
    };
    steps.map_err(|error| failed(trace, &error.to_string()))
}

/// Tells whether a file begins like Parquet, and goes back to its begin.
fn is_parquet(file: &mut File) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    file.by_ref().take(4).read_to_end(&mut begin)?;
    file.rewind()?;
    Ok(begin == b"PAR1")
}

/// Refuses time steps that are too far apart, and coordinates that are of the other kind.
pub(super) fn check(step: &TimeStep, last_s: Option<f64>, is_geo: bool) -> Result<(), String> {
    let passed = last_s.map_or(0.0, |last| step.time_s - last);
    if passed > STEP_MAX_S {
        return Err(format!(
            "{passed} s after the time step before: at most {STEP_MAX_S} s are expected; write the \
             trace with --device.fcd.period 1 or less, and without --fcd-output.skip-empty"
        ));
    }
    let far = step.vehicles.iter();
    let far = far.filter(|one| one.x.abs().max(one.y.abs()) > METRES_MAX);
    if let Some(one) = far.take(1).next() {
        return Err(format!(
            "x={} y={}: at most {METRES_MAX} metres",
            one.x, one.y
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

/// Returns the place of the first vehicle in a trace in degrees: the plane touches the ellipsoid
/// there.
fn first_place(step: &TimeStep) -> Option<PlaneOrigin> {
    let first = step.vehicles.first()?;
    Some(PlaneOrigin {
        latitude: first.y.clamp(-80.0, 80.0),
        longitude: first.x,
    })
}

/// Returns a bar that shows the read part of the file, on a terminal.
pub(super) fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    match ProgressStyle::with_template("{bar:30} {percent} % {elapsed} eta {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
