//! Names the messages of a simulated ECU, and reports those that leave it nowhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use waywarden_can::node::Port;
use waywarden_can::{Frame, MessageHandle};
use waywarden_ecu::{KeptBack, MessageObserver};
use waywarden_vehicle_trace::{Fact, Facts, MessageId, MessageIdentity};

/// A stream of an ECU: its place in the vehicle file, and how many instances it has released in all
/// boots.
pub type OwnStream = (usize, Arc<AtomicU32>);

/// The observer of an ECU's messages for one boot.
pub struct MessageNames {
    streams: Vec<OwnStream>,
    /// By stream: how many instances were skipped since the boot.
    skipped: Vec<u64>,
    boot: u16,
    /// The cause of the messages that are sampled now.
    cause: Option<u64>,
    facts: Facts,
}

impl MessageNames {
    /// Names messages of these streams in a boot, counted from 1.
    #[must_use]
    pub fn new(streams: Vec<OwnStream>, boot: usize, facts: Facts) -> Self {
        MessageNames {
            skipped: vec![0; streams.len()],
            streams,
            boot: u16::try_from(boot).unwrap_or(u16::MAX),
            cause: None,
            facts,
        }
    }

    /// Sets the cause of the messages that are sampled from now on.
    pub fn caused_by(&mut self, cause: Option<u64>) {
        self.cause = cause;
    }

    fn skip(&mut self, message: MessageId) {
        let mut streams = self.streams.iter();
        let own = streams.position(|(stream, _)| *stream == message.stream);
        let Some(skipped) = own.and_then(|at| self.skipped.get_mut(at)) else {
            return;
        };
        *skipped += 1;
        let since_boot = *skipped;
        self.facts.push_ahead(Fact::Skipped {
            message,
            since_boot,
        });
    }
}

impl MessageObserver for MessageNames {
    fn released(&mut self, stream: usize) -> MessageHandle {
        let Some((stream, next)) = self.streams.get(stream) else {
            return MessageHandle::NONE;
        };
        // The ECU of these streams is driven by one thread at a time.
        let number = next.load(Relaxed);
        next.store(number.saturating_add(1), Relaxed);
        let message = MessageId {
            stream: *stream,
            number,
            boot: self.boot,
        };
        self.facts.push_ahead(Fact::Released { message });
        message.handle()
    }

    fn sampled(&mut self, message: MessageHandle) {
        if let (Some(message), cause @ Some(_)) = (MessageIdentity::of(message).message, self.cause)
        {
            self.facts.push_ahead(Fact::Sampled { message, cause });
        }
    }

    fn kept_back(&mut self, message: MessageHandle, why: KeptBack) {
        let Some(message) = MessageIdentity::of(message).message else {
            return;
        };
        match why {
            KeptBack::Skipped => self.skip(message),
            KeptBack::Withheld(_) => self.facts.push_ahead(Fact::Withheld { message }),
        }
    }

    fn dropped(&mut self, to: Port, frame: &Frame) {
        let (port, message) = (Some(to), frame.message());
        self.facts.push(Fact::Dropped { port, message });
    }
}
