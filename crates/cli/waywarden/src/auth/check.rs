//! `waywarden auth check`: a verdict on each frame of a protected log.

mod table;
mod verdicts;

pub(super) use self::table::SCHEMA;
pub(super) use self::verdicts::SCHEMA as VERDICT_SCHEMA;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waywarden_can_auth_log::{CheckedRecord, LogChecker, StreamCounts};
use waywarden_can_log::Channels;

use super::input::Input;
use super::plan_options::PlanOptions;
use super::remedies;
use crate::logs::damage::Reading;
use crate::logs::{LogFormat, LogWriter};
use verdicts::{VerdictFormat, VerdictWriter};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::table::Format;

const EXAMPLES: &str = "\
Examples:
  waywarden auth check drive.log --config auth.toml   by stream: authentic, refused and why
  waywarden auth check drive.log --vehicle car.toml   the streams and keys of a vehicle file
  waywarden auth check drive.log --config auth.toml --dbc matrix.dbc
  waywarden auth check drive.log --config auth.toml --verdicts verdicts.csv
  waywarden auth check drive.log --config auth.toml --out authentic.log";

/// Check a protected log: a verdict on each frame, and the messages as they were.
///
/// A table shows by stream how many frames are authentic, and why the others are not. The log that
/// is written has the messages that are authentic, without tags and announcements, and the frames
/// of no stream as they are. The log is from the start of its senders on: receivers begin in step
/// with them, for no sender answers if they ask.
///
/// Exit code 0 if every frame of the streams is authentic, 1 if one is not, 2 if the log or the
/// tables are not understood.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Check {
    /// The log: candump, ASC or BLF, plain or gzip. - is standard input.
    log: PathBuf,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    plan: PlanOptions,
    /// Write the messages here as candump; - is standard output (the table is then left out).
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write all frames as they are instead, whether they are authentic or not.
    #[arg(long, requires = "out")]
    keep: bool,
    /// Write a line for each frame here, with its verdict; - is standard output (the table is then
    /// left out). A name in .csv or .jsonl asks for lines for programs, with the freshness of each
    /// message and AUTOSAR's name of the result; docs/auth.md has the columns.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// The form of these lines, whatever the file's name is.
    #[arg(long, value_enum, value_name = "FORM", requires = "verdicts")]
    verdict_format: Option<VerdictFormat>,
    /// Frames of no stream are not authentic either.
    #[arg(long)]
    strict: bool,
    /// The form of the table.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What is written while the log is checked.
struct Outputs<'a> {
    check: &'a Check,
    messages: Option<LogWriter>,
    verdicts: Option<VerdictWriter>,
}

impl Check {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let plan = Arc::new(self.plan.plan()?);
        let mut input = Input::open(&self.log, self.reading)?;
        let mut outputs = Outputs::create(self)?;
        let (mut checker, mut checked) = (LogChecker::new(plan.clone()), Vec::new());
        while let Some(record) = input.next()? {
            let result = checker.check(&record, input.channels(), &mut checked);
            result.map_err(|error| input.fault(remedies::of_check(&error)))?;
            for one in checked.drain(..) {
                outputs.write(&one, input.channels(), checker.streams())?;
            }
        }
        let summary = checker.finish(&mut checked);
        for one in checked.drain(..) {
            outputs.write(&one, input.channels(), &summary.streams)?;
        }
        if summary.is_about_nothing() {
            let why = plan.nothing_found(input.channels());
            return Err(input.about(why));
        }
        outputs.finish()?;
        messages::status(input.finish());
        if ![&self.out, &self.verdicts]
            .into_iter()
            .flatten()
            .any(|path| is_standard(path))
        {
            table::print(&mut io::stdout().lock(), &summary, self.format)?;
        }
        let unknown = self.strict && summary.unknown > 0;
        Ok(match summary.refused > 0 || unknown {
            true => Answer::No,
            false => Answer::Yes,
        })
    }
}

impl<'a> Outputs<'a> {
    fn create(check: &'a Check) -> Result<Self, Failure> {
        let messages = |path: &Path| LogWriter::create(path, LogFormat::Candump);
        let verdicts = |path: &Path| VerdictWriter::create(path, check.verdict_format);
        Ok(Outputs {
            check,
            messages: check.out.as_deref().map(messages).transpose()?,
            verdicts: check.verdicts.as_deref().map(verdicts).transpose()?,
        })
    }

    fn write(
        &mut self,
        checked: &CheckedRecord,
        channels: &Channels,
        streams: &[StreamCounts],
    ) -> Result<(), Failure> {
        if let Some(messages) = &mut self.messages {
            let kept = match self.check.keep {
                true => Some(&checked.record),
                false => checked.plain.as_ref(),
            };
            if let Some(record) = kept {
                let written = messages.write(record, channels);
                written.map_err(Failure::writing)?;
            }
        }
        if let Some(verdicts) = &mut self.verdicts {
            verdicts.write(checked, channels, streams)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        self.messages.map(LogWriter::finish).transpose()?;
        self.verdicts.map(VerdictWriter::finish).transpose()?;
        Ok(())
    }
}
