//! The keys of the streams. A product has them in secure flash, written at the end of the line;
//! these are those of the tests.

/// The key of the stream that the normal half protects.
pub(crate) const OWN: [u8; 16] = *b"key of stream 1.";

/// The key of the stream that the normal half checks.
pub(crate) const OTHER: [u8; 16] = *b"key of stream 2.";
