//! Figures as people read them: shares, durations and counts as short text.

use waywarden_work::Duration;

/// Prints a share as a percentage.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Prints a duration in milliseconds for tables.
#[must_use]
pub fn milliseconds(duration: Option<Duration>) -> String {
    duration.map_or("-".to_owned(), |span| {
        format!("{:.3}", span.as_nanos() as f64 * 1e-6)
    })
}

/// Prints milliseconds with the unit that reads best.
#[must_use]
pub fn span(ms: f64) -> String {
    match ms {
        0.0 => "0 s".to_owned(),
        ms if ms >= 999.5 => format!("{} s", short(ms / 1e3)),
        ms if ms >= 0.999_5 => format!("{} ms", short(ms)),
        ms if ms >= 0.000_999_5 => format!("{} \u{b5}s", short(ms * 1e3)),
        ms => format!("{} ns", short(ms * 1e6)),
    }
}

/// Prints a number with three digits that count, without zeros at the end.
#[must_use]
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        value if value >= 0.999_5 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Prints a number of things.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0, 0.123_4, 1.0, 1.234, 12.34, 123.4, 1_000.0].map(short);
        assert_eq!(texts, ["0", "0.123", "1", "1.23", "12.3", "123", "1000"]);
    }

    #[test]
    fn durations_have_the_unit_that_reads_best() {
        let texts = [0.0, 0.000_25, 0.012, 5.0, 999.4, 999.6, 16_000.0].map(span);
        let expected = [
            "0 s",
            "250 ns",
            "12 \u{b5}s",
            "5 ms",
            "999 ms",
            "1 s",
            "16 s",
        ];
        assert_eq!(texts, expected);
    }
}
