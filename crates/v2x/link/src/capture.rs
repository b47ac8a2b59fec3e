//! Frames to a file in pcapng \[PCAPNG\], which Wireshark and `waywarden verify` read.
//!
//! [`Writer`] turns frames into blocks over any [`std::io::Write`]. [`Recorder`] writes a file by
//! a thread of its own, and survives a full disk.

mod file;
mod pcapng;
mod recorder;

pub use pcapng::{COMMENT_BYTES_MAX, Direction, FRAME_KEPT_BYTES_MAX, Packet, Writer};
pub use recorder::{Recorder, RecorderCounts, RecorderReport, WAITING_BYTES_MAX};
