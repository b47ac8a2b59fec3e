//! Ranks variants, and says in words which one fits best and why.
//!
//! First those that miss the fewest requirements, of them those that leave the fewest attacks open,
//! then the lowest share of a deadline that a latency took, the lowest load of the busiest bus, the
//! shortest start-up; one of these can be put in front. Figures that are shown alike count as
//! equal, and what is equal in all of them keeps the order in which it was tried.

use serde::Serialize;

use super::row::{Figures, Row};
use waywarden_vehicle_file::formatting::{count, percent, span};

/// What variants are ranked by first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// Requirements missed.
    #[default]
    Requirements,
    /// Attacks left open.
    Attacks,
    /// The worst latency as a share of its deadline.
    Latency,
    /// Load of the busiest bus.
    Load,
    /// Start-up time.
    StartUp,
}

/// Variants of a car, the best one first.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The vehicle's name.
    pub vehicle: String,
    /// The seed of all runs.
    pub seed: u64,
    /// How long each ran.
    pub duration_ms: f64,
    /// What they are ranked by first.
    pub rank_by: RankBy,
    /// The variants; those that cannot be made come last.
    pub variants: Vec<Row>,
    /// Which one fits best and why, in a sentence or two.
    pub conclusion: String,
}

const ORDER: [RankBy; 5] = [
    RankBy::Requirements,
    RankBy::Attacks,
    RankBy::Latency,
    RankBy::Load,
    RankBy::StartUp,
];

impl Comparison {
    /// Ranks rows, which are in the order in which they were tried.
    #[must_use]
    pub fn new(
        original: &super::Original,
        setting: &super::Setting,
        rank_by: RankBy,
        mut rows: Vec<Row>,
    ) -> Self {
        let keys = |row: &Row| {
            row.figures
                .as_ref()
                .map(|own| order(rank_by).map(|by| own.key(by)))
        };
        // None, of those that cannot be made, would come first.
        rows.sort_by_key(|row| (row.figures.is_none(), keys(row)));
        for (at, row) in rows.iter_mut().enumerate() {
            row.rank = row.figures.as_ref().map(|_| at + 1);
        }
        Comparison {
            vehicle: original.file().name.clone(),
            seed: setting.seed,
            duration_ms: setting.duration.as_nanos() as f64 * 1e-6,
            rank_by,
            conclusion: conclusion(rank_by, &rows),
            variants: rows,
        }
    }

    /// Whether some variant meets every requirement.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.variants.iter().any(Row::is_met)
    }
}

/// The order of keys with one of them in front.
fn order(first: RankBy) -> [RankBy; 5] {
    let mut order = ORDER;
    // Stable: the others stay as they are.
    order.sort_by_key(|one| *one != first);
    order
}

impl Figures {
    /// Returns what is compared: less is better, and as exact as it is shown.
    fn key(&self, by: RankBy) -> u64 {
        let whole = |value: Option<f64>, parts: f64| match value {
            Some(value) => (value * parts).round() as u64,
            None => u64::MAX,
        };
        match by {
            RankBy::Requirements => self.missed.len() as u64,
            RankBy::Attacks => self.open.len() as u64,
            RankBy::Latency => match self.worst_stream {
                // Nothing was due.
                None => 0,
                Some(_) => whole(self.worst_share, 1_000.0),
            },
            RankBy::Load => whole(Some(self.load), 1_000.0),
            RankBy::StartUp => whole(self.start_up_ms, 1_000.0),
        }
    }

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
}

fn all(number: usize, noun: &str) -> String {
    match number {
        1 => format!("the {noun}"),
        number => format!("all {}", count(number as u64, noun)),
    }
}

fn conclusion(rank_by: RankBy, rows: &[Row]) -> String {
    let mut ran = rows
        .iter()
        .filter_map(|row| Some((row, row.figures.as_ref()?)));
    let Some((best, own)) = ran.next() else {
        return "No variant can be made.".to_owned();
    };
    let order = order(rank_by);
    let says: Vec<String> = order.iter().map(|by| own.says(*by)).collect();
    let mut text = if rows.iter().any(Row::is_met) {
        String::new()
    } else {
        "No variant meets all requirements. ".to_owned()
    };
    text += &format!("Fits best: {}, because {}.", title(best), says.join(", "));
    if let Some((next, other)) = ran.next() {
        let decides = order.iter().find(|by| own.key(**by) != other.key(**by));
        text += &match decides {
            Some(by) => format!(" Next: {}, where {}.", title(next), other.says(*by)),
            None => format!(" Equal to it in all of that: {}.", title(next)),
        };
    }
    text
}

fn title(row: &Row) -> String {
    let (keys, authentication) = (row.keys.name(), row.authentication.name());
    format!("keys {keys} with authentication {authentication}")
}
