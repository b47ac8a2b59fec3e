//! Events, as lines of text or of JSON.

mod lines;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, StationEvent};
use waywarden_v2x_neighbourhood::{
    NeighbourhoodEvent, NotSentCause, Reception, ReceptionVerdict, SenderOrigin, Summary, drop_name,
};
use waywarden_v2x_station::content::StationMessageKind;

use super::FormatName;
use super::capture::{Capture, CaptureDirection};
use super::identifiers::id;
use super::report::{self, Measured, SummaryLine};
use super::screen::Screen;
use super::silence::{self, Silences};
use super::tracks::RecordingRead;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::time;

use lines::{Fields, Line};

/// A line of JSON Lines.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum StationLine<'a> {
    Event(&'a Line),
    Summary(&'a SummaryLine),
}

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DocumentSchema::of_lines::<StationLine<'_>>(
    "station-line",
    1,
    "waywarden station --format json",
);

/// Maximum number of refusals with one reason that are printed as text.
const PRINTED_MAX: u64 = 3;

/// Prints events, records frames, and counts.
pub(super) struct Printer {
    format: FormatName,
    screen: Option<Screen>,
    out: BufWriter<Stdout>,
    is_terminal: bool,
    capture: Option<Capture>,
    summary: Summary,
    measured: Measured,
    /// Number of printed refusals by reason.
    printed: BTreeMap<&'static str, u64>,
    lost_events: u64,
    silences: Silences,
    recording: Option<RecordingRead>,
}

impl Printer {
    pub(super) fn new(format: FormatName, capture: Option<Capture>) -> Result<Self, Failure> {
        let is_live = format == FormatName::Live;
        let screen = is_live.then(Screen::open).transpose();
        let screen = screen.map_err(|error| {
            Failure::new(format_args!(
                "the terminal: {error}; give --format text or json"
            ))
        })?;
        Ok(Self {
            format,
            screen,
            out: BufWriter::new(io::stdout()),
            is_terminal: io::stdout().is_terminal(),
            capture,
            summary: Summary::default(),
            measured: Measured::default(),
            printed: BTreeMap::new(),
            lost_events: 0,
            silences: Silences::default(),
            recording: None,
        })
    }

    /// Takes note of an event.
    pub(super) fn take(&mut self, happened: &StationEvent) -> Result<(), Failure> {
        self.summary.take(&happened.event);
        self.silences.take(happened);
        self.record(happened);
        let printed = match self.format {
            FormatName::Live => {
                self.show(happened);
                Ok(())
            }
            FormatName::Text => self.text(happened),
            FormatName::Json => self.json(happened),
        };
        printed.map_err(Failure::from)
    }

    /// Writes what waits, now and then.
    pub(super) fn tick(&mut self) -> Result<(), Failure> {
        let flushed = match &mut self.screen {
            Some(screen) => screen.tick(),
            None => self.out.flush(),
        };
        flushed.map_err(Failure::from)
    }

    /// The screen, which has commands of its own.
    pub(super) fn screen(&mut self) -> Option<&mut Screen> {
        self.screen.as_mut()
    }

    fn show(&mut self, happened: &StationEvent) {
        let line = self.line(happened);
        if let Some(screen) = &mut self.screen {
            screen.take(happened);
            if let Some(line) = line {
                let when = time::show(happened.now.time);
                screen.log(format!("{when} station {}: {line}", happened.station));
            }
        }
    }

    pub(super) fn lost(&mut self, (events, frames): (u64, u64)) {
        self.lost_events = events;
        self.summary.lost = frames;
    }

    /// Takes what was read of a recording.
    pub(super) fn read(&mut self, recording: Option<RecordingRead>) {
        self.recording = recording;
    }

    /// Takes what the stations measured.
    pub(super) fn timings(&mut self, places: &[PlacedStation]) {
        self.measured = Measured::of(places);
    }

    /// Prints the summary. `is_sending` is false for stations that only hear.
    pub(super) fn finish(mut self, is_sending: bool) -> Result<Answer, Failure> {
        let silent = match is_sending {
            true => self.silences.of_silent(),
            false => Vec::new(),
        };
        // The summary stands below what was there before.
        self.screen = None;
        let recorded = self.capture.take().map(Capture::finish);
        let lost = report::Losses {
            events: self.lost_events,
            recorded: recorded.as_ref().map(|one| one.written),
            unrecorded: recorded.as_ref().map_or(0, |one| one.lost),
        };
        match self.format {
            FormatName::Live | FormatName::Text => {
                report::print(&mut self.out, &self.summary, &self.measured, &lost)?;
                silence::print(&mut self.out, &silent)?;
            }
            FormatName::Json => {
                let (summary, measured) = (&self.summary, &self.measured);
                let recording = self.recording.take();
                let summary = report::summary_line(summary, measured, &lost, &silent, recording);
                serde_json::to_writer(&mut self.out, &StationLine::Summary(&summary))
                    .map_err(io::Error::from)?;
                writeln!(self.out)?;
            }
        }
        self.out.flush()?;
        match report::is_deceived(&self.summary) || !silent.is_empty() {
            true => Ok(Answer::No),
            false => Ok(Answer::Yes),
        }
    }

    fn record(&mut self, happened: &StationEvent) {
        let Some(capture) = &mut self.capture else {
            return;
        };
        let time = happened.now.time;
        match &happened.event {
            NeighbourhoodEvent::Sent { frame, .. } => {
                capture.take(&frame.bytes, time, CaptureDirection::Outbound);
            }
            // Frames of this program are recorded when they are sent.
            NeighbourhoodEvent::Heard(reception)
                if reception.frame.origin == SenderOrigin::Unknown =>
            {
                capture.take(
                    &reception.frame.bytes,
                    reception.received,
                    CaptureDirection::Inbound,
                );
            }
            _ => {}
        }
    }

    fn text(&mut self, happened: &StationEvent) -> io::Result<()> {
        let Some(line) = self.line(happened) else {
            return Ok(());
        };
        let when = time::show(happened.now.time);
        writeln!(self.out, "{when} station {}: {line}", happened.station)?;
        match self.is_terminal {
            true => self.out.flush(),
            false => Ok(()),
        }
    }

    /// Returns an event as a line of text for people.
    fn line(&mut self, happened: &StationEvent) -> Option<String> {
        Some(match &happened.event {
            NeighbourhoodEvent::Heard(reception) => return self.heard(reception),
            NeighbourhoodEvent::PseudonymChanged {
                certificate,
                silent_until,
            } => format!(
                "has another pseudonym, {}; silent until {}",
                id(certificate),
                time::show(*silent_until)
            ),
            NeighbourhoodEvent::Impaired(cause @ NotSentCause::Signing(..)) => {
                plain(&cause.to_string()).to_string()
            }
            NeighbourhoodEvent::Impaired(cause) => {
                format!("sends nothing: {}", plain(&cause.to_string()))
            }
            NeighbourhoodEvent::ClockWarning { reason, .. } => {
                format!("warning: {}", plain(reason))
            }
            NeighbourhoodEvent::Recovered(cause) => {
                format!("goes on; over is: {}", plain(&cause.to_string()))
            }
            NeighbourhoodEvent::CommandRefused { reason } => format!("does not: {}", plain(reason)),
            NeighbourhoodEvent::Unreadable { reason, .. } => {
                self.unless_many("unreadable")?;
                format!("a frame cannot be read: {}", plain(reason))
            }
            NeighbourhoodEvent::Dropped { cause, .. } => {
                self.unless_many(drop_name(*cause))?;
                format!("a message is not verified: {}", drop_name(*cause))
            }
            // The cause is printed once, not at each message.
            NeighbourhoodEvent::NotSigned { .. }
            | NeighbourhoodEvent::Sent { .. }
            | NeighbourhoodEvent::OwnAddress { .. } => return None,
        })
    }

    fn heard(&mut self, reception: &Reception) -> Option<String> {
        match &reception.verdict {
            ReceptionVerdict::Accepted { signer, .. } => {
                let content = reception.content?;
                let station = content
                    .station
                    .map_or("unknown".to_owned(), |id| id.to_string());
                match content.kind {
                    StationMessageKind::Denm(notice) => {
                        self.unless_many("event")?;
                        let over = if notice.is_over { ", over" } else { "" };
                        let cause = notice.cause.map_or(String::new(), |one| format!(" {one}"));
                        Some(format!("warning{cause} of station id {station}{over}"))
                    }
                    _ if reception.is_new => Some(format!(
                        "new neighbour: station id {station}, {}",
                        id(signer)
                    )),
                    StationMessageKind::Named(name) => {
                        self.unless_many(name)?;
                        Some(format!("{name} of station id {station}, {}", id(signer)))
                    }
                    _ => None,
                }
            }
            // The reason begins with the name of the result.
            ReceptionVerdict::Refused { code, reason } => {
                self.unless_many(code.name())?;
                Some(format!("refused: {}", plain(reason)))
            }
            ReceptionVerdict::PayloadRefused { reason } => {
                self.unless_many(reception.verdict.name())?;
                Some(format!("refused: payload: {}", plain(reason)))
            }
            ReceptionVerdict::Unanswered(why) => {
                self.unless_many("unanswered")?;
                Some(format!("not verified: {}", plain(why)))
            }
        }
    }

    /// `None` for what was printed often enough.
    fn unless_many(&mut self, what: &'static str) -> Option<()> {
        let count = self.printed.entry(what).or_default();
        *count += 1;
        (*count <= PRINTED_MAX).then_some(())
    }

    fn json(&mut self, happened: &StationEvent) -> io::Result<()> {
        let line = Line {
            time_us: happened.now.time.0,
            station: happened.station,
            event: Fields::of(&happened.event),
        };
        serde_json::to_writer(&mut self.out, &StationLine::Event(&line))?;
        writeln!(self.out)
    }
}
