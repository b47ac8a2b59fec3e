//! What people saw: every change of every display, and where it came from.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::notes::Note;

use crate::nodes::{Origin, display_origin};

/// How many changes of one display are remembered in words; the rest is counted.
pub const CHANGES_MAX: usize = 256;

/// What one display showed.
#[derive(Clone, Debug, Default)]
pub struct DisplayFigures {
    /// Values that go back to something that people did at the sender.
    pub from_input: u64,
    /// Values that the sender sent before anybody did anything.
    pub from_start: u64,
    /// Values that the sender did not send.
    pub from_nobody: u64,
    /// What is no value: warnings, failures.
    pub signs: u64,
    /// When it showed what, up to [`CHANGES_MAX`].
    pub changes: Vec<(Time, String)>,
}

/// By ECU and the module that shows.
pub type Displays = BTreeMap<(usize, String), DisplayFigures>;

/// Counts a remark about a display.
pub(super) fn showed(displays: &mut Displays, at: Time, ecu: usize, note: &Note) {
    let figures = displays.entry((ecu, note.by.clone())).or_default();
    *match display_origin(note) {
        Origin::Input => &mut figures.from_input,
        Origin::Start => &mut figures.from_start,
        Origin::Nobody => &mut figures.from_nobody,
        Origin::Sign => &mut figures.signs,
    } += 1;
    if figures.changes.len() < CHANGES_MAX {
        figures.changes.push((at, note.text.clone()));
    }
}
