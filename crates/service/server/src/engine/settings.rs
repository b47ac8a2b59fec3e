//! Settings of the engine: threads, queues and deadlines.

use std::time::Duration;

use waywarden_v2x_schedule::{Bounds, Policy};

/// Settings of verification.
#[derive(Clone, Copy, Debug)]
pub struct VerificationSettings {
    /// Order of verification, and messages to drop.
    pub policy: Policy,
    /// Bounds on the number of waiting messages of a client, and on their wait.
    pub bounds: Bounds,
    /// Number of threads that verify; 0 for as many as the machine has cores.
    pub workers: usize,
    /// Most messages that a thread takes at once, from 1 to 1,024: by default 64. This bounds the
    /// wait of the next message for those before it: 6 ms where a signature takes 90 us.
    pub batch: usize,
    /// Longest wait of a message for others to be verified beside it: by default 300 us; 0 for
    /// none. It waits only while messages come so often that four are expected in this time, and
    /// until there are eight.
    pub gather: Duration,
    /// Bytes for the tables of senders' keys of each thread: by default 1 MiB.
    pub table_memory: usize,
    /// Steps of `nice` by which these threads have a lower priority than those that sign or serve
    /// sockets, from 0 to 19: by default 10.
    pub nice: u8,
    /// True if payloads of CAM, DENM and BSM are checked against their certificate: the default.
    pub payload_check: bool,
}

impl VerificationSettings {
    /// The default bounds of each client. A client's batch of [`MESSAGES_MAX`] messages is verified
    /// though all are of one sender: those beyond 32 wait behind the messages of other senders, and
    /// none is refused before the client's whole share is used up.
    ///
    /// [`MESSAGES_MAX`]: waywarden_v2x_service_protocol::MESSAGES_MAX
    pub const BOUNDS: Bounds = Bounds {
        per_sender: usize::MAX,
        ranked_per_sender: Bounds::DEFAULT.per_sender,
        ..Bounds::DEFAULT
    };
}

impl Default for VerificationSettings {
    fn default() -> Self {
        Self {
            policy: Policy::FIFO,
            bounds: Self::BOUNDS,
            workers: 0,
            batch: 64,
            gather: Duration::from_micros(300),
            table_memory: 1 << 20,
            nice: 10,
            payload_check: true,
        }
    }
}

/// Settings of the engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineSettings {
    /// Settings of verification.
    pub verification: VerificationSettings,
    /// Most waiting requests to sign: by default 64.
    pub signing_queue: usize,
    /// Most waiting requests to decrypt: by default 64.
    pub decryption_queue: usize,
    /// Most waiting requests to encrypt or look up: by default 64.
    pub other_queue: usize,
    /// Default time for which the answer to a request is of use: by default 1 s.
    pub deadline: Duration,
    /// Number of verdicts kept for slow subscribers, at most 65,536: by default 4,096.
    pub events: usize,
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self {
            verification: VerificationSettings::default(),
            signing_queue: 64,
            decryption_queue: 64,
            other_queue: 64,
            deadline: Duration::from_secs(1),
            events: 4_096,
        }
    }
}
