//! Changes of every display, with the source of each value.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;

use waywarden_vehicle_trace::{Truth, ValueSource};

/// Number of remembered changes of one display; the rest is counted.
pub const CHANGES_MAX: usize = 256;

/// Figures of one display.
#[derive(Clone, Debug, Default)]
pub struct DisplayFigures {
    /// Values that go back to something that people did at the sender.
    pub from_input: u64,
    /// Values that the sender sent before any input.
    pub from_start: u64,
    /// Values that the sender did not send.
    pub not_sent: u64,
    /// Warnings and failures, which are no values.
    pub signs: u64,
    /// Changes in order of time, up to [`CHANGES_MAX`].
    pub changes: Vec<DisplayChange>,
}

/// A change of a display.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayChange {
    /// Time of the change.
    pub at: Time,
    /// The value shown from then on.
    pub value: String,
    /// Verdict on the value: true to its sender or not; none for a sign of the display's own.
    pub truth: Option<Truth>,
}

/// Figures of displays, by ECU and display module.
pub type Displays = BTreeMap<(usize, String), DisplayFigures>;

/// Counts a change of a display.
pub(super) fn showed(
    displays: &mut Displays,
    (at, ecu): (Time, usize),
    (module, value): (&str, &str),
    (source, truth): (Option<ValueSource>, Option<Truth>),
) {
    let figures = displays.entry((ecu, module.to_owned())).or_default();
    let truth = source.and(truth);
    *match truth {
        Some(Truth::Genuine(genuine)) if genuine.cause.is_some() => &mut figures.from_input,
        Some(Truth::Genuine(_)) => &mut figures.from_start,
        Some(Truth::Forged { .. }) => &mut figures.not_sent,
        None => &mut figures.signs,
    } += 1;
    if figures.changes.len() < CHANGES_MAX {
        let value = value.to_owned();
        figures.changes.push(DisplayChange { at, value, truth });
    }
}
