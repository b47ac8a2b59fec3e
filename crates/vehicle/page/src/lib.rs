//! A run as one HTML page: verdicts with their causes, plots, a time line, and tables.
//!
//! The page is self-contained: it uses no external font or picture, and its content security policy
//! forbids the browser to request any. Its only script zooms the time line; the policy allows that
//! script by its hash, and the page is complete without it. The page is also well-formed XML. Plots
//! are inline SVG with horizontal positions in percent, so they fit any width while text keeps its
//! size. Every plot has a title, a description and a table with the same figures. `docs/report.md`
//! explains how to read the page.
#![forbid(unsafe_code)]

mod attack_matrix;
mod authentication;
mod axis;
mod counters;
mod cpu;
mod disturbance;
mod keys;
mod latency;
mod legend;
mod load;
mod palette;
pub mod recorder;
mod security_load;
mod start_up;
mod summary;
mod tables;
mod timeline_windows;
mod verdicts;

use self::palette::Palette;
use crate::recorder::RunRecording;
use waywarden_report_page::{Head, Page};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::RunOutcome;
use waywarden_vehicle_report::report::Report;

/// Inputs of a page.
#[derive(Clone, Copy)]
pub struct PageInput<'a> {
    /// The vehicle.
    pub file: &'a VehicleFile,
    /// The figures of the run.
    pub report: &'a Report,
    /// The measurements of the run.
    pub outcome: &'a RunOutcome,
    /// Recording of the run.
    pub recording: &'a RunRecording,
}

impl PageInput<'_> {
    /// Adds a note that the figures below exclude computing time, if some ECU has the board
    /// `ideal`.
    fn note_ideal(&self, page: &mut Page) {
        if let Some(text) = &self.report.ideal_text {
            page.note(&format!("Here {}.", text.replace('`', "")));
        }
    }
}

/// Writes the page.
#[must_use]
pub fn page(source: &PageInput<'_>) -> String {
    let mut page = Page::begin(&Head {
        title: &format!("{}: run report", source.report.vehicle),
        style: include_str!("run.css"),
        is_zoomable: !source.recording.windows.is_empty(),
    });
    page.put(palette::PATTERNS);
    let palette = Palette::of(source.recording, source.outcome.names.ecus.len());
    summary::header(&mut page, source);
    verdicts::section(&mut page, source);
    attack_matrix::section(&mut page, source);
    disturbance::section(&mut page, source);
    start_up::section(&mut page, source);
    security_load::section(&mut page, source);
    keys::section(&mut page, source);
    keys::authorization(&mut page, source);
    authentication::section(&mut page, source);
    load::section(&mut page, source);
    timeline_windows::section(&mut page, source, &palette);
    counters::section(&mut page, source);
    latency::section(&mut page, source);
    cpu::section(&mut page, source);
    tables::section(&mut page, source);
    page.finish()
}

#[cfg(test)]
mod tests {
    /// The contrast is tested with the palette that all pages share.
    #[test]
    fn the_style_sheet_takes_its_colours_from_the_palette() {
        let rules = include_str!("run.css").replace("url(#forged)", "");
        assert!(!rules.contains('#') && !rules.contains("rgb"));
    }
}
