//! Interface of a link for a station's loop.

use std::io;
use std::time::Duration;

/// The shortest frame, in bytes: two addresses and the EtherType.
pub const FRAME_BYTES_MIN: usize = 14;
/// The longest frame, in bytes. GeoNetworking has packets of up to 1,492 bytes, WSMP of up to
/// 2,302.
pub const FRAME_BYTES_MAX: usize = 2_400;
/// Maximum number of frames that one call of [`FrameLink::receive`] takes.
pub const FRAMES_MAX: usize = 1_024;

/// Link that carries frames between stations.
///
/// After an error call again, at intervals of your choice: a link opens its sockets by itself once
/// it can. An error comes at once, so wait before the next call.
pub trait FrameLink: Send {
    /// Waits at most `within` for a frame, then takes those that are there, without waiting, up to
    /// [`FRAMES_MAX`]. Returns how many. A signal ends the wait early.
    ///
    /// Your own frames come back over [`UdpLink`](crate::UdpLink): drop those from your address.
    ///
    /// # Errors
    /// The operating system's, or a [`LinkFault`](crate::LinkFault).
    fn receive(&mut self, within: Duration, take: &mut dyn FnMut(&[u8])) -> io::Result<usize>;

    /// Sends a frame. Waits at most 100 ms for room in the operating system's buffer.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`]: the frame has fewer than [`FRAME_BYTES_MIN`] or more than
    /// [`FRAME_BYTES_MAX`] bytes. Else the operating system's, or a
    /// [`LinkFault`](crate::LinkFault): the frame is lost.
    fn send(&mut self, frame: &[u8]) -> io::Result<()>;

    /// Sends from this UDP port from now on, if the link has ports.
    ///
    /// # Errors
    /// [`io::ErrorKind::AddrInUse`]: draw another port. The link keeps the one before until then.
    /// After any other error the link opens the new port as soon as it can.
    fn set_port(&mut self, port: u16) -> io::Result<()>;

    /// Returns what was counted since the link was opened.
    fn counts(&self) -> LinkCounts;
}

/// Counts of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Frames that the operating system took.
    pub sent: u64,
    /// Frames that were received.
    pub received: u64,
    /// Datagrams and frames that were skipped: they are no frames, or are too short or too long.
    pub malformed: u64,
    /// Frames that the operating system dropped, because they were not taken in time. Linux tells
    /// the number with the next frame that it keeps.
    pub overflowed: u64,
    /// Number of times that the link opened its receiving socket again, because its interface had
    /// gone.
    pub reopened: u64,
}

impl LinkCounts {
    /// Returns how many frames did not reach you: malformed ones and dropped ones.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.malformed.saturating_add(self.overflowed)
    }
}

/// Refuses what cannot be a frame.
pub(crate) fn check_length(frame: &[u8]) -> io::Result<()> {
    if (FRAME_BYTES_MIN..=FRAME_BYTES_MAX).contains(&frame.len()) {
        return Ok(());
    }
    let length = frame.len();
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("a frame of {length} bytes; {FRAME_BYTES_MIN} to {FRAME_BYTES_MAX} are possible"),
    ))
}
