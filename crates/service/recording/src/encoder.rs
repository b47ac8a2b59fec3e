//! Encoders: one for each format of a file.

use std::io;

use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// Writes verdicts into one file, whole records at a time.
pub trait Encoder: Send {
    /// Adds a verdict to what is buffered. Returns how many bytes are buffered now.
    ///
    /// # Errors
    ///
    /// What the file says, or `InvalidData` if the verdict cannot be written.
    fn push(&mut self, event: &VerdictEvent) -> io::Result<usize>;

    /// Writes what is buffered to the file.
    ///
    /// # Errors
    ///
    /// What the file says. The encoder is of no use any more.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes what is buffered and ends the file.
    ///
    /// # Errors
    ///
    /// What the file says.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
