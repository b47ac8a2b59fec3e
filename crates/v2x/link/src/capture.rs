//! Frames to a file in pcapng \[PCAPNG\], which Wireshark and `waywarden verify` read.
//!
//! [`CaptureWriter`] turns frames into blocks over any [`std::io::Write`]. [`CaptureRecorder`]
//! writes a file by a thread of its own, and survives a full disk.

mod file;
mod pcapng;
mod recorder;

pub use pcapng::{
    COMMENT_BYTES_MAX, CaptureDirection, CaptureWriter, CapturedPacket, FRAME_KEPT_BYTES_MAX,
};
pub use recorder::{CaptureRecorder, RecorderCounts, RecorderReport, WAITING_BYTES_MAX};
