//! Says in words which variant fits best, why, and what it costs.

use waywarden_vehicle_file::formatting::{count, percent, span};

use super::choice::Variant;
use super::rank::{RankBy, order};
use super::row::{VariantFigures, VariantRow};

/// Says which of the ranked rows fits best; the rows of baselines come last.
pub(super) fn conclusion(rank_by: RankBy, rows: &[VariantRow]) -> String {
    let mut protected = rows.iter().filter(|row| !row.is_baseline());
    let of = |variant: Variant| rows.iter().find(|row| row.variant() == variant);
    let mut without_protection = of(Variant::BASELINE).map_or_else(String::new, |row| {
        without("Without protection", &row.figures)
    });
    let on_fd = [
        (Variant::BASELINE_ON_FD, ""),
        (Variant::BASELINE_ON_FD_WITH_COUNTERS, " as with autosar-1"),
    ];
    for (variant, which) in on_fd {
        if let Some(row) = of(variant) {
            without_protection += &format!(
                " Without protection, in the same CAN FD frames{which}: {}.",
                row.figures.says(RankBy::Load)
            );
        }
    }
    let Some(best) = protected.next() else {
        let none = "No variant protects a stream.".to_owned();
        return none + &without_protection;
    };
    let order = order(rank_by);
    let says: Vec<String> = order.iter().map(|by| best.figures.says(*by)).collect();
    let mut text = if best.is_met() {
        "Fits best".to_owned()
    } else {
        "No variant that protects streams meets all requirements. Comes nearest".to_owned()
    };
    text += &format!(": {}: {}.", best.variant().title(), says.join(", "));
    if let Some(next) = protected.next() {
        let title = next.variant().title();
        let differs = |by: &&RankBy| best.figures.key(**by) != next.figures.key(**by);
        let mut order = [RankBy::Requirements].iter().chain(&order);
        text += &match order.find(differs) {
            Some(by) => format!(" Next: {title}: {}.", next.figures.says(*by)),
            None => format!(" Equal to it in all of that: {title}."),
        };
    }
    text + &without_protection
}

/// Says what the car is without protection.
fn without(title: &str, own: &VariantFigures) -> String {
    let says = [RankBy::Attacks, RankBy::Latency, RankBy::Load];
    let says = says.map(|by| own.says(by));
    format!(" {title}: {}.", says.join(", "))
}

impl VariantFigures {
    fn says(&self, by: RankBy) -> String {
        let named = |list: &[String]| {
            let first = list.iter().take(3).map(String::as_str);
            let first: Vec<&str> = first.collect();
            match list.len().saturating_sub(3) {
                0 => first.join("; "),
                more => format!("{}; and {more} more", first.join("; ")),
            }
        };
        match by {
            RankBy::Security => self.says_security(),
            RankBy::Requirements if self.requirements == 0 => "nothing is required".to_owned(),
            RankBy::Requirements if self.missed.is_empty() => {
                format!("it meets {}", all(self.requirements, "requirement"))
            }
            RankBy::Requirements => {
                let (missed, of) = (self.missed.len(), self.requirements);
                format!(
                    "it misses {missed} of {of} requirements ({})",
                    named(&self.missed)
                )
            }
            RankBy::Attacks if self.attacks == 0 => "there is no attacker".to_owned(),
            RankBy::Attacks if self.open.is_empty() => {
                format!("it stops {}", all(self.attacks, "attack"))
            }
            RankBy::Attacks => {
                let (open, of) = (self.open.len(), self.attacks);
                format!(
                    "{open} of {of} attacks reach an ECU ({})",
                    named(&self.open)
                )
            }
            RankBy::Latency => match (&self.worst_stream, self.worst_share) {
                (Some(stream), Some(share)) => {
                    format!(
                        "its worst latency takes {} of the deadline ({stream})",
                        percent(share)
                    )
                }
                (Some(stream), None) => format!("{stream} never arrives"),
                (None, _) => "no stream was due".to_owned(),
            },
            RankBy::Load => format!(
                "the busiest bus ({}) is loaded by {}",
                self.busiest_bus,
                percent(self.load)
            ),
            RankBy::StartUp => match self.start_up_ms {
                Some(ms) => format!("the car is up after {}", span(ms)),
                None => "the car is not up by the end".to_owned(),
            },
        }
    }

    fn says_security(&self) -> String {
        let coverage = self.coverage;
        let covered = match coverage.streams - coverage.covered {
            0 => format!("it protects {}", all(coverage.streams, "stream")),
            _ => format!(
                "it protects {} of {} streams",
                coverage.covered, coverage.streams
            ),
        };
        let keys = match coverage.session_keys {
            0 => "with keys that stay the same".to_owned(),
            session if session == coverage.covered => "with session keys".to_owned(),
            session => format!("{session} of them with session keys"),
        };
        format!("{covered}, {keys}, {}", self.says(RankBy::Attacks))
    }
}

fn all(number: usize, noun: &str) -> String {
    match number {
        1 => format!("the {noun}"),
        number => format!("all {}", count(number as u64, noun)),
    }
}
