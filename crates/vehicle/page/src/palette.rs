//! Colours of the senders.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can_sim::trace::EcuIndex;

use crate::recorder::RunRecording;

/// Number of colours that are easily distinguished; `page.css` has them as `c1` and so on.
const COLOURS: usize = 8;

/// The hatching of attackers' frames, for the whole page.
pub(super) const PATTERNS: &str = concat!(
    "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>",
    "<pattern id=\"forged\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" ",
    "patternTransform=\"rotate(45)\"><rect class=\"forged-ground\" width=\"5\" height=\"5\" />",
    "<rect class=\"forged-line\" width=\"2\" height=\"5\" /></pattern></defs></svg>\n"
);

/// Colours by ECU.
pub(super) struct Palette {
    classes: Vec<&'static str>,
}

impl Palette {
    /// Gives those that send most in the timeline windows a colour of their own on their buses.
    pub(super) fn of(recording: &RunRecording, ecus: usize) -> Self {
        let mut senders: BTreeMap<usize, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for attempt in recording.windows.iter().flat_map(|window| &window.frames) {
            let (frames, buses) = senders.entry(attempt.ecu.0).or_default();
            *frames += 1;
            buses.insert(attempt.bus.0);
        }
        let mut order: Vec<_> = senders.into_iter().collect();
        order.sort_by_key(|(ecu, (frames, buses))| {
            (
                std::cmp::Reverse(buses.len()),
                std::cmp::Reverse(*frames),
                *ecu,
            )
        });
        let mut classes = vec!["other"; ecus];
        let mut taken: Vec<(BTreeSet<usize>, usize)> = vec![Default::default(); COLOURS];
        for (ecu, (_, buses)) in order {
            if recording.is_attacker(EcuIndex(ecu)) {
                classes[ecu] = "forged";
                continue;
            }
            let free = (0..COLOURS).filter(|&colour| taken[colour].0.is_disjoint(&buses));
            if let Some(colour) = free.min_by_key(|&colour| taken[colour].1) {
                taken[colour].0.extend(buses);
                taken[colour].1 += 1;
                classes[ecu] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"][colour];
            }
        }
        Palette { classes }
    }

    /// Returns the class that gives a sender's frames their colour.
    pub(super) fn class(&self, ecu: EcuIndex) -> &'static str {
        self.classes.get(ecu.0).copied().unwrap_or("other")
    }
}
