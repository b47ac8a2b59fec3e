//! Base64 between lines that say what it is, in the form of PEM \[RFC 7468\].

use super::{BLOCK_MAX, Item, Step};
use crate::digits::{base64, hex};
use crate::foreign::PEM;
use crate::record::is_whole;

const BEGIN: &str = "-----BEGIN";
const END: &str = "-----END";
const REMEDY: &str = "give messages and certificates of IEEE 1609.2";
const AGAIN: &str = "copy it again, from its BEGIN line to its END line";

/// A block between BEGIN and END.
pub(super) struct Armour {
    first: usize,
    last: usize,
    name: String,
    text: String,
    /// True if the line END came; it names another thing.
    end: Option<String>,
    /// True if there is more text than a block may have.
    is_too_long: bool,
}

impl Armour {
    /// Opens a block if a line says so.
    pub(super) fn start(number: usize, line: &str) -> Option<Self> {
        let name = line.strip_prefix(BEGIN)?;
        Some(Self {
            first: number,
            last: number,
            name: named(name),
            text: String::new(),
            end: None,
            is_too_long: false,
        })
    }

    pub(super) fn step(&mut self, line: &str) -> Step {
        let line = line.trim();
        if line.starts_with(BEGIN) {
            return Step::Foreign;
        }
        self.last += 1;
        if let Some(name) = line.strip_prefix(END) {
            self.end = Some(named(name));
            return Step::Ended;
        }
        if self.text.len() + line.len() > BLOCK_MAX {
            self.is_too_long = true;
            return Step::Ended;
        }
        // Fields of a header, as `Proc-Type: 4,ENCRYPTED`.
        if !line.contains(": ") {
            self.text.extend(line.split_whitespace());
        }
        Step::Taken
    }

    pub(super) fn finish(self, items: &mut Vec<Item>) {
        let wrong = |error: &str, remedy| Item::wrong(self.first, error, remedy);
        let is_private = self.name.ends_with("PRIVATE KEY");
        let coded = [hex(&self.text), base64(&self.text)];
        let whole = coded.iter().flatten().find(|bytes| is_whole(bytes));
        let bytes = whole.or(coded[1].as_ref()).filter(|_| !is_private);
        items.push(match (bytes, &self.end) {
            (_, _) if self.is_too_long => wrong("armour of more than 16 MiB", AGAIN),
            (None, Some(_)) if !is_private => wrong(
                &format!(
                    "armour ({}) whose text, to line {}, is neither base64 nor hexadecimal digits",
                    self.name, self.last
                ),
                AGAIN,
            ),
            (Some(bytes), _) if bytes.first() == Some(&0x30) => wrong(PEM, REMEDY),
            (None, _) if is_private => wrong(PEM, REMEDY),
            (_, None) => wrong("armour without its END line", AGAIN),
            (_, Some(end)) if *end != self.name => {
                let error = format!("armour of {} that ends as {end}", self.name);
                wrong(&error, AGAIN)
            }
            (Some(bytes), _) => {
                let label = Some(self.name.clone()).filter(|name| !name.is_empty());
                Item::found((self.first, self.last), label, bytes.clone())
            }
            (None, _) => wrong(PEM, REMEDY),
        });
    }
}

fn named(rest: &str) -> String {
    rest.trim_matches(['-', ' ']).to_owned()
}
