//! A measured value, and how it differs from the formula's.

use crate::amount::short;
use crate::{Amount, Unit};

/// A measured value, with the items that the formula leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The value.
    pub amount: Amount,
    /// Items that it contains beside the formula (arbitration, exact frame bits, task switches),
    /// each with its amount; negative where the formula counts too much.
    pub beside: Vec<Beside>,
}

/// One thing a measurement contains and the formula does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Name of the item.
    pub what: String,
    /// Amount, in nanoseconds for times, else in the cell's unit.
    pub amount: f64,
}

/// Words by how much a measurement exceeds the formula, and of what that consists.
pub fn itemised(measured: &Measurement, formula: f64, unit: Unit) -> Vec<String> {
    let more = measured.amount.in_unit(unit) - formula;
    if more.abs() < 1e-9 {
        return Vec::new();
    }
    let parts = measured.beside.iter();
    let parts: Vec<(f64, &str)> = parts
        .map(|part| (part.amount / unit.size(), part.what.as_str()))
        .collect();
    let rest = more - parts.iter().map(|(amount, _)| amount).sum::<f64>();
    let mut text = format!("measured minus formula is {} {}", short(more), unit.name());
    if !parts.is_empty() {
        let words = parts
            .iter()
            .map(|(amount, what)| format!("{} {what}", short(*amount)));
        text += &format!(" = {}", words.collect::<Vec<_>>().join(" + "));
        if rest.abs() > 1e-9 {
            text += &format!(", and {} that nothing accounts for", short(rest));
        }
    }
    vec![text]
}

/// Words by how much a value is not what a paper has, of which `bound` is the nearest number.
pub fn difference(value: f64, bound: f64, has: &str, unit: Unit) -> String {
    let word = if value < bound { "less" } else { "more" };
    let unit = unit.name();
    format!(
        "{} {unit} where the paper has {has}: {} {unit} ({} %) {word}",
        short(value),
        short((value - bound).abs()),
        short((value / bound - 1.0).abs() * 100.0),
    )
}
