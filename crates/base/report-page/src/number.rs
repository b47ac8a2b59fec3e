//! Numbers for people.

/// Prints a number for people: four digits, whole numbers whole.
#[must_use]
pub fn short(number: f64) -> String {
    if number == number.round() && number.abs() < 1e9 {
        return format!("{number:.0}");
    }
    let magnitude = number.abs().log10().floor() as i32;
    let decimals = (3 - magnitude).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Prints a whole number with a comma after each thousand.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        let texts = [0, 999, 1_000, 21_809_988].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "21,809,988"]);
    }

    #[test]
    fn numbers_for_people_are_short() {
        let cases = [
            (232.767, "232.8"),
            (2016.0, "2016"),
            (0.0864, "0.0864"),
            (0.3, "0.3"),
            (3571.43, "3571"),
            (0.0, "0"),
            (-1.25, "-1.25"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}
