//! Legend of the colours and signs of the time line.

use std::collections::BTreeMap;
use waywarden_report_page::{Escaped, Page, Percent};

use waywarden_can_sim::trace::EcuIndex;

use super::PageInput;
use super::palette::Palette;
use crate::recorder::MarkKind;
use waywarden_vehicle_report::attempt::AttemptOutcome;

/// Writes the colour of each sender, bus by bus, and the meanings of the signs.
pub(super) fn legend(page: &mut Page, source: &PageInput<'_>, palette: &Palette) {
    let names = &source.outcome.names;
    let mut senders: BTreeMap<usize, Vec<EcuIndex>> = BTreeMap::new();
    for attempt in source
        .recording
        .windows
        .iter()
        .flat_map(|window| &window.frames)
    {
        let here = senders.entry(attempt.bus.0).or_default();
        if !here.contains(&attempt.ecu) {
            here.push(attempt.ecu);
        }
    }
    for (bus, mut ecus) in senders {
        ecus.sort_unstable();
        page.put(format_args!(
            "<p class=\"legend\"><b>{}</b> ",
            Escaped(&names.buses[bus])
        ));
        for ecu in ecus {
            let class = palette.class(ecu);
            let name = Escaped(&names.ecus[ecu.0]);
            page.put(format_args!(
                "<span><i class=\"key {class}\"></i>{name}</span> "
            ));
        }
        page.put("</p>\n");
    }
    signs(page, source);
}

/// Explains the signs that the timeline windows have.
fn signs(page: &mut Page, source: &PageInput<'_>) {
    let windows = &source.recording.windows;
    page.put("<p class=\"legend\">");
    let marks = [
        (MarkKind::Strike, "strike of an interferer"),
        (MarkKind::Error, "error detected"),
        (MarkKind::State, "change of error state"),
        (
            MarkKind::Remark,
            "an ECU took, refused, dropped or changed a message",
        ),
        (MarkKind::Key, "group key"),
        (MarkKind::Reset, "reset, boot"),
        (MarkKind::Loss, "received frame lost"),
    ];
    for (kind, name) in marks {
        if windows
            .iter()
            .any(|window| window.marks.iter().any(|mark| mark.kind == kind))
        {
            page.put("<span><svg class=\"glyph\" width=\"12\" height=\"12\" aria-hidden=\"true\">");
            glyph(page, kind, (0.5, 6.0), "");
            page.put(format_args!("</svg>{name}</span> "));
        }
    }
    let frames = || windows.iter().flat_map(|window| &window.frames);
    if frames().any(|attempt| attempt.outcome != AttemptOutcome::Sent) {
        page.put("<span><i class=\"key broken\"></i>frame not sent to the end</span> ");
    }
    if frames().any(|attempt| source.recording.is_attacker(attempt.ecu)) {
        page.put("<span><i class=\"key forged\"></i>attacker's frame</span>");
    }
    page.put("</p>\n");
}

/// Draws the sign of a mark around a point: each kind has a shape of its own.
pub(super) fn glyph(page: &mut Page, kind: MarkKind, (x, y): (f64, f64), tip: &str) {
    let (class, path) = match kind {
        MarkKind::Strike => ("strike", "M-4.5 -4.5H4.5L0 4.5Z"),
        MarkKind::Error => ("error", "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5"),
        MarkKind::State => ("state", "M0 -5L5 0L0 5L-5 0Z"),
        MarkKind::Remark => ("remark", "M-4 -4H4V4H-4Z"),
        MarkKind::Key => (
            "secret",
            "M-5 0A2.5 2.5 0 1 1 0 0L5 -1V1L0 1A2.5 2.5 0 0 1 -5 0Z",
        ),
        MarkKind::Reset => ("reset", "M-4.5 4.5H4.5L0 -4.5Z"),
        MarkKind::Loss => ("loss", "M-5 -1.5H5V1.5H-5Z"),
    };
    // A nested drawing can stand at a percentage, a path cannot.
    page.put(format_args!(
        "<svg class=\"mark\" x=\"{}\" y=\"{y:.1}\" width=\"1\" height=\"1\">\
         <path class=\"{class}\" d=\"{path}\" />",
        Percent(x)
    ));
    if !tip.is_empty() {
        page.put(format_args!("<title>{}</title>", Escaped(tip)));
    }
    page.put("</svg>\n");
}
