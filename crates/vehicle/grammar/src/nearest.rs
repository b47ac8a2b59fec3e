//! Search for the name that was probably meant.

use crate::NAME_MAX;

/// Returns the name that is nearest to `found`, if a typing mistake can explain the difference.
#[must_use]
pub fn nearest<'a, S: AsRef<str>>(found: &str, valid: &'a [S]) -> Option<&'a str> {
    let most = (found.chars().count() / 3).clamp(1, 4);
    valid
        .iter()
        .map(|name| (edit_distance(found, name.as_ref()), name.as_ref()))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, name)| name)
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between two words (the
/// optimal string alignment distance), cases ignored; both are cut at 64 characters.
fn edit_distance(left: &str, right: &str) -> usize {
    let letters = |text: &str| -> Vec<char> {
        text.chars()
            .take(NAME_MAX)
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (left, right) = (letters(left), letters(right));
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = above[j] + usize::from(a != b);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_that_could_have_been_meant() {
        let keys = ["period", "offset", "receivers"];
        assert_eq!(nearest("peroid", &keys), Some("period"));
        assert_eq!(nearest("reciever", &keys), Some("receivers"));
        assert_eq!(nearest("Period", &keys), Some("period"));
        assert_eq!(nearest("colour", &keys), None);
    }

    #[test]
    fn edit_distances_are_the_textbook_ones() {
        for (left, right, distance) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("flaw", "lawn", 2),
            ("lenght", "length", 1),
        ] {
            assert_eq!(edit_distance(left, right), distance, "{left} {right}");
        }
    }
}
