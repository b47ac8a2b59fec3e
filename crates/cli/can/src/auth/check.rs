//! `waywarden auth check`: a verdict on each frame of a protected log.

mod first_counter;
mod junit;
mod live_rates;
mod live_table;
mod outputs;
mod table;
mod verdicts;

pub use self::table::SCHEMA;
pub use self::verdicts::SCHEMA as VERDICT_SCHEMA;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use waywarden_can_auth_log::{
    AuthenticationPlan, CheckSummary, Judging, LogChecker, LogSurvey, StreamCounts,
};
use waywarden_can_dbc::SignalMatrix;
use waywarden_vehicle_file::formatting::count;
use waywarden_work::Duration;

use self::first_counter::FirstCounter;
use self::live_rates::LiveRates;
use self::live_table::LiveTable;
use self::outputs::Outputs;
use super::input::Input;
use super::plan_options::PlanOptions;
use super::remedies;
use crate::logs::TimeDigits;
use crate::logs::damage::LogReadingOptions;
use crate::logs::live::Polled;
use crate::logs::source::LogSource;
use crate::signals;
use verdicts::VerdictFormat;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::junit::JunitOption;
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::table::OutputFormat;

const EXAMPLES: &str = "\
Examples:
  waywarden auth check drive.log --config auth.toml   by stream: authentic, refused and why
  waywarden auth check drive.log --vehicle car.toml   the streams and keys of a vehicle file
  waywarden auth check drive.log --config auth.toml --dbc matrix.dbc
  waywarden auth check drive.log --config auth.toml --verdicts verdicts.csv
  waywarden auth check drive.log --config auth.toml --dbc matrix.dbc --signals signals.csv
  waywarden auth check drive.log --config auth.toml --out authentic.log
  waywarden auth check drive.log --config auth.toml --counter 0x120=70000
  candump -L can0 | waywarden auth check - --config auth.toml --verdicts -
  waywarden auth check --interface can0 --config auth.toml --bitrate 500k";

/// Check a protected log: a verdict on each frame, and the messages as they were.
///
/// A table shows by stream how many frames are authentic, and why the others are not. The log that
/// is written has the messages that are authentic, without tags and announcements, and the frames
/// of no stream as they are.
///
/// Frames are judged as a log: it may begin at any counter and have gaps. A file is judged with
/// hindsight, and read twice where freshness is announced; standard input gives verdicts at once,
/// and a message whose tag does not come within 1 s is missing. `--as-ecu` gives what a receiver
/// that starts with the log would have done.
///
/// Exit code 0 if every frame of the streams is authentic, 1 if one is not, 2 if the log or the
/// tables are not understood, 3 if no frame at all is authentic: probably the key is wrong.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CheckCommand {
    #[command(flatten)]
    source: LogSource,
    #[command(flatten)]
    reading: LogReadingOptions,
    #[command(flatten)]
    plan: PlanOptions,
    #[command(flatten)]
    rates: LiveRates,
    /// Write the messages here as candump; - is standard output (the table is then left out).
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write all frames as they are instead, whether they are authentic or not.
    #[arg(long, requires = "out")]
    keep: bool,
    #[command(flatten)]
    digits: TimeDigits,
    /// Write a line for each frame here, with its verdict; - is standard output (the table is then
    /// left out). A name in .csv or .jsonl asks for lines for programs, with the freshness of each
    /// message and AUTOSAR's name of the result; docs/auth.md has the columns.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// The form of these lines, whatever the file's name is.
    #[arg(long, value_enum, value_name = "FORM", requires = "verdicts")]
    verdict_format: Option<VerdictFormat>,
    /// Write the signals of the authentic messages here, as a table in .csv or .parquet: a row for
    /// each signal, by the message matrix of --dbc; docs/log-formats.md has the columns.
    #[arg(long, value_name = "FILE", requires = "dbc")]
    signals: Option<PathBuf>,
    /// Give what a receiver would have done that starts with the log, in step with the senders, and
    /// retains its counters as an ECU does.
    #[arg(long, conflicts_with = "counter")]
    as_ecu: bool,
    /// The counter of the first message in the log, of one stream (by name or identifier) or of
    /// all: lower ones are replays. Without it the first messages show it, up to 16,777,216 with 8
    /// bits of it in a frame.
    #[arg(long, value_name = "[STREAM=]N")]
    counter: Vec<FirstCounter>,
    /// Take frames of no stream for not authentic, too: exit code 1.
    #[arg(long)]
    no_unknown: bool,
    /// The form of the table.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    #[command(flatten)]
    junit: JunitOption,
}

/// The longest time that a message waits for its tag on a bus that is followed.
const WAIT_MAX: Duration = Duration::from_nanos(1_000_000_000);

impl CheckCommand {
    /// Judges the messages of a log.
    ///
    /// # Errors
    /// Bad input, and output that cannot be written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let mut plan = self.plan.plan()?;
        for first in &self.counter {
            plan.set_first_counter(first.stream.as_deref(), first.counter);
        }
        let plan = Arc::new(plan);
        let timing = self.rates.timing(&self.source)?;
        let mut checker = self.checker(&plan)?;
        let mut input = Input::open(&self.source, self.reading)?;
        let is_live = self.source.is_live();
        let mut live_table = match self.shows_live_table() {
            true => LiveTable::new(timing),
            false => None,
        };
        let matrix = self.signal_matrix(live_table.is_some())?;
        let show_signals = |table: &mut LiveTable| table.show_signals(matrix.clone());
        live_table.iter_mut().for_each(show_signals);
        let (mut outputs, mut checked) = (Outputs::create(self, matrix)?, Vec::new());
        let mut latest = Instant::now();
        loop {
            let polled = input.poll()?;
            match &polled {
                Polled::Record(record) => {
                    latest = Instant::now();
                    outputs.set_start(input.start_ns());
                    let result = checker.check(record, input.channels(), &mut checked);
                    result.map_err(|error| input.fault(remedies::of_check(&error)))?;
                }
                Polled::Silence => {
                    let quiet = Duration::from_nanos(latest.elapsed().as_nanos() as u64);
                    checker.silence(quiet, &mut checked);
                }
                Polled::End => break,
            }
            for one in checked.drain(..) {
                outputs.write(&one, input.channels(), checker.streams())?;
                if let Some(table) = &mut live_table {
                    table.keep(&one);
                }
            }
            if is_live {
                outputs.flush()?;
            }
            if let Some(table) = &mut live_table {
                if let Polled::Record(record) = &polled
                    && let Some(frame) = record.entry.frame()
                {
                    table.add(input.channels().name(record.channel), frame);
                }
                table.show(checker.streams());
            }
        }
        if let Some(table) = live_table {
            table.finish();
        }
        warn_of_late(checker.late());
        let summary = checker.finish(&mut checked);
        for one in checked.drain(..) {
            outputs.write(&one, input.channels(), &summary.streams)?;
        }
        if summary.is_about_nothing() {
            let why = plan.nothing_found(input.channels());
            return Err(input.about(why));
        }
        outputs.finish()?;
        self.junit
            .write(|| junit::suite(&summary, self.no_unknown))?;
        messages::status(input.finish());
        remarks(&summary);
        self.check_named(&summary)?;
        self.report(&summary)
    }
}

impl CheckCommand {
    /// Reads the matrix if signals are written or shown; a live table does without one that has
    /// none.
    fn signal_matrix(&self, is_shown: bool) -> Result<Option<Rc<SignalMatrix>>, Failure> {
        match (self.plan.matrix(), &self.signals) {
            (Some(path), Some(_)) => signals::read(path).map(Some),
            (Some(path), None) if is_shown => Ok(signals::read(path).ok()),
            _ => Ok(None),
        }
    }

    /// Returns true if nothing else is written to a terminal while frames come.
    fn shows_live_table(&self) -> bool {
        let mut written = [&self.out, &self.verdicts, &self.signals]
            .into_iter()
            .flatten();
        let is_shared = written.any(|path| is_standard(path)) && io::stdout().is_terminal();
        self.source.is_live() && !is_shared
    }

    /// Returns the place and the form of the lines of verdicts. An interface whose verdicts go to a
    /// pipe, and which was asked for nothing else, has JSON Lines.
    fn lines(&self) -> (Option<&Path>, Option<VerdictFormat>) {
        let is_plain = self.out.is_none() && self.verdicts.is_none();
        match self.source.interface() {
            Some(_) if is_plain && !io::stdout().is_terminal() => {
                (Some(Path::new("-")), Some(VerdictFormat::Json))
            }
            _ => (self.verdicts.as_deref(), self.verdict_format),
        }
    }

    /// Makes the checker; for a file with announcements after a first pass.
    fn checker(&self, plan: &Arc<AuthenticationPlan>) -> Result<LogChecker, Failure> {
        let plan = || Arc::clone(plan);
        let is_live = self.source.is_live();
        if self.as_ecu || is_live {
            let checker = match self.as_ecu {
                true => LogChecker::as_ecu(plan()),
                false => LogChecker::new(plan()),
            };
            return Ok(match is_live {
                true => checker.waiting_at_most(WAIT_MAX),
                false => checker,
            });
        }
        let mut survey = LogSurvey::new(plan());
        if plan().has_announcements() {
            let mut reader = crate::logs::input::open(self.source.path())?;
            while let Some(record) = reader.next() {
                // Faults are for the second pass to report.
                match record {
                    Ok(record) if survey.look(&record, reader.channels()).is_err() => break,
                    _ => {}
                }
            }
        }
        Ok(LogChecker::with_hindsight(plan(), survey.finish()))
    }

    /// Prints the table, or the totals where standard output is taken.
    fn report(&self, summary: &CheckSummary) -> Result<Answer, Failure> {
        if ![self.out.as_deref(), self.lines().0, self.signals.as_deref()]
            .into_iter()
            .flatten()
            .any(is_standard)
        {
            table::print(&mut io::stdout().lock(), summary, self.format)?;
        } else {
            messages::status(table::totals(summary).trim_end());
        }
        let unknown = self.no_unknown && summary.unknown > 0;
        if summary.nothing_right {
            messages::warning(remedies::of_nothing_right(self.source.path(), summary));
            return Ok(Answer::Unrelated);
        }
        Ok(match summary.refused > 0 || unknown {
            true => Answer::No,
            false => Answer::Yes,
        })
    }

    /// Refuses a counter for a stream that the log does not have.
    fn check_named(&self, summary: &CheckSummary) -> Result<(), Failure> {
        let named = self
            .counter
            .iter()
            .filter_map(|first| first.stream.as_ref());
        for name in named {
            if !summary.streams.iter().any(|row| row.stream == *name) {
                let mut streams: Vec<&str> = Vec::new();
                for row in &summary.streams {
                    if !streams.contains(&row.stream.as_str()) {
                        streams.push(&row.stream);
                    }
                }
                return Err(Failure::new(format_args!(
                    "--counter {name}=N: {} has no stream {name}; it has {}",
                    self.source.path().display(),
                    streams.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Warns of messages that were given up too early: something held their tags back.
fn warn_of_late(late: u64) {
    if late > 0 {
        messages::warning(format_args!(
            "{} given up after 1 s, although the tag came later and was right; a program before \
             this one holds frames back, such as `grep` without `--line-buffered`",
            count(late, "message")
        ));
    }
}

/// Says how the log was judged, and at which counters streams begin that do not begin at 1.
fn remarks(summary: &CheckSummary) {
    let passes = match summary.passes {
        1 => "one pass",
        _ => "two passes",
    };
    messages::status(match summary.judged_as {
        Judging::Log => format!("judged as a log, with hindsight, in {passes}"),
        Judging::Live => "judged as it came, in one pass, without hindsight".to_owned(),
        Judging::Ecu => "judged as by a receiver that starts with the log".to_owned(),
    });
    for row in &summary.streams {
        if let Some(first) = row.first_counter.filter(|first| *first > 1) {
            let StreamCounts {
                stream, channel, ..
            } = row;
            messages::status(format_args!(
                "{stream} on {channel} begins at counter {first}"
            ));
        }
    }
}
