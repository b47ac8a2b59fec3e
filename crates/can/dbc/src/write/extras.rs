//! Parts of a text that its parsed statements lack: bit timing, the access to environment
//! variables, and comments behind two slashes.

use std::collections::HashMap;

use crate::scan::has_odd_quotes;

/// The parts of a text that its statements lack.
#[derive(Default)]
pub(super) struct Extras<'a> {
    /// The values of `BS_`.
    pub(super) bit_timing: Option<&'a str>,
    /// The number behind `DUMMY_NODE_VECTOR` of each environment variable.
    pub(super) access: HashMap<&'a str, &'a str>,
    /// The number of comments behind two slashes, and the line of the first one, from 1.
    comments: (usize, usize),
}

impl<'a> Extras<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut extras = Extras::default();
        let mut is_quoted = false;
        for (at, line) in text.lines().enumerate() {
            let was_quoted = is_quoted;
            is_quoted ^= has_odd_quotes(line);
            if let Some(start) = comment_start(line, was_quoted) {
                if extras.comments.0 == 0 {
                    extras.comments.1 = at + 1;
                }
                extras.comments.0 += 1;
                if line[..start].trim().is_empty() {
                    continue;
                }
            }
            if !was_quoted {
                extras.take(line.trim_start());
            }
        }
        extras
    }

    fn take(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("BS_") {
            let stated = rest.trim_start().strip_prefix(':').unwrap_or_default();
            let stated = stated.split("//").next().unwrap_or_default().trim();
            let is_timing = |letter: char| letter.is_ascii_digit() || ":, ".contains(letter);
            if !stated.is_empty() && stated.chars().all(is_timing) {
                self.bit_timing = Some(stated);
            }
        }
        if let Some(rest) = line
            .strip_prefix("EV_")
            .filter(|rest| rest.starts_with([' ', '\t']))
            && let Some((name, rest)) = rest.split_once(':')
            && let Some((_, access)) = rest.rsplit_once("DUMMY_NODE_VECTOR")
        {
            let end = access.find(|letter: char| !letter.is_ascii_alphanumeric());
            let digits = &access[..end.unwrap_or(access.len())];
            self.access.insert(name.trim(), digits);
        }
    }

    /// Names what is not written.
    pub(super) fn losses(&self) -> Option<String> {
        let (count, line) = self.comments;
        (count > 0).then(|| {
            format!("line {line}: {count} comments behind // are left out; CM_ statements are kept")
        })
    }
}

/// Returns the place of two slashes outside of quotations.
fn comment_start(line: &str, is_quoted: bool) -> Option<usize> {
    let mut is_quoted = is_quoted;
    let mut is_escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' if !is_escaped => is_quoted = !is_quoted,
            b'/' if !is_quoted && line.as_bytes().get(at + 1) == Some(&b'/') => return Some(at),
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    None
}
