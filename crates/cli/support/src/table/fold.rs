//! Tables for people that fit [`WIDTH_MAX`] columns: headers and texts wrap, and where that is not
//! enough the columns fold into several tables, each of which begins with the columns that tell
//! the rows apart.

use std::collections::BTreeSet;
use std::ops::Range;

/// The widest table, in letters.
pub(super) const WIDTH_MAX: usize = 100;

/// The width to which a text without blanks is broken at most, such as a long name.
const NAME_WIDTH: usize = 32;

/// The width to which any text is broken at most.
const TEXT_WIDTH: usize = 20;

/// The same in tables whose columns fold.
const FOLDED_TEXT_WIDTH: usize = 40;

/// The number of columns that tell rows apart, at most, and are repeated where columns fold.
const KEYS_MAX: usize = 3;

/// The letters after which a name may break.
const BREAKS: &[char] = &['_', '-', '/', '.', ',', ':'];

/// Columns that stand in one table, with their widths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The numbers of the columns.
    pub(super) columns: Vec<usize>,
    /// The width of each.
    pub(super) widths: Vec<usize>,
}

/// Divides the columns of a table into tables that are no wider than [`WIDTH_MAX`], as far as the
/// first column and one other allow it. None if the table fits as it is.
pub(super) fn fold(
    headers: &[String],
    rows: &[Vec<String>],
    numbers: &Range<usize>,
) -> Option<Vec<Part>> {
    let columns: Vec<Column> = (0..headers.len())
        .map(|at| Column::of(headers, rows, at, numbers.contains(&at)))
        .collect();
    if width(columns.iter().map(|column| column.natural)) <= WIDTH_MAX {
        return None;
    }
    let all: Vec<usize> = (0..columns.len()).collect();
    let parts = match width(columns.iter().map(|column| column.least)) <= WIDTH_MAX {
        true => vec![all],
        false => divided(&columns, keys(rows)),
    };
    let part = |part: Vec<usize>| Part {
        widths: widened(&part, &columns),
        columns: part,
    };
    Some(parts.into_iter().map(part).collect())
}

/// Returns how many columns tell the rows apart, as far as [`KEYS_MAX`] can.
fn keys(rows: &[Vec<String>]) -> usize {
    let distinguished = |number: usize| {
        let keys: BTreeSet<_> = rows.iter().map(|row| row.get(..number)).collect();
        keys.len()
    };
    let most = (1..=KEYS_MAX).map(distinguished).max();
    (1..=KEYS_MAX)
        .find(|number| Some(distinguished(*number)) == most)
        .unwrap_or(1)
}

/// Divides columns whose texts are not broken where they need not be. Each part has the keys, which
/// are broken where they would take more than half of the width.
fn divided(columns: &[Column], keys: usize) -> Vec<Vec<usize>> {
    let most = columns.len().saturating_sub(1);
    let folded = |column: &Column| column.folded;
    let fits = |keys: usize, of: fn(&Column) -> usize| {
        width(columns[..keys].iter().map(of)) <= WIDTH_MAX / 2
    };
    let least: fn(&Column) -> usize = |column| column.least;
    let keys = keys.min(most);
    let (keys, of_key) = if fits(keys, folded) {
        (keys, folded as fn(&Column) -> usize)
    } else {
        let fitting = (1..=keys).rev().find(|keys| fits(*keys, least));
        (fitting.unwrap_or(keys.min(1)), least)
    };
    let own = |at: usize| match at < keys {
        true => of_key(&columns[at]),
        false => columns[at].folded,
    };
    let (mut parts, mut part): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for at in 0..columns.len() {
        let with = part.iter().copied().chain([at]);
        if part.len() > keys && width(with.map(own)) > WIDTH_MAX {
            parts.push(std::mem::replace(&mut part, (0..keys).collect()));
        }
        part.push(at);
    }
    parts.push(part);
    parts
}

/// Breaks a text into lines of a width: at blanks, after [`BREAKS`], or else anywhere.
pub(super) fn wrap(text: &str, width: usize) -> String {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for own in text.lines() {
        for piece in pieces(own) {
            let length = line.chars().count() + piece.trim_end().chars().count();
            if !line.is_empty() && length > width {
                lines.push(std::mem::take(&mut line));
            }
            for letter in piece.chars() {
                if line.chars().count() == width && letter != ' ' {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(letter);
            }
        }
        lines.push(std::mem::take(&mut line));
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n")
}

/// The widths that a column may have.
struct Column {
    /// The width without any break.
    natural: usize,
    /// The width with every break.
    least: usize,
    /// The width in a table whose columns fold: headers break, and long texts only.
    folded: usize,
}

impl Column {
    fn of(headers: &[String], rows: &[Vec<String>], at: usize, is_number: bool) -> Self {
        let cells = || rows.iter().filter_map(|row| row.get(at));
        let natural = |text: &String| text.lines().map(letters).max().unwrap_or(0);
        let broken = |text: &String| {
            longest_piece(text)
                .min(NAME_WIDTH)
                .max(natural(text).min(TEXT_WIDTH))
        };
        let cells_least = match is_number {
            true => cells().map(natural).max(),
            false => cells().map(broken).max(),
        };
        let header = longest_piece(&headers[at]);
        let least = cells_least.unwrap_or(0).max(header).max(1);
        let own = cells().map(natural).max().unwrap_or(0);
        Column {
            natural: own.max(natural(&headers[at])),
            least,
            folded: own.min(FOLDED_TEXT_WIDTH).max(least),
        }
    }
}

/// Shares the room that is left between columns, a letter each in turn.
fn widened(part: &[usize], columns: &[Column]) -> Vec<usize> {
    let folded = part.iter().map(|at| columns[*at].folded);
    let mut widths: Vec<usize> = match width(folded.clone()) <= WIDTH_MAX {
        true => folded.collect(),
        false => part.iter().map(|at| columns[*at].least).collect(),
    };
    let mut left = WIDTH_MAX.saturating_sub(width(widths.iter().copied()));
    while left > 0 {
        let before = left;
        for (own, at) in widths.iter_mut().zip(part) {
            if left > 0 && *own < columns[*at].natural {
                *own += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    widths
}

/// Returns the width of a table: each column has a blank on both sides and a line.
fn width(columns: impl Iterator<Item = usize>) -> usize {
    columns.map(|column| column + 3).sum::<usize>() + 1
}

fn longest_piece(text: &str) -> usize {
    let pieces = text.lines().flat_map(pieces);
    pieces
        .map(|piece| letters(piece.trim_end()))
        .max()
        .unwrap_or(0)
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// Splits a text behind each place at which it may break.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|letter| letter == ' ' || BREAKS.contains(&letter))
}

#[cfg(test)]
mod tests {
    use waywarden_testkit::Random;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn texts_break_at_blanks_then_within_names_then_anywhere() {
        for (text, width, expected) in [
            ("", 5, ""),
            ("short", 5, "short"),
            ("two words", 5, "two\nwords"),
            ("Motor_Diesel_MQB", 8, "Motor_\nDiesel_\nMQB"),
            ("abcdefgh", 3, "abc\ndef\ngh"),
            ("a abcdefgh b", 4, "a\nabcd\nefgh\nb"),
            ("über alles", 5, "über\nalles"),
        ] {
            assert_eq!(wrap(text, width), expected, "{text} in {width}");
        }
    }

    #[test]
    fn table_that_fits_stays_as_it_is() {
        let headers = texts(&["stream", "worst ms"]);
        let rows = vec![texts(&["Speed", "1.000"])];
        assert_eq!(fold(&headers, &rows, &(1..2)), None);
    }

    #[test]
    fn columns_fold_behind_the_first_one() {
        let headers: Vec<String> = (0..20).map(|at| format!("column{at:02}")).collect();
        let rows = vec![headers.clone()];
        let parts = fold(&headers, &rows, &(1..20)).unwrap();
        assert_eq!(parts.len(), 3);
        assert_eq!(parts[0].columns, (0..9).collect::<Vec<_>>());
        assert_eq!(parts[1].columns[..3], [0, 9, 10]);
    }

    #[test]
    fn every_part_has_the_columns_that_tell_rows_apart() {
        let headers: Vec<String> = (0..20).map(|at| format!("column{at:02}")).collect();
        let mut rows = vec![headers.clone(), headers.clone()];
        rows[1][1] = "another".to_owned();
        let parts = fold(&headers, &rows, &(2..20)).unwrap();
        assert!(parts.iter().all(|part| part.columns[..2] == [0, 1]));
    }

    /// Random tables: each column is shown, no part is too wide, and no letter of a cell is lost.
    #[test]
    fn folded_tables_fit_and_lose_no_letter() {
        let mut random = Random::of_test("folded_tables_fit_and_lose_no_letter");
        let alphabet: Vec<char> = "abcXYZ019_-. ".chars().collect();
        for round in 0..300 {
            let mut text = |most: usize| -> String {
                let length = 1 + random.index(most);
                (0..length)
                    .map(|_| alphabet[random.index(alphabet.len())])
                    .collect()
            };
            let width_of = |at: usize| [40, 12, 90, 6][at % 4];
            let number = 2 + round % 15;
            let headers: Vec<String> = (0..number).map(|_| text(14)).collect();
            let row = |text: &mut dyn FnMut(usize) -> String| -> Vec<String> {
                (0..number).map(|at| text(width_of(at))).collect()
            };
            let rows: Vec<Vec<String>> = (0..4).map(|_| row(&mut text)).collect();
            let Some(parts) = fold(&headers, &rows, &(0..0)) else {
                continue;
            };
            let mut shown: Vec<usize> = Vec::new();
            for part in &parts {
                let widths = part.widths.iter().copied();
                assert!(width(widths) <= WIDTH_MAX, "{round}: {part:?}");
                let new = part.columns.iter().filter(|at| !shown.contains(at));
                let new: Vec<usize> = new.copied().collect();
                shown.extend(new);
                for (at, most) in part.columns.iter().zip(&part.widths) {
                    for row in &rows {
                        let wrapped = wrap(&row[*at], *most);
                        let lines = wrapped.lines().map(letters).max().unwrap_or(0);
                        assert!(lines <= *most, "{round}: {wrapped:?} in {most}");
                        let bare = |text: &str| text.replace([' ', '\n'], "");
                        assert_eq!(bare(&wrapped), bare(&row[*at]), "{round}");
                    }
                }
            }
            assert_eq!(shown, (0..number).collect::<Vec<_>>(), "{round}");
        }
    }
}
