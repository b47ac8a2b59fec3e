//! Requirements of `[require]` on a run.

use waywarden_work::Duration;

use super::super::place::Located;
use super::{BusIndex, EcuIndex, StreamIndex};

/// Requirements on a run; defaults are spread over what they stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Require {
    /// Longest time from power-on until the vehicle is up.
    pub startup: Option<Located<Duration>>,
    /// Longest time from power-on until all ECUs of each group have its first key.
    pub group_key_within: Option<Located<Duration>>,
    /// Longest time from power-on until all ECUs of each security module are authenticated and
    /// have the keys of the streams whose windows have begun by then.
    pub authorized_within: Option<Located<Duration>>,
    /// Longest time from power-on, and from each later boot of its sender or a receiver, until the
    /// receivers that check a stream have accepted a first authentic message.
    pub authentic_within: Option<AuthenticWithin>,
    /// Highest load of buses, 0 to 1.
    pub bus_load: Vec<(BusIndex, Located<f64>)>,
    /// Highest load of ECUs' processors, 0 to 1.
    pub cpu_load: Vec<(EcuIndex, Located<f64>)>,
    /// Longest time from release to reception of streams, at any of their receivers.
    pub latency: Vec<(StreamIndex, Located<Duration>)>,
    /// Number of streams that `latency`'s default leaves out, as they have no receivers.
    pub latency_without_receivers: usize,
    /// Messages that need not arrive for a bound on latency to be met.
    pub loss: AllowedLoss,
    /// ECUs that must not take a message that its sender did not send.
    pub undeceived: Vec<Located<EcuIndex>>,
}

/// Messages of a stream that need not arrive at a receiver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AllowedLoss {
    /// Permitted losses by stream.
    pub streams: Vec<(StreamIndex, Located<LossAmount>)>,
    /// True if none need arrive before the first one that does.
    pub at_startup: bool,
    /// True if those need not arrive that a declared fault or absence of an ECU keeps away.
    pub by_faults: bool,
}

/// Number of messages of a stream that need not arrive at a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossAmount {
    /// Number of messages in a run.
    Count(u64),
    /// Share of the messages that are due, 0 to 1.
    Share(f64),
}

impl AllowedLoss {
    /// Returns how many of so many messages of a stream need not arrive at a receiver.
    #[must_use]
    pub fn of(&self, stream: StreamIndex, due: u64) -> u64 {
        let own = self.streams.iter().find(|(one, _)| *one == stream);
        match own.map(|(_, amount)| amount.value) {
            None => 0,
            Some(LossAmount::Count(count)) => count,
            Some(LossAmount::Share(share)) => (due as f64 * share).floor() as u64,
        }
    }
}

/// Longest time until the first authentic message, from 1 ns on.
#[derive(Clone, Debug, PartialEq)]
pub enum AuthenticWithin {
    /// The bound of every authenticated stream.
    All(Located<Duration>),
    /// Bounds by stream.
    Streams {
        /// Bounds of named streams, in the file's order.
        named: Vec<(StreamIndex, Located<Duration>)>,
        /// The bound of every other authenticated stream.
        default: Option<Located<Duration>>,
    },
}

impl AuthenticWithin {
    /// Returns every bound, in the file's order, that of all other streams last.
    pub fn bounds(&self) -> impl Iterator<Item = Duration> {
        let (named, default) = match self {
            AuthenticWithin::All(bound) => (&[][..], Some(bound)),
            AuthenticWithin::Streams { named, default } => (&named[..], default.as_ref()),
        };
        let named = named.iter().map(|(_, bound)| bound);
        named.chain(default).map(|bound| bound.value)
    }

    /// Returns the bound on the first message of an authenticated stream, if it has one.
    #[must_use]
    pub fn bound(&self, stream: StreamIndex) -> Option<&Located<Duration>> {
        match self {
            AuthenticWithin::All(bound) => Some(bound),
            AuthenticWithin::Streams { named, default } => {
                let own = named.iter().find(|(one, _)| *one == stream);
                own.map(|(_, bound)| bound).or(default.as_ref())
            }
        }
    }
}
