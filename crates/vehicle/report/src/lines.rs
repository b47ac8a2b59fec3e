//! The trace of a run as JSON Lines.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::json::Lines;
use waywarden_vehicle_trace::{Fact, JudgedFact, VehicleEvent};

use crate::prose::Prose;

/// The JSON Schema (draft 2020-12) of a line.
pub const LINE_SCHEMA: &str = include_str!("../schemas/trace-line.json");

/// Writes the trace of a run as JSON Lines.
#[derive(Clone, Debug)]
pub struct TraceLines {
    lines: Lines,
    prose: Prose,
}

impl TraceLines {
    /// Returns what writes the trace of this simulation.
    #[must_use]
    pub fn new(config: &Config<Fact>, prose: Prose) -> Self {
        let lines = Lines::naming(config);
        TraceLines { lines, prose }
    }

    /// Returns an event as one line, with its line feed; none for a fact that its frame shows.
    #[must_use]
    pub fn line(&self, at: Time, event: &VehicleEvent<'_>) -> Option<String> {
        let mut text = Vec::new();
        self.append(&mut text, at, event);
        String::from_utf8(text).ok().filter(|text| !text.is_empty())
    }

    /// Appends an event as one line, with its line feed; nothing for a fact that its frame shows.
    pub fn append(&self, text: &mut Vec<u8>, at: Time, event: &VehicleEvent<'_>) {
        let describe =
            |_, fact: &JudgedFact<'_>| Some((self.prose.describe(fact)?, self.prose.fields(fact)?));
        self.lines.append_with(text, at, event, describe);
    }
}
