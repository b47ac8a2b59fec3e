//! JSON Lines: each line is the `event` of a subscription in the protocol's JSON form.

use std::io::{self, Write};

use super::encoder::Encoder;
use waywarden_v2x_service_protocol::json::JsonVerdictEvent;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// Start of each line, and so of each file: the first field of [`JsonVerdictEvent`].
pub(super) const BEGINNING: &[u8] = b"{\"sequence\":";

/// Writes JSON Lines.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    lines: Vec<u8>,
}

impl<W: Write + Send> JsonLines<W> {
    /// Begins a file.
    pub fn new(out: W) -> Self {
        Self {
            out,
            lines: Vec::new(),
        }
    }
}

impl<W: Write + Send> Encoder for JsonLines<W> {
    fn push(&mut self, event: &VerdictEvent) -> io::Result<usize> {
        serde_json::to_writer(&mut self.lines, &JsonVerdictEvent::from(event))?;
        self.lines.push(b'\n');
        Ok(self.lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.lines)?;
        self.lines.clear();
        self.out.flush()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}
