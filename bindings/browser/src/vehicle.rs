//! Vehicle files, checked and run by the library calls of `waywarden check` and `waywarden run`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::{FileErrors, RUN_MAX, VehicleFile, Window};
use waywarden_vehicle_lab::lower::{LowerError, Lowered, lower};
use waywarden_vehicle_lab::many;
use waywarden_vehicle_lab::phases::in_phase;
use waywarden_vehicle_lab::run as simulation;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_page::{PageInput, page};
use waywarden_vehicle_report::perfetto::Perfetto;
use waywarden_vehicle_report::report::DOCUMENT;
use waywarden_vehicle_report::runs::RunId;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};
use waywarden_work::Duration;

use crate::answer::{self, Answer, Fault, Faults, json};
use crate::named_files;

/// The name of a vehicle file without one, in messages.
const NAME: &str = "vehicle.toml";

/// Most simulated time that a time line may show: its text takes some megabytes a second of a bus.
const TIME_LINE_MAX: Duration = Duration::from_millis(1_000);

/// Options of a run, as JSON; a key that is missing has its default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// Name of the vehicle file, for the places in documents.
    name: Option<String>,
    /// Seed in place of the file's own, as text: a number of JavaScript has 53 bits.
    seed: Option<String>,
    /// Length of the run in milliseconds, in place of the file's own; above zero, at most 24 h.
    duration_ms: Option<f64>,
    /// Draw of the unknown offsets.
    phase: u32,
    /// True if the report with pictures is wanted.
    page: bool,
    /// Part of the run that the time line shows, in milliseconds.
    time_line_ms: Option<(f64, f64)>,
    /// Texts of the boards and logs that the vehicle names, by the path that it gives.
    files: BTreeMap<String, String>,
}

/// A vehicle in brief.
#[derive(Serialize)]
struct Summary<'a> {
    name: &'a str,
    duration_ms: f64,
    seed: String,
    buses: Vec<&'a str>,
    ecus: Vec<&'a str>,
    streams: Vec<&'a str>,
    unknown_offsets: usize,
    /// Valid but probably unintended settings.
    warnings: Vec<Fault>,
}

/// A vehicle with all that a run of it needs.
struct Setting {
    options: Options,
    file: VehicleFile,
    resources: Resources,
    /// The file's own length of a run.
    own_duration: Duration,
    id: RunId,
}

/// Checks a vehicle file, and runs nothing. `options` is a JSON object: `files` has the texts of
/// the boards and logs that the file names, by path; others are those of [`run`].
///
/// The one part is a JSON object: name, duration, seed, names of buses, ECUs and streams, warnings.
/// Faults are those that `waywarden check` lists, each with its line.
#[must_use]
pub fn check(text: &str, options: &str) -> Answer {
    Answer::of(Setting::of(text, options).and_then(|setting| {
        let lowered = setting.lowered(&setting.file)?;
        Ok([json(&setting.summary(&lowered))])
    }))
}

/// Runs a vehicle file. `options` is a JSON object: `name` (of the file), `seed` (text),
/// `duration_ms`, `phase`, `page` (flag), `time_line_ms` (two numbers, at most 1,000 apart),
/// `files`; all may be left out. `progress` is told the share that is done, 0 to 1.
///
/// The parts: the document of `waywarden run --format json`, byte for byte; the report with
/// pictures, empty unless `page`; the time line of `--perfetto`, empty unless `time_line_ms`;
/// warnings, as a JSON array of faults.
#[must_use]
pub fn run(text: &str, options: &str, progress: &mut dyn FnMut(f64)) -> Answer {
    Answer::of(Setting::of(text, options).and_then(|setting| setting.run(progress)))
}

/// Makes the JSON Schema of vehicle files, for completion.
#[must_use]
pub fn schema() -> Answer {
    Answer::given([json(&waywarden_vehicle_file::schema::vehicle())])
}

impl Setting {
    fn of(text: &str, options: &str) -> Result<Self, Faults> {
        let options: Options = answer::options("the run", options)?;
        let name = options.name.as_deref().unwrap_or(NAME);
        let file = VehicleFile::parse(name, text);
        let mut file = file.map_err(|errors| Faults::from(&errors))?;
        let own_duration = file.duration;
        if let Some(length) = options.duration_ms {
            file.duration = time("duration", length)?;
            if file.duration == Duration::ZERO || file.duration > RUN_MAX {
                return Err(Faults::new(
                    &"the duration is above zero and at most a day; change it beside the button",
                ));
            }
        }
        let seed = options.seed.as_deref().map(|seed| {
            let refused = |_| {
                Faults::new(&format_args!(
                    "the seed {seed:?} is no whole number from 0 to {}; change it beside the \
                     button",
                    u64::MAX
                ))
            };
            seed.parse().map_err(refused)
        });
        let seed = seed.transpose()?.unwrap_or(file.seed);
        let resources = named_files::load(&file, &options.files)?;
        Ok(Self {
            id: RunId {
                seed,
                phase: options.phase.into(),
            },
            options,
            file,
            resources,
            own_duration,
        })
    }

    fn lowered(&self, file: &VehicleFile) -> Result<Lowered, Faults> {
        let refused = |error: LowerError| Fault::new(error.place(), &error).into();
        lower(file, &self.resources, Some(self.id.seed)).map_err(refused)
    }

    fn warnings(&self, lowered: &Lowered) -> Vec<Fault> {
        // Of a shorter run it is on purpose.
        let late = self
            .file
            .too_late(self.file.duration.max(self.own_duration));
        let late = late.iter().flat_map(FileErrors::listed).map(Fault::from);
        let unintended = lowered.warnings.iter();
        let unintended = unintended.map(|(place, warning)| Fault::new(Some(*place), warning));
        late.chain(unintended).collect()
    }

    fn summary(&self, lowered: &Lowered) -> Summary<'_> {
        let file = &self.file;
        Summary {
            name: &file.name,
            duration_ms: file.duration.as_nanos() as f64 * 1e-6,
            seed: file.seed.to_string(),
            buses: file.buses.iter().map(|bus| &*bus.name.value).collect(),
            ecus: file.ecus.iter().map(|ecu| &*ecu.name.value).collect(),
            streams: file.streams.iter().map(|one| &*one.name.value).collect(),
            unknown_offsets: file.unknown_offsets(),
            warnings: self.warnings(lowered),
        }
    }

    fn window(&self) -> Result<Option<Window>, Faults> {
        let Some((from, until)) = self.options.time_line_ms else {
            return Ok(None);
        };
        let (from, until) = (time("time line", from)?, time("time line", until)?);
        if until <= from || until > from + TIME_LINE_MAX {
            return Err(Faults::new(&format_args!(
                "the time line goes from {from} to {until}; give an end at most {TIME_LINE_MAX} \
                 behind its begin"
            )));
        }
        Ok(Some(Window {
            from,
            until: Some(until),
        }))
    }

    fn run(&self, progress: &mut dyn FnMut(f64)) -> Result<[Vec<u8>; 4], Faults> {
        let drawn = in_phase(&self.file, self.id.seed, self.id.phase);
        let lowered = self.lowered(&drawn)?;
        let mut warnings = self.warnings(&lowered);
        let recorder = || RunRecorder::new(&drawn, &lowered.config, lowered.prose.clone());
        let window = self.window()?;
        let mut kept = Kept {
            recorder: self.options.page.then(recorder),
            perfetto: window.map(|window| lowered.perfetto(Vec::new(), Some(&window))),
        };
        let outcome = simulation::run(lowered, &mut kept, progress);
        let outcome = outcome.map_err(|error| Faults::new(&format_args!("the run: {error}")))?;
        let (report, no_bound) =
            many::report(&self.file, &drawn, &self.resources, (self.id, &outcome));
        let no_bound = no_bound.map(|why| format!("no bound stands beside the figures: {why}"));
        warnings.extend(no_bound.map(|text| Fault::new(None, &text)));
        let Kept { recorder, perfetto } = kept;
        // Writing to memory does not fail.
        let time_line = perfetto.map(|perfetto| perfetto.finish().unwrap_or_default());
        let page = recorder.map(|recorder| {
            page(&PageInput {
                file: &drawn,
                report: &report,
                outcome: &outcome,
                recording: &recorder.finish(),
            })
        });
        let mut document = Vec::new();
        let written = DOCUMENT.print(&mut document, &report);
        written.map_err(|error| Faults::new(&format_args!("the document: {error}")))?;
        let page = page.unwrap_or_default().into_bytes();
        let time_line = time_line.unwrap_or_default();
        Ok([document, page, time_line, json(&warnings)])
    }
}

/// Recordings of a run besides its figures.
struct Kept {
    recorder: Option<RunRecorder>,
    perfetto: Option<Perfetto<Vec<u8>>>,
}

impl TraceSink for Kept {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record(at, event);
        }
        if let Some(perfetto) = &mut self.perfetto {
            perfetto.record(at, event);
        }
    }
}

/// Reads a time in milliseconds, to the nanosecond.
fn time(what: &str, ms: f64) -> Result<Duration, Faults> {
    let most = RUN_MAX.as_nanos() as f64 * 1e-6;
    match (0.0..=most).contains(&ms) {
        true => Ok(Duration::from_nanos((ms * 1e6).round() as u64)),
        false => Err(Faults::new(&format_args!(
            "the {what} is {ms} ms; give a time from 0 to a day"
        ))),
    }
}
