//! A log that is followed while it is written.

use std::io::{self, Write};

use super::Writer;

impl<W: Write> Writer<W> {
    /// Hands on the lines so far.
    ///
    /// # Errors
    /// The error of flushing the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
