//! `waywarden run --explain`: the path of one message.

use std::io::{self, Write};

use waywarden_can_sim::clock::Time;
use waywarden_command_line::document::DocumentFormat;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::OutputFormat;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::Lowered;
use waywarden_vehicle_report::message_path::{MessagePath, PathRecorder};
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use super::simulate;

pub(super) const DOCUMENT: DocumentFormat<MessagePath> = DocumentFormat::new(
    "message-path",
    1,
    "waywarden run FILE --explain STREAM:NUMBER --format json",
);

/// Passes the trace to both.
struct Both<'a> {
    path: &'a mut PathRecorder,
    also: &'a mut dyn TraceSink,
}

impl TraceSink for Both<'_> {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        self.path.record(at, event);
        self.also.record(at, event);
    }
}

/// Runs a vehicle and prints the path of a message, given as `STREAM:NUMBER`.
pub(super) fn explain(
    (message, format): (&str, OutputFormat),
    file: &VehicleFile,
    lowered: Lowered,
    also: &mut dyn TraceSink,
) -> Result<Answer, Failure> {
    let (stream, number) = named(message, file)?;
    let mut path = PathRecorder::new(stream, number);
    let outcome = simulate(
        lowered,
        &mut Both {
            path: &mut path,
            also,
        },
    )?;
    let released = outcome.truth.releases(stream).len();
    let Some(path) = path.finish(&outcome) else {
        let name = &file.streams[stream].name.value;
        return Err(Failure::new(format_args!(
            "--explain {message}: {name} was released {released} times in this run; give a number \
             from 0 to {}",
            released.saturating_sub(1)
        )));
    };
    let out = &mut io::stdout().lock();
    match format {
        OutputFormat::Json => DOCUMENT.print(out, &path)?,
        OutputFormat::Csv => return Err(Failure::new("--explain has --format table and json")),
        OutputFormat::Table => print(out, &path)?,
    }
    let delivered = path.outcomes.iter().all(|one| one.outcome == "delivered");
    Ok(if delivered { Answer::Yes } else { Answer::No })
}

/// Returns the stream, by its place in the vehicle file, and the number.
fn named(message: &str, file: &VehicleFile) -> Result<(usize, u32), Failure> {
    let parts = message.rsplit_once(':');
    let Some((name, Ok(number))) = parts.map(|(name, number)| (name, number.parse())) else {
        return Err(Failure::new(format_args!(
            "--explain {message}: give a stream and the number of a message, such as EngineSpeed:12"
        )));
    };
    let mut streams = file.streams.iter();
    let Some(stream) = streams.position(|stream| stream.name.value == name) else {
        let mut names: Vec<&str> = file
            .streams
            .iter()
            .map(|one| one.name.value.as_str())
            .collect();
        names.truncate(8);
        return Err(Failure::new(format_args!(
            "--explain {message}: the vehicle has no stream {name:?}; it has {}",
            names.join(", ")
        )));
    };
    Ok((stream, number))
}

fn print(out: &mut impl Write, path: &MessagePath) -> io::Result<()> {
    writeln!(out, "{}, message {}:\n", path.stream, path.number)?;
    for step in &path.steps {
        let ecu = step.ecu.as_deref().unwrap_or_default();
        let bus = step
            .bus
            .as_ref()
            .map_or(String::new(), |bus| format!(" on {bus}"));
        let detail = match step.detail_text.as_str() {
            "" => String::new(),
            detail => format!(": {detail}"),
        };
        writeln!(
            out,
            "{:>14.6} ms  {ecu} {}{bus}{detail}",
            step.at_ms, step.what
        )?;
    }
    if path.omitted > 0 {
        writeln!(out, "({} more steps)", path.omitted)?;
    }
    writeln!(out)?;
    for one in &path.outcomes {
        let why = one.why.map_or(String::new(), |why| format!(": {why}"));
        writeln!(out, "{}: {}{why}", one.receiver, one.outcome)?;
    }
    Ok(())
}
