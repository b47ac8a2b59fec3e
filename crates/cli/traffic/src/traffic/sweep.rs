//! `waywarden traffic sweep`: scenarios, levels, attacks and seeds, on all cores.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_traffic_lab::{PolicyComparison, RunSettings};

use super::compared::{AttackOptions, Compared, Kind, once};
use super::failed;
use super::figures::Figures;
use super::headline::{Headline, Simulated};
use super::kept::lock;
use super::options::RadioOptions;
use super::run::{Job, MessageFormat};
use super::scenario::Folder;
use super::sumo::simulate;
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::table::OutputFormat;

/// Run scenarios with many seeds, levels of traffic and attacks, and compare boards and policies.
///
/// SUMO simulates each scenario once for each level and seed; --jobs of them run side by side. Each
/// run is a folder in --out, such as campus-rush-1 or campus-rush-new-names-1, as `waywarden
/// traffic run --out` writes it. A run that is there already is not repeated, so a sweep that was
/// stopped goes on where it was.
///
/// The table has the mean share of relevant messages that each board verifies in time, by scenario,
/// level, attack and policy; without a --board, what was on the channel alone. Each policy is
/// compared with `safety`, or else with the last one, on the same seeds: `better` and `worse` are
/// beyond an interval of 95 % confidence (Student's t of the differences). The same options give
/// the same table, with any number of jobs.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficSweep {
    /// The folders of the scenarios.
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// A level of traffic, such as rush. Repeatable [default: all that the scenarios have].
    #[arg(long)]
    level: Vec<String>,
    /// Number of seeds: 1 to this number.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    seeds: u32,
    /// The folder for the runs, headline.json and report.html; it is made.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of runs side by side [default: one a core].
    #[arg(long, value_name = "NUMBER")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Keep the traces of SUMO too, some 5 to 40 MB each.
    #[arg(long)]
    keep_traces: bool,
    /// The form of the table.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    radio: RadioOptions,
    #[command(flatten)]
    compared: Compared,
    /// Transmitters beside the road send false messages. Repeatable: none and new-names runs each
    /// scenario without and with them [default: none].
    #[arg(long, value_enum, help_heading = "How attackers send")]
    attack: Vec<Kind>,
    #[command(flatten)]
    attackers: AttackOptions,
}

/// Task of one trace: a scenario, a level, a seed. Its attacks run one after the other.
struct Unit<'a> {
    folder: &'a Folder,
    name: &'a str,
    path: &'a Path,
    level: &'a str,
    seed: u64,
    /// Those of the scenario, with its buildings; attack and seed are those of each run.
    settings: Arc<RunSettings>,
}

impl Unit<'_> {
    /// Names the folder of a run.
    fn run(&self, kind: Kind) -> String {
        let middle = match kind {
            Kind::None => String::new(),
            kind => format!("{}-", kind.name()),
        };
        let Self {
            name, level, seed, ..
        } = self;
        format!("{name}-{level}-{middle}{seed}")
    }
}

const DOCUMENT: DocumentFormat<Headline> =
    DocumentFormat::new("traffic-sweep", 1, "waywarden traffic sweep --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl TrafficSweep {
    pub(super) fn execute(&self) -> Result<Answer, Failure> {
        files::refuse_pipes();
        let comparison = self.compared.comparison(self.radio.stack()?.as_ref())?;
        once("--level", &self.level)?;
        let attacks: Vec<&str> = self.attack.iter().map(|kind| kind.name()).collect();
        once("--attack", &attacks)?;
        let folders = self.folders()?;
        let units = self.units(&folders)?;
        self.check_names(&units)?;
        let _lock = lock(&self.out)?;
        let runs = self.run(&units, &comparison)?;
        let headline = Headline::of(&runs, &comparison);
        self.keep(&headline)?;
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &headline)?,
            OutputFormat::Csv if headline.has_boards() => headline.rows().print_csv(&mut out)?,
            OutputFormat::Csv => print_csv(&mut out, headline.traffic_rows())?,
            OutputFormat::Table => {
                headline.traffic().print(&mut out)?;
                if headline.has_boards() {
                    headline.pivoted().print(&mut out)?;
                }
                write!(out, "{}", headline.conclusion())?;
            }
        }
        out.flush()?;
        Ok(Answer::Yes)
    }

    /// Reads the scenarios, with the names of their folders.
    fn folders(&self) -> Result<Vec<(String, &Path, Folder)>, Failure> {
        let mut folders: Vec<(String, &Path, Folder)> = Vec::new();
        for path in &self.scenarios {
            let folder = Folder::read(path)?;
            let whole = fs::canonicalize(path);
            let whole = whole.map_err(|error| Failure::file(path.display(), &error))?;
            let name = whole.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            if folders.iter().any(|(known, _, _)| *known == name) {
                let what = "another scenario's folder has the same name; rename one of them";
                return Err(failed(path, what));
            }
            folders.push((name, path, folder));
        }
        Ok(folders)
    }

    /// Returns all traces that are needed, in the order of the command line.
    fn units<'a>(
        &'a self,
        folders: &'a [(String, &'a Path, Folder)],
    ) -> Result<Vec<Unit<'a>>, Failure> {
        let mut units = Vec::new();
        for (name, path, folder) in folders {
            let settings = Arc::new(self.radio.settings(Some(folder), None, 0)?);
            let levels: Vec<&str> = match self.level.is_empty() {
                true => folder.levels().collect(),
                false => self.level.iter().map(String::as_str).collect(),
            };
            for level in levels {
                folder.level(Some(level))?;
                let seeds = 1..=u64::from(self.seeds);
                units.extend(seeds.map(|seed| Unit {
                    folder,
                    name,
                    path,
                    level,
                    seed,
                    settings: Arc::clone(&settings),
                }));
            }
        }
        Ok(units)
    }

    /// Refuses two runs that would have one folder.
    fn check_names(&self, units: &[Unit<'_>]) -> Result<(), Failure> {
        let mut names = BTreeSet::new();
        for unit in units {
            for kind in self.attacks() {
                let name = unit.run(*kind);
                if !names.insert(name.clone()) {
                    let what = "two runs would have this folder; rename a level or a scenario";
                    return Err(failed(&self.out.join(name), what));
                }
            }
        }
        Ok(())
    }

    fn attacks(&self) -> &[Kind] {
        match self.attack.is_empty() {
            true => &[Kind::None],
            false => &self.attack,
        }
    }

    /// Runs all units, several side by side; returns the runs in the order of the units.
    fn run(
        &self,
        units: &[Unit<'_>],
        comparison: &PolicyComparison,
    ) -> Result<Vec<Simulated>, Failure> {
        let all = units.len() * self.attacks().len();
        let bar = ProgressBar::new(all as u64);
        let style = "{bar:30} {pos}/{len} runs {elapsed} eta {eta} {msg}";
        let bar = match ProgressStyle::with_template(style) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        };
        bar.enable_steady_tick(std::time::Duration::from_secs(1));
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        let jobs = self.jobs.map_or_else(cores, |jobs| jobs as usize);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(unit) = units.get(at) else {
                    return Ok::<_, Failure>(done);
                };
                let runs = self.unit(unit, comparison, &bar);
                if runs.is_err() {
                    // The others end what they have begun.
                    next.store(units.len(), Ordering::Relaxed);
                }
                done.push((at, runs?));
            }
        };
        let results = thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs.min(units.len()))
                .map(|_| scope.spawn(work))
                .collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined.collect::<Result<Vec<_>, _>>()
        });
        bar.finish_and_clear();
        let results = results.map_err(|_| Failure::new("a run has ended with a panic"))?;
        let mut done = Vec::new();
        for result in results {
            done.extend(result?);
        }
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().flat_map(|(_, runs)| runs).collect())
    }

    /// Runs a trace under each attack.
    fn unit(
        &self,
        unit: &Unit<'_>,
        comparison: &PolicyComparison,
        bar: &ProgressBar,
    ) -> Result<Vec<Simulated>, Failure> {
        let Unit {
            folder,
            name,
            level,
            seed,
            ..
        } = *unit;
        let traces = self
            .out
            .join("traces")
            .join(format!("{name}-{level}-{seed}"));
        let mut trace = None;
        let mut runs = Vec::new();
        for kind in self.attacks() {
            let attack = kind.attack().map(|kind| self.attackers.attack(kind));
            let settings = RunSettings {
                attack,
                seed,
                ..RunSettings::clone(&unit.settings)
            };
            let job = Job {
                input: unit.path,
                folder: Some(folder),
                level: Some(level),
                is_geo: false,
                buildings: self.radio.buildings.as_deref(),
                settings: &settings,
                comparison,
                stack: self.radio.stack()?,
                messages: None::<MessageFormat>,
            };
            let run = unit.run(*kind);
            bar.set_message(run.clone());
            let kept = job.kept(&self.out.join(run))?;
            let figures = match kept.figures()? {
                Some(figures) => figures,
                None => {
                    let path = match trace.take() {
                        Some(path) => path,
                        None => {
                            let (_, vehicles) = folder.level(Some(level))?;
                            simulate(folder, vehicles, seed, &traces)?
                        }
                    };
                    let path: &PathBuf = trace.insert(path);
                    job.run(kept, path, &ProgressBar::hidden())?
                }
            };
            runs.push(simulated(unit, *kind, &figures));
            bar.inc(1);
        }
        if trace.is_some() && !self.keep_traces {
            let removed = fs::remove_dir_all(&traces);
            removed.map_err(|error| Failure::file(traces.display(), &error))?;
        }
        Ok(runs)
    }

    /// Writes the table as JSON and as a page.
    fn keep(&self, headline: &Headline) -> Result<(), Failure> {
        let mut json = Vec::new();
        DOCUMENT.print(&mut json, headline)?;
        let page = headline.page();
        for (name, bytes) in [("headline.json", json), ("report.html", page.into_bytes())] {
            let path = self.out.join(name);
            let written = fs::write(&path, bytes);
            written.map_err(|error| Failure::file(path.display(), &error))?;
        }
        if !self.keep_traces {
            // It is empty, unless another sweep writes here.
            let _ = fs::remove_dir(self.out.join("traces"));
        }
        Ok(())
    }
}

fn simulated(unit: &Unit<'_>, kind: Kind, figures: &Figures) -> Simulated {
    Simulated {
        scenario: unit.name.to_owned(),
        level: unit.level.to_owned(),
        attack: kind.name(),
        received: figures.received(),
        shares: figures.shares(),
    }
}
