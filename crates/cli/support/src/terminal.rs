//! Text of others on a terminal: nothing in the name of a file or in a label moves the cursor,
//! changes colours, begins a line or turns the direction of writing.

use std::ffi::OsString;

use waywarden_input_files::plain::is_active;
pub use waywarden_input_files::plain::{plain, plain_lines};

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

#[cfg(test)]
mod tests {
    use super::*;

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
