//! The attacks of the matrix.

use super::{END_MS, FROM_MS};

/// An attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatrixAttack {
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

impl MatrixAttack {
    /// All.
    pub const ALL: [MatrixAttack; 13] = [
        MatrixAttack::Spoof,
        MatrixAttack::Replay,
        MatrixAttack::Reorder,
        MatrixAttack::CounterJump,
        MatrixAttack::EpochJump,
        MatrixAttack::Complaint,
        MatrixAttack::InjectedData,
        MatrixAttack::BareTag,
        MatrixAttack::OtherCounter,
        MatrixAttack::BusOff,
        MatrixAttack::Flood,
        MatrixAttack::ForeignKey,
        MatrixAttack::Rollback,
    ];

    /// Returns one word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            MatrixAttack::Spoof => "spoof",
            MatrixAttack::Replay => "replay",
            MatrixAttack::Reorder => "reorder",
            MatrixAttack::CounterJump => "counter-jump",
            MatrixAttack::EpochJump => "epoch-jump",
            MatrixAttack::Complaint => "auth-fail",
            MatrixAttack::InjectedData => "injected-data",
            MatrixAttack::BareTag => "bare-tag",
            MatrixAttack::OtherCounter => "other-counter",
            MatrixAttack::BusOff => "bus-off",
            MatrixAttack::Flood => "flood",
            MatrixAttack::ForeignKey => "foreign-key",
            MatrixAttack::Rollback => "rollback",
        }
    }

    /// Returns the end of the attack, in milliseconds of the run. Attacks that keep messages from
    /// the receiver and then play them end once they have played three, or five.
    pub(super) const fn end_ms(self) -> u64 {
        match self {
            MatrixAttack::Reorder | MatrixAttack::OtherCounter => FROM_MS + 30,
            MatrixAttack::CounterJump => FROM_MS + 50,
            _ => END_MS,
        }
    }

    /// Returns what people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            MatrixAttack::Spoof => "spoof",
            MatrixAttack::Replay => "replay",
            MatrixAttack::Reorder => "reorder",
            MatrixAttack::CounterJump => "counter jump",
            MatrixAttack::EpochJump => "epoch jump",
            MatrixAttack::Complaint => "AUTH_FAIL, id above 0xFF",
            MatrixAttack::InjectedData => "data before the tag",
            MatrixAttack::BareTag => "bare tag",
            MatrixAttack::OtherCounter => "tag of another counter",
            MatrixAttack::BusOff => "bus-off on tags",
            MatrixAttack::Flood => "flood of forgeries",
            MatrixAttack::ForeignKey => "key of another group",
            MatrixAttack::Rollback => "rollback at reset",
        }
    }
}
