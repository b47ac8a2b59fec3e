//! Counters of a driver.

/// Numbers of events since the driver was made. Counters stop at their largest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriverStatistics {
    /// Frames handed to the node.
    pub received: u64,
    /// Frames reported to the node as sent.
    pub sent: u64,
    /// Frames reported to the node as withdrawn.
    pub withdrawn: u64,
    /// Frames and echoes that the kernel threw away because this process was too slow.
    pub lost: u64,
    /// Of the sent ones, those whose echo was thrown away: probably sent.
    pub presumed_sent: u64,
    /// Echoes that answer no frame under way: of a node that was reset, or of a frame that left
    /// after all though its interface had lost it.
    pub stray_echoes: u64,
    /// Messages received from a link that are no frames.
    pub unreadable: u64,
    /// Times a link had no room though the port had a frame for it.
    pub full: u64,
}
