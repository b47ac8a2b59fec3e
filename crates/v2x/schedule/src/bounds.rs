//! The bounds of a queue, and the counters of its messages.

/// The bounds of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Limit on waiting messages; at least 1. By default 1,024, which is 0.6 s of a full channel:
    /// at 6 Mb/s it carries at most 163 messages of 460 bytes in 100 ms \[ECQV-CITS §V-D\].
    pub messages: usize,
    /// Number of messages of each class and zone that are not dropped for those of another one: by
    /// default 64; at most a ninth of `messages`, for there are nine. So claims of a better class
    /// or position leave room for what is worse.
    pub reserved: usize,
    /// Limit on waiting messages of one sender, if it is known; at least 1. By default 32, three
    /// times as many as CAM or BSM come in `wait_us` at 10 Hz.
    pub per_sender: usize,
    /// Number of waiting messages of one known sender that get the turn of their rank. Others
    /// of it wait behind the messages of all senders, so that a sender with many delays no other
    /// one, and is served where there is time. By default `usize::MAX`: all get their turn.
    pub ranked_per_sender: usize,
    /// After how many microseconds a message is dropped, whatever its own deadline: by default
    /// 1,000,000. `u64::MAX` is never.
    pub wait_us: u64,
    /// Each so-many-th message is the one that waits longest, whatever its priority, so that a
    /// flood of urgent ones holds up no other one for good: by default 8. 0 is never. The policy
    /// `safety` does so while most messages of unknown senders are not valid: where they are, they
    /// get turns by their worth.
    pub oldest_every: u32,
    /// Time of a worker to verify a message with its certificate, in us: by default 100. The policy
    /// `safety` plans by it; the others do not need it.
    pub verification_us: u64,
    /// Time to verify a message of a sender whose certificate is known from an earlier one, in us:
    /// by default 100. Only the policy `safety` needs it.
    pub known_sender_us: u64,
    /// Number of workers that verify side by side; at least 1. By default 1. Only the policy
    /// `safety` needs it.
    pub workers: u32,
}

impl Bounds {
    /// Default bounds.
    pub const DEFAULT: Self = Self {
        messages: 1_024,
        reserved: 64,
        per_sender: 32,
        ranked_per_sender: usize::MAX,
        wait_us: 1_000_000,
        oldest_every: 8,
        verification_us: 100,
        known_sender_us: 100,
        workers: 1,
    };
}

impl Default for Bounds {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Reason why a message is not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The policy is exclusive, and the message claims to come from outside.
    Outside,
    /// Its deadline or the longest wait is over.
    Expired,
    /// Its sender has too many messages waiting.
    SenderFull,
    /// Too many messages wait.
    QueueFull,
}

impl DropCause {
    /// Every cause.
    pub const ALL: [Self; 4] = [
        Self::Outside,
        Self::Expired,
        Self::SenderFull,
        Self::QueueFull,
    ];
}

/// Counters of a queue's messages. `pushed` is the sum of what was popped, what was dropped and
/// what waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Number of messages that were offered.
    pub pushed: u64,
    /// Number of messages that were taken out for verification.
    pub popped: u64,
    pub(super) dropped: [u64; DropCause::ALL.len()],
}

impl QueueCounters {
    /// Returns how many messages were dropped for a cause.
    #[must_use]
    pub fn dropped(&self, cause: DropCause) -> u64 {
        self.dropped[cause as usize]
    }

    /// Returns how many messages were dropped.
    #[must_use]
    pub fn all_dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }
}

/// A message that is not verified, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped<T> {
    /// The dropped message.
    pub item: T,
    /// Reason of the drop.
    pub cause: DropCause,
}
