//! Computed reasons for differences: each rule tests a hypothesis on the numbers and words what it
//! found.

use super::data::{Curve, Table1};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Printed, Unit};

/// A caption that names nothing of its table.
pub(super) fn caption(table: &Table1, count: usize) -> String {
    let rows = table.rows.join(", ");
    let caption = &table.caption;
    match count {
        0 => format!(
            "no word of the caption \"{caption}\" stands among the rows {rows}: it is the caption \
             of another table"
        ),
        _ => format!("{count} words of the caption stand among the rows {rows}"),
    }
}

/// A listing that names another curve.
pub(super) fn curve(curve: &Curve, name: &str) -> String {
    let Curve { claimed, named } = curve;
    format!(
        "{claimed} is {name} of SEC 2; the listing has {named}, another curve of as many bits, on \
         which no receiver of 1609.2 verifies"
    )
}

/// Words the rate that follows from a time, and the times that give the printed number.
pub(super) fn rate(millis: f64, printed: &Printed) -> String {
    let (least, most) = times_of(printed);
    format!(
        "1,000 ms over {} ms are {}; the printed {} a second are of {} to {} ms each",
        short(millis),
        short(1_000.0 / millis),
        printed.text(),
        short(least),
        short(most)
    )
}

/// Returns the times, in milliseconds, whose rate is printed as this number.
pub(super) fn times_of(printed: &Printed) -> (f64, f64) {
    let (value, half) = (printed.value(), printed.half());
    (1_000.0 / (value + half), 1_000.0 / (value - half))
}

/// Words the number of neighbours that follows from a rate.
pub(super) fn neighbours(verifications: f64, rate: f64, printed: &Printed) -> String {
    let neighbours = verifications / rate;
    let needed = printed.value() * rate;
    let mut words = format!(
        "{} verifications a second are {} neighbours that send {} a second, {} of them whole; {} \
         neighbours would need {}",
        short(verifications),
        short(neighbours),
        short(rate),
        short(neighbours.floor()),
        printed.text(),
        short(needed),
    );
    if printed.is_exactly(neighbours) {
        words.push_str("; the printed number is the nearest whole one, not the number served");
    }
    words
}

/// Words the time that a station's own messages take.
pub(super) fn beside_own(sign: f64, rate: f64) -> String {
    let unit = Unit::Milliseconds.name();
    format!(
        "its own {} CAMs a second take {} {unit} of each 1,000, which are not there to verify",
        short(rate),
        short(sign * rate)
    )
}
