//! Text of others on a terminal: nothing in the name of a file or in a label moves the cursor,
//! changes colours, begins a line or turns the direction of writing.

use std::borrow::Cow;
use std::ffi::OsString;

/// Returns the text with control characters as they would stand in a program.
pub fn plain(text: &str) -> Cow<'_, str> {
    escaped(text, is_active)
}

/// The same for text of several lines of our own, whose ends and tabs stay.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |letter| {
        is_active(letter) && !matches!(letter, '\n' | '\t')
    })
}

/// Prints why the arguments are refused, or the help that they ask for; returns the exit code.
///
/// The parser repeats arguments as they are, and would print what acts in them.
pub fn refused_arguments(error: &clap::Error, arguments: impl Iterator<Item = OsString>) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let arguments = arguments.map(|one| one.to_string_lossy().into_owned());
    let arguments: Vec<String> = arguments.filter(|one| one.contains(is_active)).collect();
    if arguments.is_empty() {
        // With the parser's colours. If it cannot be printed, the exit code says what it can.
        let _ = error.print();
        return code;
    }
    eprint!("{}", plain_arguments(&error.to_string(), &arguments));
    code
}

/// Escapes what acts in a text, with the ends of lines that come from the arguments in it.
fn plain_arguments(text: &str, arguments: &[String]) -> String {
    let mut text = text.to_owned();
    for argument in arguments {
        let value = argument.split_once('=').map(|(_, value)| value);
        for part in [Some(argument.as_str()), value].into_iter().flatten() {
            if part.contains(is_active) {
                text = text.replace(part, &plain(part));
            }
        }
    }
    plain_lines(&text).into_owned()
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
fn is_active(letter: char) -> bool {
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

    #[test]
    fn arguments_in_an_error_begin_no_line() {
        let arguments = ["--id=a\nerror: b".to_owned()];
        for (text, expected) in [
            (
                "error: '--id=a\nerror: b'\n",
                "error: '--id=a\\nerror: b'\n",
            ),
            ("error: 'a\nerror: b'\nc\n", "error: 'a\\nerror: b'\nc\n"),
        ] {
            assert_eq!(plain_arguments(text, &arguments), expected);
        }
    }
}
