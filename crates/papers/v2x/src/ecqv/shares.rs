//! Section VI's percentages of the messages: their values over all columns of the tables. Other
//! readings of "on average" are tested against the printed numbers.

use super::study::EcqvStudy;
use super::text_data::{Reduction, Share, ShareKind};
use super::traffic_data::{Received, Values};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, PaperError, Printed, Unit};

/// Table and row of the whole that shares are taken of, as text and tables have it: all messages
/// come from within 1,000 m.
const WHOLE: (&str, &str) = ("Table IX", "100 ms, circle of 1000 m");

/// Limit on named columns that exceed a number.
const NAMED_MAX: usize = 2;

/// A choice of columns by their names.
type Choice = (&'static str, fn(&str) -> bool);

/// Precision of a fit, in words and as a test.
type Fit = (&'static str, fn(&Printed, f64) -> bool);

/// Columns that an average may be over; the first choice is what the text says.
const COLUMNS: [Choice; 7] = [
    ("all columns", |_| true),
    ("the columns without Grapes", |name| {
        !name.starts_with("Grapes")
    }),
    ("the columns without Highway", |name| {
        !name.starts_with("Highway")
    }),
    ("the columns without Campus", |name| {
        !name.starts_with("Campus")
    }),
    ("the columns without MASA", |name| !name.starts_with("MASA")),
    ("the columns of rush hours", |name| name.ends_with("rush")),
    ("the columns of normal traffic", |name| {
        name.ends_with("normal")
    }),
];

/// Reduction of a row's columns to one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Average {
    /// The mean of the columns' shares.
    Mean,
    /// The messages of all columns over those of the whole.
    Together,
}

/// One way to understand a sentence, and the numbers that it gives, in per cent.
#[derive(Clone, Debug)]
struct Reading {
    words: String,
    numbers: Vec<f64>,
}

impl Reading {
    fn listed(&self) -> String {
        listed(&self.numbers)
    }

    fn all(&self, printed: &[Printed], test: impl Fn(&Printed, f64) -> bool) -> bool {
        let mut both = self.numbers.iter().zip(printed);
        both.all(|(number, printed)| test(printed, *number))
    }

    /// Returns the largest difference of a number from the printed one.
    fn off(&self, printed: &[Printed]) -> f64 {
        let both = self.numbers.iter().zip(printed);
        both.map(|(number, printed)| (number - printed.value()).abs())
            .fold(0.0, f64::max)
    }
}

fn listed(numbers: &[f64]) -> String {
    let each = numbers.iter().map(|number| format!("{number:.1}"));
    each.collect::<Vec<_>>().join(", ")
}

/// The row's numbers beside those of the whole, of the columns asked for; none if one is missing.
fn pairs(
    (row, whole): (&Values, &Values),
    columns: &[String],
    is_asked: fn(&str) -> bool,
) -> Option<Vec<(f64, f64)>> {
    let each = columns.iter().zip(row.iter().zip(whole));
    let each = each.filter(|(name, _)| is_asked(name));
    each.map(|(_, (row, whole))| Some((row.as_ref()?.value(), whole.as_ref()?.value())))
        .collect()
}

fn average(pairs: &[(f64, f64)], how: Average) -> f64 {
    100.0
        * match how {
            Average::Mean => {
                pairs.iter().map(|(row, whole)| row / whole).sum::<f64>() / pairs.len() as f64
            }
            Average::Together => {
                let row: f64 = pairs.iter().map(|pair| pair.0).sum();
                row / pairs.iter().map(|pair| pair.1).sum::<f64>()
            }
        }
}

fn ends(pairs: &[(f64, f64)]) -> Vec<f64> {
    let shares = pairs.iter().map(|(row, whole)| 100.0 * row / whole);
    let (least, most) = shares.fold((f64::INFINITY, 0.0_f64), |(least, most), share| {
        (least.min(share), most.max(share))
    });
    vec![least, most]
}

/// Words the readings that give all printed numbers, the best first; or the one that comes nearest.
fn tested(readings: &[Reading], printed: &[Printed]) -> String {
    let texts: Vec<&str> = printed.iter().map(Printed::text).collect();
    let texts = texts.join(", ");
    let count = readings.len();
    let tests: [Fit; 2] = [
        ("to the digit", Printed::is_exactly),
        ("to less than one off", Printed::is_nearly),
    ];
    for (how, test) in tests {
        let fitting = readings.iter().filter(|one| one.all(printed, test));
        let fitting: Vec<String> = fitting
            .map(|one| format!("{}: {}", one.words, one.listed()))
            .collect();
        if !fitting.is_empty() {
            return format!(
                "of {count} readings {} give {texts} {how}; {}",
                fitting.len(),
                fitting.join("; ")
            );
        }
    }
    let nearest = readings
        .iter()
        .min_by(|a, b| a.off(printed).total_cmp(&b.off(printed)));
    let nearest = nearest.map(|one| format!("{}: {}", one.words, one.listed()));
    format!(
        "none of {count} readings gives {texts}; the nearest is {}",
        nearest.unwrap_or_default()
    )
}

impl EcqvStudy {
    /// The shares and reductions of section VI.
    pub(super) fn shares(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        for share in &self.text.share {
            self.share(cells, share)?;
        }
        for reduction in &self.text.reduction {
            cells.push(self.reduction(reduction)?);
        }
        Ok(())
    }

    fn share(&self, cells: &mut Vec<Cell>, share: &Share) -> Result<(), PaperError> {
        let readings = match share.kind {
            ShareKind::Mean => self.means(share)?,
            ShareKind::Ends => self.ends(share)?,
        };
        let Some(stated) = readings.first() else {
            return Ok(());
        };
        for (at, (ours, printed)) in stated.numbers.iter().zip(&share.percent).enumerate() {
            let name = match share.kind {
                ShareKind::Mean => share
                    .rows
                    .get(at)
                    .map_or(String::new(), |row| format!("share of the messages, {row}")),
                ShareKind::Ends => format!(
                    "share of the messages, {}, {}",
                    share.rows.join(", "),
                    ["least", "most"].get(at).unwrap_or(&"")
                ),
            };
            let cell = Cell::new(&share.place, name, Unit::Percent);
            cells.push(cell.derived(*ours, printed, |_| {
                format!(
                    "{}: {}; {}",
                    stated.words,
                    stated.listed(),
                    tested(&readings, &share.percent)
                )
            }));
        }
        Ok(())
    }

    /// The rows of a table with the same latency, in its order.
    fn rows_of(&self, share: &Share) -> Vec<&Received> {
        let latency = |name: &str| name.split(',').next().map(str::to_owned);
        let own = share.rows.first().and_then(|row| latency(row));
        let all = self.traffic.received.iter();
        all.filter(|row| row.table == share.table && latency(&row.name) == own)
            .collect()
    }

    /// Returns the candidates for the whole: what the text says, then each smaller circle.
    fn wholes(&self) -> Vec<&Received> {
        let all = self.traffic.received.iter();
        let mut all: Vec<&Received> = all.filter(|row| row.table == WHOLE.0).collect();
        all.sort_by_key(|row| row.name != WHOLE.1);
        all
    }

    /// The readings of averages, the text's first: over all columns or some, of the shares or of
    /// the messages together, of the rows that are named or of those below each.
    fn means(&self, share: &Share) -> Result<Vec<Reading>, PaperError> {
        let rows = self.rows_of(share);
        let named = share.rows.first().map_or("", String::as_str);
        let first = rows.iter().position(|row| row.name == named);
        let first = first.ok_or_else(|| super::data::missing(named))?;
        let mut readings = Vec::new();
        for whole in self.wholes() {
            for (shift, which) in [(0, ""), (1, ", each a row further down")] {
                let Some(own) = rows.get(first + shift..first + shift + share.rows.len()) else {
                    continue;
                };
                for how in [Average::Mean, Average::Together] {
                    let each = COLUMNS.iter();
                    readings.extend(each.filter_map(|columns| {
                        let reading = self.averaged(own, whole, how, *columns)?;
                        let words = format!("{}{which}", reading.words);
                        Some(Reading { words, ..reading })
                    }));
                }
            }
        }
        Ok(readings)
    }

    /// Each row's average over some columns; none if one of their numbers is missing.
    fn averaged(
        &self,
        rows: &[&Received],
        whole: &Received,
        how: Average,
        (columns, is_asked): Choice,
    ) -> Option<Reading> {
        let each = rows.iter().map(|row| {
            let both = (&row.values, &whole.values);
            let pairs = pairs(both, &self.traffic.columns, is_asked)?;
            Some(average(&pairs, how))
        });
        let what = match how {
            Average::Mean => "mean share over",
            Average::Together => "share of the messages together of",
        };
        Some(Reading {
            numbers: each.collect::<Option<Vec<f64>>>()?,
            words: format!("{what} {columns}, of the {}", whole.name),
        })
    }

    /// The readings of least and most, the text's first.
    fn ends(&self, share: &Share) -> Result<Vec<Reading>, PaperError> {
        let row = share.rows.first().map_or("", String::as_str);
        let row = self.traffic.received(&share.table, row)?;
        let mut readings = Vec::new();
        for whole in self.wholes() {
            for (columns, is_asked) in COLUMNS {
                let both = (row, &whole.values);
                let pairs = pairs(both, &self.traffic.columns, is_asked);
                readings.extend(pairs.map(|pairs| Reading {
                    words: format!("least and most of {columns}, of the {}", whole.name),
                    numbers: ends(&pairs),
                }));
            }
        }
        Ok(readings)
    }

    /// By up to how much an area reduces the signatures, and where by more than is printed.
    fn reduction(&self, reduction: &Reduction) -> Result<Cell, PaperError> {
        let whole = self.traffic.received(WHOLE.0, WHOLE.1)?;
        let mut each = Vec::new();
        for row in &reduction.rows {
            let values = self.traffic.received(&reduction.table, row)?;
            let both = self.traffic.columns.iter().zip(values.iter().zip(whole));
            each.extend(both.filter_map(|(column, (row_of, whole))| {
                let share = row_of.as_ref()?.value() / whole.as_ref()?.value();
                Some((format!("{row}: {column}"), 100.0 * (1.0 - share)))
            }));
        }
        let most = each.iter().map(|(_, less)| *less).fold(0.0, f64::max);
        let printed = &reduction.percent;
        let mean = each.iter().map(|(_, less)| less).sum::<f64>() / each.len() as f64;
        let beyond = each.iter().filter(|(_, less)| *less > printed.value());
        let mut beyond: Vec<&(String, f64)> = beyond.collect();
        beyond.sort_by(|a, b| b.1.total_cmp(&a.1));
        let named = beyond.iter().take(NAMED_MAX);
        let named = named.map(|(name, less)| format!("{name} {less:.1} %"));
        let named: Vec<String> = named.collect();
        let name = format!(
            "fewer signatures by up to, {}: {}",
            reduction.table,
            reduction.rows.join(" or ")
        );
        let cell = Cell::new("§VI-D", name, Unit::Percent);
        Ok(cell.derived(most, printed, |_| {
            format!(
                "{} of {} numbers are fewer by more than {} %, by most {}; the mean is {} %",
                beyond.len(),
                each.len(),
                printed.text(),
                named.join(", "),
                short((mean * 10.0).round() / 10.0)
            )
        }))
    }
}
