//! Results of a run of `waywarden verify`, as counts and as lists of bounded length.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use waywarden_command_line::table::Rows;
use waywarden_v2x_input::unread::{ReadFile, UnreadFile};
use waywarden_v2x_receiver::Verdict;

/// Maximum number of errors, and of warnings, that are listed one by one; the others are counted.
pub(super) const LISTED_MAX: usize = 100;

/// A list of bounded length.
#[derive(Debug)]
pub(super) struct Listed<T> {
    items: Vec<T>,
    /// Number of items that came when the list was full.
    omitted: usize,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            omitted: 0,
        }
    }
}

impl<T> Listed<T> {
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Says how many are not listed, if any are not.
    pub(super) fn more(&self, what: &str) -> Option<String> {
        (self.omitted > 0).then(|| format!("{} more {what}", self.omitted))
    }
}

impl<T> Extend<T> for Listed<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            match self.items.len() < LISTED_MAX {
                true => self.items.push(item),
                false => self.omitted += 1,
            }
        }
    }
}

/// Counts of inputs by result.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) inputs: usize,
    /// Frames of other traffic, which are no inputs.
    pub(super) passed_over: usize,
    parsed: usize,
    signature_valid: usize,
    signature_invalid: usize,
    pub(super) accepted: usize,
    payload_failed: usize,
    verdicts: BTreeMap<&'static str, usize>,
    /// Those judged at this moment though they were to be judged at their own.
    pub(super) undated: usize,
}

impl Tally {
    /// Counts verdicts; those that are none are of frames of other traffic.
    pub(super) fn of(verdicts: &[Option<Verdict>]) -> Self {
        let mut tally = Self::default();
        for verdict in verdicts {
            match verdict {
                Some(verdict) => tally.count(verdict),
                None => tally.passed_over += 1,
            }
        }
        tally
    }

    fn count(&mut self, verdict: &Verdict) {
        self.undated += usize::from(verdict.is_undated);
        self.inputs += 1;
        self.parsed += usize::from(verdict.parsed);
        self.signature_valid += usize::from(verdict.signature_valid == Some(true));
        self.signature_invalid += usize::from(verdict.signature_valid == Some(false));
        self.accepted += usize::from(verdict.accepted);
        let payload = verdict.payload_check.as_ref();
        self.payload_failed += usize::from(payload.is_some_and(|one| one.0.name() == "failed"));
        *self.verdicts.entry(verdict.verdict).or_default() += 1;
    }

    /// Counts those of another one, too.
    pub(super) fn add(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.passed_over += other.passed_over;
        self.parsed += other.parsed;
        self.signature_valid += other.signature_valid;
        self.signature_invalid += other.signature_invalid;
        self.accepted += other.accepted;
        self.payload_failed += other.payload_failed;
        self.undated += other.undated;
        for (verdict, count) in &other.verdicts {
            *self.verdicts.entry(verdict).or_default() += count;
        }
    }
}

/// Results without the messages, of which there may be any number.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) tally: Tally,
    /// Inputs that could not be read, with file, place, reason and remedy.
    pub(super) errors: Listed<UnreadFile>,
    /// Warnings about how the inputs were judged.
    pub(super) warnings: Listed<String>,
}

/// The end of the JSON document.
#[derive(Serialize, JsonSchema)]
pub(super) struct Totals<'a> {
    inputs: usize,
    passed_over: usize,
    parsed: usize,
    signature_valid: usize,
    signature_invalid: usize,
    accepted: usize,
    payload_failed: usize,
    verdicts: &'a BTreeMap<&'static str, usize>,
    errors: &'a [UnreadFile],
    errors_omitted: usize,
    warnings: &'a [String],
    warnings_omitted: usize,
}

impl Summary {
    /// Takes what is said of a file that was read to its end.
    pub(super) fn take(&mut self, file: ReadFile) {
        self.warnings.extend(file.note);
        self.errors.extend(file.wrong);
    }

    pub(super) fn totals(&self) -> Totals<'_> {
        let tally = &self.tally;
        Totals {
            inputs: tally.inputs,
            passed_over: tally.passed_over,
            parsed: tally.parsed,
            signature_valid: tally.signature_valid,
            signature_invalid: tally.signature_invalid,
            accepted: tally.accepted,
            payload_failed: tally.payload_failed,
            verdicts: &tally.verdicts,
            errors: &self.errors.items,
            errors_omitted: self.errors.omitted,
            warnings: &self.warnings.items,
            warnings_omitted: self.warnings.omitted,
        }
    }

    pub(super) fn words(&self) -> String {
        format!(
            "{} of {} read, {} with valid signatures, {} accepted{}{}",
            self.tally.parsed,
            self.tally.inputs,
            self.tally.signature_valid,
            self.tally.accepted,
            payload_failed(self.tally.payload_failed),
            passed_over(self.tally.passed_over)
        )
    }

    /// Returns the number of inputs by verdict.
    pub(super) fn counts(&self) -> Rows {
        let rows = self.tally.verdicts.iter();
        Rows {
            headers: vec!["verdict", "inputs"],
            rows: rows
                .map(|(name, count)| vec![(*name).to_owned(), count.to_string()])
                .collect(),
            numbers: 1..2,
        }
    }
}

/// Says how many payloads contradict their certificates, if any do.
fn payload_failed(messages: usize) -> String {
    match messages {
        0 => String::new(),
        more => format!(", {more} with a payload against its certificate"),
    }
}

/// Says how many frames were of other traffic, if any were.
pub(crate) fn passed_over(frames: usize) -> String {
    match frames {
        0 => String::new(),
        1 => "; passed over: 1 frame that is no V2X message".to_owned(),
        more => format!("; passed over: {more} frames that are no V2X message"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_bounded_and_counts_what_it_omits() {
        let mut listed = Listed::default();
        listed.extend(0..LISTED_MAX);
        assert_eq!((listed.items().len(), listed.more("files")), (100, None));
        listed.extend(0..7);
        assert_eq!(listed.items().len(), LISTED_MAX);
        assert_eq!(listed.more("files").as_deref(), Some("7 more files"));
    }
}
