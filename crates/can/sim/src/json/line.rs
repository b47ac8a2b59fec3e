//! One line under way. A trace has millions of them, so names are quoted once and what needs no
//! escapes is copied.

use std::io::Write as _;

use serde::Serialize;
use waywarden_can::Frame;

use crate::clock::Time;

/// A JSON object that is being written at the end of a text.
pub(super) struct LineText<'t> {
    text: &'t mut Vec<u8>,
}

/// Returns a text in quotation marks, with what JSON escapes.
pub(super) fn quoted(text: &str) -> String {
    // Serialising a text into memory has no way to fail.
    serde_json::to_string(text).unwrap_or_default()
}

impl<'t> LineText<'t> {
    /// Begins an object with its time and the name of its event.
    pub(super) fn begin(text: &'t mut Vec<u8>, at: &Time, event: &'static str) -> Self {
        text.extend_from_slice(b"{\"t\":");
        let mut line = LineText { text };
        line.json(at);
        line.word("event", event);
        line
    }

    /// Adds a name that is quoted already; nothing if there is none.
    pub(super) fn name(&mut self, key: &'static str, quoted: Option<&String>) {
        if let Some(quoted) = quoted {
            self.key(key);
            self.text.extend_from_slice(quoted.as_bytes());
        }
    }

    /// Adds one of the simulator's own words, none of which JSON escapes.
    pub(super) fn word(&mut self, key: &'static str, word: &'static str) {
        self.key(key);
        self.text.push(b'"');
        self.text.extend_from_slice(word.as_bytes());
        self.text.push(b'"');
    }

    /// Adds a frame as candump writes it: digits, letters and `#`.
    pub(super) fn frame(&mut self, frame: &Frame) {
        self.text.extend_from_slice(b",\"frame\":\"");
        // Writing into memory has no way to fail.
        let _ = write!(self.text, "{frame}\"");
    }

    /// Adds anything.
    pub(super) fn value(&mut self, key: &'static str, value: &impl Serialize) {
        self.key(key);
        self.json(value);
    }

    /// The same, to go on with.
    pub(super) fn with(mut self, key: &'static str, value: &impl Serialize) -> Self {
        self.value(key, value);
        self
    }

    /// Ends the object and the line.
    pub(super) fn end(self) {
        self.text.extend_from_slice(b"}\n");
    }

    fn key(&mut self, key: &'static str) {
        self.text.extend_from_slice(b",\"");
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
    }

    fn json(&mut self, value: &impl Serialize) {
        // Serialising into memory has no way to fail.
        let _ = serde_json::to_writer(&mut *self.text, value);
    }
}
