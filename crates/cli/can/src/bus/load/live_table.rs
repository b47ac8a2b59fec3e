//! The table of buses on a terminal while frames come.

use std::collections::BTreeMap;
use std::rc::Rc;

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_can::Frame;
use waywarden_can_dbc::SignalMatrix;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::formatting::percent;

use crate::logs::seconds::Finished;
use crate::signals;

/// The most messages whose signals are shown; the rest are counted.
const MESSAGES_MAX: usize = 20;

/// The most signals of a message that are shown.
const SIGNALS_MAX: usize = 4;

/// Shows each channel's rate and load, and the signals of the latest frames.
pub(super) struct LiveTable {
    bar: ProgressBar,
    /// None where no signals are asked for.
    latest: Option<Latest>,
}

/// The latest frame of each message of a matrix.
struct Latest {
    matrix: Rc<SignalMatrix>,
    /// By channel, and by the arbitration of the identifier.
    frames: BTreeMap<String, BTreeMap<u32, Frame>>,
}

impl LiveTable {
    /// Begins a table if standard error is a terminal; with a matrix it has signals.
    pub(super) fn new(matrix: Option<Rc<SignalMatrix>>) -> Option<Self> {
        if !messages::shows_progress() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{msg}").ok()?);
        bar.set_message("waiting for frames");
        let latest = matrix.map(Latest::new);
        Some(LiveTable { bar, latest })
    }

    /// Keeps a frame whose signals are shown next.
    pub(super) fn keep(&mut self, channel: &str, frame: &Frame) {
        if let Some(latest) = &mut self.latest {
            latest.keep(channel, frame);
        }
    }

    /// Shows the second that is over.
    pub(super) fn show(&self, finished: &Finished) {
        let signals = self.latest.as_ref().map(Latest::text).unwrap_or_default();
        self.bar.set_message(text(finished) + &signals);
    }

    /// Takes the table away: what is printed next has the whole.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

impl Latest {
    fn new(matrix: Rc<SignalMatrix>) -> Self {
        Latest {
            matrix,
            frames: BTreeMap::new(),
        }
    }

    /// Keeps a data frame of a message of the matrix: no more of them than the matrix has.
    fn keep(&mut self, channel: &str, frame: &Frame) {
        if !signals::is_data(frame) || self.matrix.message(frame.id()).is_none() {
            return;
        }
        if !self.frames.contains_key(channel) {
            self.frames.insert(channel.to_owned(), BTreeMap::new());
        }
        if let Some(frames) = self.frames.get_mut(channel) {
            frames.insert(frame.arbitration_key(), *frame);
        }
    }

    /// Writes a line for each message.
    fn text(&self) -> String {
        let mut text = String::new();
        let frames = self.frames.iter();
        let mut frames = frames.flat_map(|(channel, frames)| {
            let named = move |frame| (channel.as_str(), frame);
            frames.values().map(named)
        });
        for (channel, frame) in frames.by_ref().take(MESSAGES_MAX) {
            let message = self.matrix.message(frame.id());
            let name = message.map_or("", |message| &message.name);
            let signals = signals::shown(&self.matrix, frame.id(), frame.data(), SIGNALS_MAX);
            let line = format!("{channel:<16} {} {name:<28} {signals}", frame.id());
            text.push('\n');
            text += plain_lines(line.trim_end()).as_ref();
        }
        match frames.count() {
            0 => text,
            more => text + &format!("\nand {more} more messages"),
        }
    }
}

fn text(finished: &Finished) -> String {
    let mut lines = vec![format!(
        "{:<16} {:>10} {:>10} {:>12} {:>9} {:>12}",
        "channel", "frames", "frames/s", "identifiers", "load", "load so far"
    )];
    for (channel, second) in &finished.channels {
        let line = format!(
            "{channel:<16} {:>10} {:>10.0} {:>12} {:>9} {:>12}",
            second.total_frames,
            finished.frames_per_second(second),
            second.all_ids(),
            percent(finished.load(second)),
            percent(finished.total_load(second))
        );
        lines.push(plain_lines(&line).to_string());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use waywarden_can::Id;
    use waywarden_vehicle_file::matrix::ReadOptions;

    use super::*;

    const MATRIX: &str = "BU_: A\nBO_ 291 Engine: 2 A\n SG_ Speed : 0|8@1+ (2,0) [0|9] \"rpm\" A\n\
                          BO_ 292 Door: 1 A\n SG_ Open : 0|1@1+ (1,0) [0|1] \"\" A\n\
                          VAL_ 292 Open 0 \"shut\" 1 \"open\" ;\n";

    #[test]
    fn latest_frame_of_each_message_has_its_signals() {
        let matrix = SignalMatrix::read(MATRIX, ReadOptions::default()).unwrap();
        let mut latest = Latest::new(Rc::new(matrix));
        let frame = |id, data: &[u8]| Frame::classic(Id::standard(id).unwrap(), data).unwrap();
        for (channel, frame) in [
            ("can1", frame(291, &[7, 0])),
            ("can0", frame(292, &[1])),
            ("can0", frame(291, &[1, 0])),
            ("can0", frame(291, &[5, 0])),
            ("can0", frame(7, &[5, 0])),
        ] {
            latest.keep(channel, &frame);
        }
        let text = latest.text();
        let lines: Vec<Vec<_>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let expected: [&[&str]; 4] = [
            &[],
            &["can0", "123", "Engine", "Speed=10rpm"],
            &["can0", "124", "Door", "Open=open"],
            &["can1", "123", "Engine", "Speed=14rpm"],
        ];
        assert_eq!(lines, expected);
    }
}
