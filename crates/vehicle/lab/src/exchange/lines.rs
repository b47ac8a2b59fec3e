//! The time line as lines for people: entry by entry, or message by message and stage by stage.

use std::collections::BTreeMap;

use super::{ComputationEntry, Exchange, FrameEntry, TimelineEntry};

/// Computations of one ECU that follow each other within this many milliseconds are one stage: in
/// between there is nothing but a driver call.
const STAGE_GAP_MS: f64 = 0.1;

/// Events that another one or a message says too: a logical ECU is there; the security module has
/// made a key, and heard that it arrived.
const DETAILS: [&str; 3] = ["formed", "keyed", "delivered"];

/// A line of the time line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Time of its start, in milliseconds.
    pub from_ms: f64,
    /// Duration, in milliseconds; none for an event.
    pub took_ms: Option<f64>,
    /// The group or security module, unless it is a computation of an ECU with several.
    pub group: String,
    /// The bus, if it is a frame.
    pub bus: String,
    /// Name of the ECU.
    pub ecu: String,
    /// Message, computation or event.
    pub what: String,
    /// The identifier, if it is a frame.
    pub id: String,
    /// The participants and what results, if it is a frame.
    pub addresses: String,
    /// The payload in bytes, if it is a frame.
    pub bytes: Option<usize>,
    /// The payload as hexadecimal digits, if it is one frame.
    pub data: String,
}

/// A line that may grow.
struct Growing<'a> {
    line: Line,
    frames: Vec<&'a FrameEntry>,
    computations: Vec<&'a ComputationEntry>,
}

/// Properties that the frames of one message share: identifier, bus, sender and outcome.
type MessageKey<'a> = (u32, &'a str, &'a str, &'static str);

/// Lines under construction. An entry finds its line by look-up: a search through all lines would
/// take quadratic time where most frames are foreign or destroyed and complete no message.
#[derive(Default)]
struct Grouping<'a> {
    lines: Vec<Growing<'a>>,
    /// By message: the line that lacks frames. A message is cut into several frames to be here.
    incomplete: BTreeMap<MessageKey<'a>, usize>,
    /// By ECU: its last line.
    last: BTreeMap<&'a str, usize>,
}

impl Exchange {
    /// Returns a line for each entry.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.time_line.iter().map(line).collect()
    }

    /// Returns a line for each message, however many frames it is cut into, for each stage of
    /// computations that one ECU does in a row, and for each event that says what no other and no
    /// message says.
    #[must_use]
    pub fn steps(&self) -> Vec<Line> {
        let mut grouping = Grouping::default();
        for entry in &self.time_line {
            grouping.add(entry);
        }
        grouping.lines.into_iter().map(Growing::finish).collect()
    }
}

fn line(entry: &TimelineEntry) -> Line {
    let nothing = Line {
        from_ms: entry.from_ms(),
        took_ms: None,
        group: String::new(),
        bus: String::new(),
        ecu: String::new(),
        what: String::new(),
        id: String::new(),
        addresses: String::new(),
        bytes: None,
        data: String::new(),
    };
    match entry {
        TimelineEntry::Frame(frame) => Line {
            took_ms: Some(frame.to_ms - frame.from_ms),
            group: frame.group.clone(),
            bus: frame.bus.clone(),
            ecu: frame.ecu.clone(),
            what: named(frame, 1),
            id: frame.identifier.id_hex.clone(),
            addresses: frame.addresses.to_string(),
            bytes: Some(frame.bytes),
            data: frame.data.trim_start_matches("0x").to_owned(),
            ..nothing
        },
        TimelineEntry::Computation(one) => Line {
            took_ms: Some(one.to_ms - one.from_ms),
            group: match one.groups.as_slice() {
                [only] => only.clone(),
                _ => String::new(),
            },
            ecu: one.ecu.clone(),
            what: format!("{} {}", one.operation, one.algorithm),
            ..nothing
        },
        TimelineEntry::Event(event) => Line {
            group: event.group.clone(),
            ecu: event.ecu.clone(),
            what: match event.event {
                "begun" => "begins".to_owned(),
                "agreed" => "has the key".to_owned(),
                _ => event.text.clone(),
            },
            ..nothing
        },
    }
}

/// Names a message of so many frames.
fn named(frame: &FrameEntry, frames: usize) -> String {
    let mut text = frame.step.to_owned();
    if frames > 1 {
        text.push_str(&format!(", {frames} frames"));
    }
    for (word, usual) in [(frame.origin, "own"), (frame.outcome, "sent")] {
        if word != usual {
            text.push_str(", ");
            text.push_str(word);
        }
    }
    text
}

impl<'a> Grouping<'a> {
    fn add(&mut self, entry: &'a TimelineEntry) {
        match entry {
            TimelineEntry::Frame(frame) => self.add_frame(frame, entry),
            TimelineEntry::Computation(one) => self.add_computation(one, entry),
            TimelineEntry::Event(event) if DETAILS.contains(&event.event) => {}
            TimelineEntry::Event(event) => {
                self.push(&event.ecu, Growing::of(line(entry)));
            }
        }
    }

    /// Adds a frame to the message that lacks it, or begins one.
    fn add_frame(&mut self, frame: &'a FrameEntry, entry: &'a TimelineEntry) {
        let key = (frame.message, &*frame.bus, &*frame.ecu, frame.outcome);
        let at = match self.incomplete.get(&key) {
            Some(&at) => {
                let message = &mut self.lines[at];
                message.frames.push(frame);
                message.line.took_ms = Some(frame.to_ms - message.line.from_ms);
                at
            }
            None => {
                let begun = Growing {
                    frames: vec![frame],
                    ..Growing::of(line(entry))
                };
                self.push(&frame.ecu, begun)
            }
        };
        if self.lines[at].frames.len() < frame.cut {
            self.incomplete.insert(key, at);
        } else {
            self.incomplete.remove(&key);
        }
    }

    /// Adds a computation to the stage that its ECU is in, or begins one.
    fn add_computation(&mut self, one: &'a ComputationEntry, entry: &'a TimelineEntry) {
        let last = self.last.get(&*one.ecu).map(|&at| &mut self.lines[at]);
        let goes_on = |stage: &&mut Growing<'_>| {
            let before = stage.computations.last();
            before.is_some_and(|before| one.from_ms - before.to_ms <= STAGE_GAP_MS)
        };
        match last.filter(goes_on) {
            Some(stage) => {
                stage.computations.push(one);
                stage.line.took_ms = Some(one.to_ms - stage.line.from_ms);
            }
            None => {
                let begun = Growing {
                    computations: vec![one],
                    ..Growing::of(line(entry))
                };
                self.push(&one.ecu, begun);
            }
        }
    }

    fn push(&mut self, ecu: &'a str, line: Growing<'a>) -> usize {
        let at = self.lines.len();
        self.lines.push(line);
        self.last.insert(ecu, at);
        at
    }
}

impl Growing<'_> {
    fn of(line: Line) -> Self {
        Growing {
            line,
            frames: Vec::new(),
            computations: Vec::new(),
        }
    }

    fn finish(self) -> Line {
        let mut line = self.line;
        if let [first, _, ..] = self.frames.as_slice() {
            line.what = named(first, self.frames.len());
            line.bytes = Some(self.frames.iter().map(|frame| frame.bytes).sum());
            line.data = String::new();
        }
        if !self.computations.is_empty() {
            line.what = stage(&self.computations);
        }
        line
    }
}

/// Names the computations of a stage: `verify, share`, or `3 verify, share`.
fn stage(computations: &[&ComputationEntry]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for one in computations {
        match counts
            .iter_mut()
            .find(|(operation, _)| *operation == one.operation)
        {
            Some((_, count)) => *count += 1,
            None => counts.push((one.operation, 1)),
        }
    }
    let named = counts.into_iter().map(|(operation, count)| match count {
        1 => operation.to_owned(),
        _ => format!("{count} {operation}"),
    });
    named.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
