//! Text of others on a terminal: nothing in the name of a file or in a label moves the cursor,
//! changes colours, begins a line or turns the direction of writing.

use std::borrow::Cow;

/// Returns the text with control characters as they would stand in a program.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_active)
}

/// The same for text of several lines of our own, whose ends and tabs stay.
#[must_use]
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| {
        is_active(letter) && !matches!(letter, '\n' | '\t')
    })
}

fn escaped(text: &str, is_active: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_active) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match is_active(letter) {
            true => plain.extend(letter.escape_debug()),
            false => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

/// Returns true if a character does something instead of being something: controls, separators of
/// lines, and those that turn the direction of writing.
#[must_use]
pub fn is_active(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200E}' | '\u{200F}')
        || matches!(letter, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_escaped_and_what_is_text_stays() {
        let cases = [
            ("a\u{1b}[31m\n\"b.oer", "a\\u{1b}[31m\\n\"b.oer"),
            ("\u{9b}2J\t\r\u{7f}", "\\u{9b}2J\\t\\r\\u{7f}"),
            ("\u{202e}reo\u{2028}", "\\u{202e}reo\\u{2028}"),
            ("plain, ü and \\", "plain, ü and \\"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), expected);
        }
        assert_eq!(plain_lines("a\n\tb\u{1b}"), "a\n\tb\\u{1b}");
    }
}
