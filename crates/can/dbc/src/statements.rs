//! Damaged text: the statements that do not follow the grammar are taken out, the rest is read.
//!
//! Only a text that the grammar refuses as a whole comes here. Each statement is then read by
//! itself, so the work stays linear in the length of the text.

use std::borrow::Cow;

use can_dbc::Dbc;

use super::{DbcError, SkippedStatement};

/// The statements of a DBC file, each with its form. The first one that a line begins with counts,
/// so longer words stand before their beginnings.
const FORMS: [(&str, &str); 23] = [
    ("VERSION", "VERSION \"<text>\""),
    ("NS_", "NS_ : <words>"),
    ("BS_", "BS_:"),
    ("BU_SG_REL_", "BU_SG_REL_ <node> SG_ <identifier> <signal>"),
    ("BU_", "BU_: <nodes>"),
    ("VAL_TABLE_", "VAL_TABLE_ <name> <number> \"<word>\" ... ;"),
    (
        "VAL_",
        "VAL_ <identifier> <signal> <number> \"<word>\" ... ;",
    ),
    ("BO_TX_BU_", "BO_TX_BU_ <identifier> : <nodes>;"),
    ("BO_", "BO_ <identifier> <name>: <bytes> <sender>"),
    (
        "SG_MUL_VAL_",
        "SG_MUL_VAL_ <identifier> <signal> <multiplexer> <from>-<to>, ... ;",
    ),
    (
        "SG_",
        "SG_ <name> : <start>|<bits>@<0 or 1><+ or -> (<factor>,<offset>) [<least>|<most>] \
         \"<unit>\" <receivers>",
    ),
    (
        "EV_",
        "EV_ <name>: <type> [<least>|<most>] \"<unit>\" ... ;",
    ),
    ("ENVVAR_DATA_", "ENVVAR_DATA_ <name>: <bytes>;"),
    ("CM_", "CM_ [BU_, BO_, SG_ or EV_ <of what>] \"<text>\";"),
    (
        "BA_DEF_DEF_REL_",
        "BA_DEF_DEF_REL_ \"<attribute>\" <value>;",
    ),
    ("BA_DEF_DEF_", "BA_DEF_DEF_ \"<attribute>\" <value>;"),
    (
        "BA_DEF_REL_",
        "BA_DEF_REL_ <relation> \"<attribute>\" <type>;",
    ),
    (
        "BA_DEF_",
        "BA_DEF_ [BU_, BO_, SG_ or EV_] \"<attribute>\" <type>;",
    ),
    ("BA_REL_", "BA_REL_ \"<attribute>\" <relation> <value>;"),
    (
        "BA_",
        "BA_ \"<attribute>\" [BU_, BO_, SG_ or EV_ <of what>] <value>;",
    ),
    (
        "SIG_GROUP_",
        "SIG_GROUP_ <identifier> <name> 1 : <signals>;",
    ),
    (
        "SIG_VALTYPE_",
        "SIG_VALTYPE_ <identifier> <signal> : <0 to 3>;",
    ),
    ("SGTYPE_", "SGTYPE_ <name> : ... ;"),
];

/// The statements that end with their line; the others end with a semicolon.
const OF_ONE_LINE: [&str; 6] = ["VERSION", "NS_", "BS_", "BU_", "BO_", "SG_"];

/// A message to stand before a signal that is read by itself.
const BEFORE_SIGNAL: &str = "BO_ 0 M: 8 Vector__XXX\n ";

/// A statement of a text.
struct Statement<'a> {
    /// Its first line, from 0.
    first: usize,
    /// The line after its last one.
    end: usize,
    /// The word that it begins with, if it is one of DBC's.
    word: Option<&'a str>,
}

/// Returns the text without the statements that the grammar refuses, with empty lines in their
/// place, and those statements. `None` if no line begins as a statement does.
pub(super) fn without_damage(text: &str) -> Option<(String, Vec<SkippedStatement>)> {
    let lines: Vec<&str> = text.lines().collect();
    let statements = statements(&lines);
    if statements.iter().all(|one| one.word.is_none()) {
        return None;
    }
    let mut kept = lines.clone();
    let mut skipped = Vec::new();
    let mut is_message_gone = false;
    for statement in &statements {
        let own = lines[statement.first..statement.end].join("\n");
        let is_signal = statement.word == Some("SG_");
        let is_comment = own.trim_start().starts_with("//");
        let is_known = statement.word.is_some() || is_comment;
        let is_fine = is_known && follows_grammar(&own, is_signal);
        if !is_signal {
            is_message_gone = !is_fine && statement.word == Some("BO_");
        }
        if is_fine && !(is_signal && is_message_gone) {
            continue;
        }
        kept[statement.first..statement.end].fill("");
        if !is_fine {
            let line = statement.first + 1;
            skipped.push(SkippedStatement::statement(line, lines[statement.first]));
        }
    }
    Some((kept.join("\n") + "\n", skipped))
}

/// Returns the text with empty lines in place of the messages of these lines, from 1 and in order,
/// and of their signals.
pub(super) fn without_messages<'a>(text: &'a str, lines: &[usize]) -> Cow<'a, str> {
    if lines.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut gone = lines.iter().peekable();
    let mut is_gone = false;
    let mut kept = String::with_capacity(text.len());
    for (at, line) in text.lines().enumerate() {
        let text = line.trim_start();
        // Signals may stand behind them, and belong to the message still.
        let is_between = text.is_empty() || text.starts_with("//");
        if gone.next_if_eq(&&(at + 1)).is_some() {
            is_gone = true;
        } else if !is_signal(line) && !is_between {
            is_gone = false;
        }
        kept.push_str(if is_gone && !is_between { "" } else { line });
        kept.push('\n');
    }
    Cow::Owned(kept)
}

/// Returns true for the line of a signal; the grammar takes its name without a blank, too.
fn is_signal(line: &str) -> bool {
    line.trim_start().starts_with("SG_") && word(line) != Some("SG_MUL_VAL_")
}

fn follows_grammar(statement: &str, is_signal: bool) -> bool {
    let before = if is_signal { BEFORE_SIGNAL } else { "" };
    Dbc::try_from(format!("{before}{}\n", statement.trim_start()).as_str()).is_ok()
}

/// Divides lines into statements. Empty lines belong to none.
fn statements<'a>(lines: &[&'a str]) -> Vec<Statement<'a>> {
    let in_pairs = lines
        .iter()
        .filter(|line| super::scan::has_odd_quotes(line));
    // With a quotation that has no end, a line that begins as a statement does is one.
    let is_any_open = in_pairs.count() % 2 == 1;
    let mut found: Vec<Statement<'a>> = Vec::new();
    let (mut is_open, mut is_quoted) = (false, false);
    for (at, line) in lines.iter().enumerate() {
        let of_symbols = found.last().is_some_and(|last| last.word == Some("NS_"));
        let word = match of_symbols && line.starts_with([' ', '\t']) {
            true => None,
            false => word(line),
        };
        let begins = word.is_some() && (!is_quoted || is_any_open);
        // Nodes may go on in the next line.
        let of_nodes = found.last().is_some_and(|last| last.word == Some("BU_"));
        let goes_on = is_open || (of_nodes && line.starts_with([' ', '\t']));
        if begins || (!goes_on && !line.trim().is_empty()) {
            if begins {
                is_quoted = false;
            }
            found.push(Statement {
                first: at,
                end: at + 1,
                word,
            });
            is_open = true;
        } else if let (true, Some(last)) = (goes_on, found.last_mut()) {
            last.end = at + 1;
        }
        is_quoted ^= super::scan::has_odd_quotes(line);
        let word = found.last().and_then(|last| last.word);
        let is_ended = match word {
            // Its words stand on lines of their own.
            Some("NS_") => line.trim().is_empty(),
            Some(word) if OF_ONE_LINE.contains(&word) => true,
            Some(_) => line.trim_end().ends_with(';'),
            None => true,
        };
        is_open &= is_quoted || !is_ended;
    }
    found
}

/// Returns the word of a statement that a line begins with.
fn word(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let is_whole = |word: &str| {
        let rest = line.strip_prefix(word)?;
        let next = rest.chars().next();
        (!next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_')).then_some(())
    };
    let mut words = FORMS.iter().map(|(word, _)| *word);
    words.find(|word| is_whole(word).is_some())
}

impl SkippedStatement {
    fn statement(line: usize, text: &str) -> Self {
        let expected = match FORMS.iter().find(|(known, _)| Some(*known) == word(text)) {
            Some((_, form)) => format!("the statement is `{form}`"),
            None => "no statement of a DBC file begins so".to_owned(),
        };
        SkippedStatement {
            what: format!("`{}`", excerpt(text)),
            error: DbcError::Grammar {
                line: Some(line),
                expected,
            },
        }
    }
}

/// Returns the beginning of a line, without what a terminal would act on.
fn excerpt(line: &str) -> String {
    const LETTERS_MAX: usize = 40;
    let line = line.trim();
    let shown: String = line
        .chars()
        .take(LETTERS_MAX)
        .map(|letter| if letter.is_control() { '?' } else { letter })
        .collect();
    match line.chars().count() > LETTERS_MAX {
        true => shown + "...",
        false => shown,
    }
}
