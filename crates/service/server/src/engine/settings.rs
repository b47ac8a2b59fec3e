//! How much the engine does at once.

use std::time::Duration;

use waywarden_v2x_schedule::{Bounds, Policy};

/// How messages are verified.
#[derive(Clone, Copy, Debug)]
pub struct VerificationSettings {
    /// In which order, and what is not verified at all.
    pub policy: Policy,
    /// Bounds on the number of waiting messages of a client, and on their wait.
    pub bounds: Bounds,
    /// How many threads verify; 0 for as many as the machine has cores.
    pub workers: usize,
    /// How many messages a thread takes at once, from 1 to 1,024: by default 64. This bounds how
    /// long a message that comes next waits for those before it: 6 ms where a signature takes
    /// 90 us.
    pub batch: usize,
    /// How long a message waits at most for others to be verified beside it: by default 300 us; 0
    /// is not at all. It waits only while messages come so often that four are expected in this
    /// time, and until there are eight.
    pub gather: Duration,
    /// Bytes for the tables of senders' keys of each thread: by default 1 MiB.
    pub table_memory: usize,
    /// How much lower the priority of the threads is than that of those that sign and of the
    /// sockets, in steps of `nice`, from 0 to 19: by default 10.
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

/// How the engine works.
#[derive(Clone, Copy, Debug)]
pub struct EngineSettings {
    /// How messages are verified.
    pub verification: VerificationSettings,
    /// How many requests to sign may wait: by default 64.
    pub signing_queue: usize,
    /// How many requests to decrypt may wait: by default 64.
    pub decryption_queue: usize,
    /// How many requests to encrypt or look up may wait: by default 64.
    pub other_queue: usize,
    /// How long the answer to a request is of use that does not say so: by default 1 s.
    pub deadline: Duration,
    /// How many verdicts are kept for subscribers that read slowly, at most 65,536: by default
    /// 4,096.
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
