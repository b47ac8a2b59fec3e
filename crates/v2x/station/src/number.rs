//! Numbers brought within the bounds of their fields.

use waywarden_v2x_wire::uper::Bounded;

/// Returns a number, or the bound that it is beyond.
pub(crate) fn bounded<const MIN: i64, const MAX: i64>(number: i64) -> Bounded<MIN, MAX> {
    Bounded::new(number.clamp(MIN, MAX)).unwrap_or(Bounded::MIN)
}

/// Returns a number, or `unknown` where there is none or it is out of `MIN..=MAX`.
pub(crate) fn known_or<const MIN: i64, const MAX: i64>(
    number: Option<i64>,
    unknown: i64,
) -> Bounded<MIN, MAX> {
    let known = number.filter(|number| (MIN..unknown).contains(number));
    bounded(known.unwrap_or(unknown))
}
