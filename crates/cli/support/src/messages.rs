//! Messages of a command on standard error besides its answer: errors, warnings, notes; and the
//! colours of both.

use std::cell::RefCell;
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};

use crate::answers;

/// Condition under which output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment has NO_COLOR or TERM=dumb.
    #[default]
    Auto,
    /// In files and pipes too.
    Always,
    /// Nowhere.
    Never,
}

/// Tone that a thing's colour shows; its words say it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Success, as it should be.
    Good,
    /// Possible mistake.
    Doubtful,
    /// Error or failure.
    Bad,
    /// Neutral remark.
    Plain,
}

static QUIET: AtomicBool = AtomicBool::new(false);
static STDOUT_COLORED: AtomicBool = AtomicBool::new(false);
static STDERR_COLORED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Warnings and notes of this thread, while they are collected.
    static COLLECTED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Does `work` and returns what this thread warns of meanwhile, which goes to no terminal: for a
/// program that has another place for it.
pub fn collected<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let before = COLLECTED.replace(Some(Vec::new()));
    let result = work();
    let said = COLLECTED.replace(before);
    (result, said.unwrap_or_default())
}

/// Sets for the whole process what is said, and whether in colour.
pub fn configure(quiet: bool, color: Color) {
    QUIET.store(quiet, Ordering::Relaxed);
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let is_colored = |is_terminal: bool| match color {
        Color::Auto => is_terminal && !plain,
        Color::Always => true,
        Color::Never => false,
    };
    STDOUT_COLORED.store(is_colored(io::stdout().is_terminal()), Ordering::Relaxed);
    STDERR_COLORED.store(is_colored(io::stderr().is_terminal()), Ordering::Relaxed);
}

/// Says that something is allowed and probably a mistake, unless `--quiet`.
pub fn warning(text: impl fmt::Display) {
    say("warning", Tone::Doubtful, text);
}

/// Says what is good to know, unless `--quiet`.
pub fn note(text: impl fmt::Display) {
    say("note", Tone::Plain, text);
}

/// Says what was done, or how far it is, unless `--quiet`.
pub fn status(text: impl fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        answers::complain(&text.to_string());
    }
}

/// Says what is wrong.
pub fn error(text: impl fmt::Display) {
    let kind = painted(&STDERR_COLORED, Tone::Bad, "error");
    answers::complain(&format!("{kind}: {text}"));
}

/// Returns true if progress is shown: on a terminal, unless `--quiet`.
#[must_use]
pub fn shows_progress() -> bool {
    io::stderr().is_terminal() && !QUIET.load(Ordering::Relaxed)
}

/// Returns a word of standard output in the colour of its tone, if it has colours.
#[must_use]
pub fn colored(tone: Tone, word: &str) -> String {
    painted(&STDOUT_COLORED, tone, word)
}

fn say(kind: &str, tone: Tone, text: impl fmt::Display) {
    let text = text.to_string();
    let is_collected = COLLECTED.with_borrow_mut(|collected| match collected {
        Some(collected) => {
            collected.push(text.clone());
            true
        }
        None => false,
    });
    if is_collected {
        return;
    }
    if !QUIET.load(Ordering::Relaxed) {
        let kind = painted(&STDERR_COLORED, tone, kind);
        answers::complain(&format!("{kind}: {text}"));
    }
}

fn painted(is_colored: &AtomicBool, tone: Tone, word: &str) -> String {
    if is_colored.load(Ordering::Relaxed) {
        let style = tone.style();
        format!("{style}{word}{style:#}")
    } else {
        word.to_owned()
    }
}

impl Tone {
    fn style(self) -> Style {
        let color = match self {
            Tone::Good => AnsiColor::Green,
            Tone::Doubtful => AnsiColor::Yellow,
            Tone::Bad => AnsiColor::Red,
            Tone::Plain => return Style::new(),
        };
        color.on_default().bold()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_collected_is_returned_in_order_and_ends_with_the_work() {
        let (value, said) = collected(|| {
            warning("first");
            let (_, inner) = collected(|| note("inner"));
            assert_eq!(inner, ["inner"]);
            note("second");
            7
        });
        assert_eq!((value, said), (7, vec!["first".into(), "second".into()]));
        assert!(COLLECTED.with_borrow(Option::is_none));
    }
}
