//! Times that a file keeps as floating-point seconds.

/// Returns the nanoseconds that were meant: those of the microsecond whose nearest float this is,
/// else the nearest ones. None of what is no number or beyond 3000 years.
///
/// A float of today's date has steps of 240 ns, so that the digits behind a microsecond are not
/// those of the clock.
pub(crate) fn nanoseconds(seconds: f64) -> Option<i128> {
    if !seconds.is_finite() || seconds.abs() >= 1e11 {
        return None;
    }
    let micros = (seconds * 1e6).round();
    if micros / 1e6 == seconds {
        return Some(micros as i128 * 1_000);
    }
    // The fraction is exact, so that nothing is rounded twice.
    let fraction = seconds.fract();
    let whole = (seconds - fraction) as i128;
    Some(whole * 1_000_000_000 + (fraction * 1e9).round() as i128)
}

#[cfg(test)]
mod tests {
    use waywarden_testkit::Random;

    use super::nanoseconds;

    #[test]
    fn every_microsecond_is_read_as_it_was_written() {
        let mut random = Random::of_test("every_microsecond_is_read_as_it_was_written");
        for _ in 0..100_000 {
            let bits = random.below(52);
            let micros = random.below(1 << bits);
            let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
            let seconds: f64 = text.parse().unwrap();
            assert_eq!(
                nanoseconds(seconds),
                Some(i128::from(micros) * 1_000),
                "{text}"
            );
            assert_eq!(
                nanoseconds(-seconds),
                Some(i128::from(micros) * -1_000),
                "{text}"
            );
        }
        assert_eq!(
            nanoseconds(1_620_692_699.796_9),
            Some(1_620_692_699_796_900_000)
        );
        assert_eq!(nanoseconds(0.000_000_001), Some(1));
        assert_eq!(nanoseconds(1.000_000_001_4), Some(1_000_000_001));
        for wrong in [f64::NAN, f64::INFINITY, 1e11, -1e300] {
            assert_eq!(nanoseconds(wrong), None);
        }
    }
}
