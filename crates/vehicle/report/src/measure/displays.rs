//! What people saw: every change of every display, and where it came from.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;

use waywarden_vehicle_trace::{Source, Truth};

/// How many changes of one display are remembered; the rest is counted.
pub const CHANGES_MAX: usize = 256;

/// What one display showed.
#[derive(Clone, Debug, Default)]
pub struct DisplayFigures {
    /// Values that go back to something that people did at the sender.
    pub from_input: u64,
    /// Values that the sender sent before any input.
    pub from_start: u64,
    /// Values that the sender did not send.
    pub not_sent: u64,
    /// What is no value: warnings, failures.
    pub signs: u64,
    /// When it showed what, up to [`CHANGES_MAX`].
    pub changes: Vec<DisplayChange>,
}

/// A change of a display.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayChange {
    /// When.
    pub at: Time,
    /// What it shows from then on.
    pub value: String,
    /// Whether what it shows is its sender's; none for a sign of the display's own.
    pub truth: Option<Truth>,
}

/// By ECU and the module that shows.
pub type Displays = BTreeMap<(usize, String), DisplayFigures>;

/// Counts a change of a display.
pub(super) fn showed(
    displays: &mut Displays,
    (at, ecu): (Time, usize),
    (module, value): (&str, &str),
    (source, truth): (Option<Source>, Option<Truth>),
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
