//! Queues and tasks of an ECU.

/// A transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransmitQueue {
    /// Order in which waiting frames are sent.
    pub order: QueueOrder,
    /// Capacity in frames, at least 1.
    pub length: usize,
}

/// Choice of the waiting frame that competes for the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueOrder {
    /// The oldest.
    Fifo,
    /// The one that would win arbitration.
    Priority,
}

/// Task priorities; a higher number runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPriorities {
    /// Priority of the task that takes frames out of the controller.
    pub receive: u8,
    /// Priority of the task that hands frames to the controller.
    pub send: u8,
    /// Priority of jobs that compute with symmetric keys: tags and ciphers of messages.
    pub mac: u8,
    /// Priority of all other computation: signatures, key agreement.
    pub crypto: u8,
}
