//! A run as one HTML page: verdicts with their causes, plots, a time line, and tables.
//!
//! The page needs nothing but itself: no script, no font, no picture from elsewhere, and a policy
//! in its head that forbids the browser to ask for any. It is well-formed XML, too. Plots are SVG
//! drawn here; horizontal positions are percentages, so that they fit any width while text keeps
//! its size. Every plot has a title, a description and a table with the same figures.
//! `docs/report.md` tells how to read it.

mod authentication;
mod axis;
mod counters;
mod cpu;
mod keys;
mod latency;
mod legend;
mod load;
mod markup;
mod palette;
mod scene;
mod tables;
mod trouble;
mod verdicts;

use self::markup::{Page, escaped};
use self::palette::Palette;
use crate::Outcome;
use crate::recorder::Recording;
use crate::report::Report;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::formatting::short;

/// What a page is made from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The vehicle.
    pub file: &'a VehicleFile,
    /// The run in figures.
    pub report: &'a Report,
    /// The run as it was measured.
    pub outcome: &'a Outcome,
    /// What was recorded of it.
    pub recording: &'a Recording,
}

/// Writes the page.
#[must_use]
pub fn page(source: &Source<'_>) -> String {
    let mut page = Page::default();
    head(&mut page, &source.report.vehicle);
    let palette = Palette::of(source.recording, source.outcome.names.ecus.len());
    introduction(&mut page, source);
    verdicts::section(&mut page, source);
    trouble::section(&mut page, source);
    keys::section(&mut page, source);
    keys::authorisation(&mut page, source);
    authentication::section(&mut page, source);
    load::section(&mut page, source);
    scene::section(&mut page, source, &palette);
    counters::section(&mut page, source);
    latency::section(&mut page, source);
    cpu::section(&mut page, source);
    tables::section(&mut page, source);
    page.put(format_args!("</main>\n</body>\n</html>\n"));
    page.into_text()
}

fn head(page: &mut Page, title: &str) {
    page.put(format_args!(
        concat!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n",
            "<meta http-equiv=\"Content-Security-Policy\" ",
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\" />\n",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n",
            "<meta name=\"color-scheme\" content=\"light dark\" />\n",
            "<link rel=\"icon\" href=\"data:,\" />\n",
            "<title>{title}: run report</title>\n<style>\n{style}</style>\n</head>\n<body>\n",
            "{patterns}<main>\n"
        ),
        title = escaped(title),
        style = include_str!("html/page.css"),
        patterns = palette::PATTERNS,
    ));
}

fn introduction(page: &mut Page, source: &Source<'_>) {
    let (file, report) = (source.file, source.report);
    page.put(format_args!(
        "<header>\n<h1>{}</h1>\n",
        escaped(&report.vehicle)
    ));
    if !file.description.is_empty() {
        page.put(format_args!(
            "<p class=\"lead\">{}</p>\n",
            escaped(&file.description)
        ));
    }
    let start_up = report
        .start_up_ms
        .map_or("not by the end".to_owned(), |start_up| {
            format!("after {start_up:.3} ms")
        });
    let keys = match (report.is_keyed(), report.keys_ms) {
        (false, _) => String::new(),
        (true, None) => " Not all keys were in place by the end.".to_owned(),
        (true, Some(keys)) => format!(" All keys were in place after {keys:.3} ms."),
    };
    page.put(format_args!(
        "<p class=\"facts\">{} buses, {} ECUs, {} streams. {} s simulated, seed {}. Every stream \
         had reached all its receivers {start_up}.{keys}</p>\n</header>\n",
        file.buses.len(),
        file.ecus.len(),
        file.streams.len(),
        short(report.duration_ms / 1e3),
        report.seed,
    ));
}
