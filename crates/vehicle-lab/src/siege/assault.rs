//! The attacks of the matrix.

use super::{END_MS, FROM_MS};

/// An attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assault {
    /// Messages made up.
    Spoof,
    /// Everything on the bus again, a little later.
    Replay,
    /// Messages kept from the receiver, then sent to it newest first.
    Reorder,
    /// Messages kept from the receiver, then the newest sent to it again and again.
    CounterJump,
    /// Times far ahead, announced in every way there is.
    EpochJump,
    /// Messages of an identifier above 0xFF refused, and complaints about them.
    Complaint,
    /// Data between the data of a message and its tag.
    InjectedData,
    /// Tags without data, also before a gateway.
    BareTag,
    /// Tags that show another counter than their data.
    OtherCounter,
    /// The frames with tags destroyed until their sender is off the bus.
    BusOff,
    /// As many forgeries as fit.
    Flood,
    /// The messages of another group, whose key is another.
    ForeignKey,
    /// A reset of the receiver, and what was there before it again.
    Rollback,
}

impl Assault {
    /// All.
    pub const ALL: [Assault; 13] = [
        Assault::Spoof,
        Assault::Replay,
        Assault::Reorder,
        Assault::CounterJump,
        Assault::EpochJump,
        Assault::Complaint,
        Assault::InjectedData,
        Assault::BareTag,
        Assault::OtherCounter,
        Assault::BusOff,
        Assault::Flood,
        Assault::ForeignKey,
        Assault::Rollback,
    ];

    /// Returns one word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Assault::Spoof => "spoof",
            Assault::Replay => "replay",
            Assault::Reorder => "reorder",
            Assault::CounterJump => "counter-jump",
            Assault::EpochJump => "epoch-jump",
            Assault::Complaint => "auth-fail",
            Assault::InjectedData => "injected-data",
            Assault::BareTag => "bare-tag",
            Assault::OtherCounter => "other-counter",
            Assault::BusOff => "bus-off",
            Assault::Flood => "flood",
            Assault::ForeignKey => "foreign-key",
            Assault::Rollback => "rollback",
        }
    }

    /// When it is over, in milliseconds of the run: those that keep messages from the receiver and
    /// then play them are over when they have played three, or five.
    pub(super) const fn end_ms(self) -> u64 {
        match self {
            Assault::Reorder | Assault::OtherCounter => FROM_MS + 30,
            Assault::CounterJump => FROM_MS + 50,
            _ => END_MS,
        }
    }

    /// Returns what people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Assault::Spoof => "spoof",
            Assault::Replay => "replay",
            Assault::Reorder => "reorder",
            Assault::CounterJump => "counter jump",
            Assault::EpochJump => "epoch jump",
            Assault::Complaint => "AUTH_FAIL, id above 0xFF",
            Assault::InjectedData => "data before the tag",
            Assault::BareTag => "bare tag",
            Assault::OtherCounter => "tag of another counter",
            Assault::BusOff => "bus-off on tags",
            Assault::Flood => "flood of forgeries",
            Assault::ForeignKey => "key of another group",
            Assault::Rollback => "rollback at reset",
        }
    }
}
