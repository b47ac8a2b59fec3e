//! The outcomes of messages: each released instance ends, for each receiver, in exactly one.

/// The outcome of an instance of a stream at one of its receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryOutcome {
    /// A frame of it stands in a queue, on a bus or in a node.
    UnderWay,
    /// The receiver's software has it; one that checks found it authentic before.
    Delivered,
    /// The receiver's check did not let it pass.
    Refused(CheckRefusal),
    /// It does not come any more.
    Lost(Loss),
}

/// The reason of a check for not letting a message pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckRefusal {
    /// Its code is wrong.
    WrongTag,
    /// It is not newer than one that was taken before.
    Replay,
    /// Its code never came.
    Missing,
    /// Its code came, and its data had not.
    TagWithoutData,
    /// The receiver does not know where the stream stands.
    OutOfStep,
    /// As many frames as the receiver has room for waited to be checked.
    NoRoom,
    /// The receiver has no key, or its memory is damaged.
    NotReady,
    /// It is under a key that the receiver does not have.
    UnknownKey,
}

/// The loss of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loss {
    /// Place of the loss, or its cause.
    pub place: LossPlace,
    /// True if a fault or an absence caused it that the vehicle file declares.
    pub is_declared: bool,
}

/// A place where messages are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossPlace {
    /// A newer instance took its place before it left its sender's software.
    SenderQueue,
    /// Its sender could not protect it.
    Unprotected,
    /// The node that sent it took it back.
    Withdrawn,
    /// The controller that was to send it went bus-off.
    BusOff,
    /// An ECU that held it was reset.
    Reset,
    /// The receiver, or the gateway before it, saw an error where its sender saw none.
    Error,
    /// The receive queue of the receiver, or of a gateway before it, was full.
    Overrun,
    /// The storage of a gateway was full.
    GatewayDropped,
    /// A gateway that verifies did not find it authentic.
    GatewayRefused,
    /// An attacker dropped it.
    Suppressed,
    /// An attacker in a gateway changed it.
    Modified,
    /// An interferer changed it on the wire.
    Overwritten,
    /// The receiver, or the gateway before it, was not on the bus.
    Absent,
}

impl CheckRefusal {
    /// All reasons.
    pub const ALL: [CheckRefusal; 8] = [
        CheckRefusal::WrongTag,
        CheckRefusal::Replay,
        CheckRefusal::Missing,
        CheckRefusal::TagWithoutData,
        CheckRefusal::OutOfStep,
        CheckRefusal::NoRoom,
        CheckRefusal::NotReady,
        CheckRefusal::UnknownKey,
    ];

    /// Returns true if the check never looked at the message.
    #[must_use]
    pub const fn is_unchecked(self) -> bool {
        matches!(
            self,
            CheckRefusal::NoRoom | CheckRefusal::NotReady | CheckRefusal::UnknownKey
        )
    }

    /// Returns its code in reports.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            CheckRefusal::WrongTag => "wrong-tag",
            CheckRefusal::Replay => "replay",
            CheckRefusal::Missing => "missing",
            CheckRefusal::TagWithoutData => "tag-without-data",
            CheckRefusal::OutOfStep => "out-of-step",
            CheckRefusal::NoRoom => "no-room",
            CheckRefusal::NotReady => "not-ready",
            CheckRefusal::UnknownKey => "unknown-key",
        }
    }
}

impl LossPlace {
    /// All places.
    pub const ALL: [LossPlace; 13] = [
        LossPlace::SenderQueue,
        LossPlace::Unprotected,
        LossPlace::Withdrawn,
        LossPlace::BusOff,
        LossPlace::Reset,
        LossPlace::Error,
        LossPlace::Overrun,
        LossPlace::GatewayDropped,
        LossPlace::GatewayRefused,
        LossPlace::Suppressed,
        LossPlace::Modified,
        LossPlace::Overwritten,
        LossPlace::Absent,
    ];

    /// Returns its code in reports.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            LossPlace::SenderQueue => "sender-queue",
            LossPlace::Unprotected => "unprotected",
            LossPlace::Withdrawn => "withdrawn",
            LossPlace::BusOff => "bus-off",
            LossPlace::Reset => "reset",
            LossPlace::Error => "error",
            LossPlace::Overrun => "overrun",
            LossPlace::GatewayDropped => "gateway-dropped",
            LossPlace::GatewayRefused => "gateway-refused",
            LossPlace::Suppressed => "suppressed",
            LossPlace::Modified => "modified",
            LossPlace::Overwritten => "overwritten",
            LossPlace::Absent => "absent",
        }
    }

    /// Returns the loss here; `is_declared` if the vehicle file declares its cause.
    #[must_use]
    pub const fn loss(self, is_declared: bool) -> Loss {
        Loss {
            place: self,
            is_declared,
        }
    }
}

/// An outcome, or how far an instance is, in one byte: a run keeps one for each instance and
/// receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// No frame of it has come to the receiver.
    Waiting,
    /// A frame came, and an interferer had changed it.
    Altered,
    /// It is in the receiver's queue.
    Received,
    /// It is with the receiver's check.
    Checking,
    /// It has ended.
    Ended(DeliveryOutcome),
}

const ENDED: u8 = 4;
const REFUSED: u8 = 16;
const LOST: u8 = 32;
const DECLARED: u8 = 0x80;

impl Progress {
    pub(super) const fn pack(self) -> u8 {
        match self {
            Progress::Waiting | Progress::Ended(DeliveryOutcome::UnderWay) => 0,
            Progress::Altered => 1,
            Progress::Received => 2,
            Progress::Checking => 3,
            Progress::Ended(DeliveryOutcome::Delivered) => ENDED,
            Progress::Ended(DeliveryOutcome::Refused(why)) => REFUSED + why as u8,
            Progress::Ended(DeliveryOutcome::Lost(loss)) => {
                let declared = if loss.is_declared { DECLARED } else { 0 };
                (LOST + loss.place as u8) | declared
            }
        }
    }

    pub(super) fn unpack(byte: u8) -> Self {
        let (low, is_declared) = (byte & !DECLARED, byte & DECLARED != 0);
        match low {
            0 => Progress::Waiting,
            1 => Progress::Altered,
            2 => Progress::Received,
            3 => Progress::Checking,
            ENDED => Progress::Ended(DeliveryOutcome::Delivered),
            REFUSED..LOST => {
                let why = CheckRefusal::ALL[usize::from(low - REFUSED) % CheckRefusal::ALL.len()];
                Progress::Ended(DeliveryOutcome::Refused(why))
            }
            _ => {
                let place = LossPlace::ALL[usize::from(low - LOST) % LossPlace::ALL.len()];
                Progress::Ended(DeliveryOutcome::Lost(place.loss(is_declared)))
            }
        }
    }

    /// Returns the outcome, of what has not ended under way.
    pub(super) const fn outcome(self) -> DeliveryOutcome {
        match self {
            Progress::Ended(outcome) => outcome,
            _ => DeliveryOutcome::UnderWay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_what_it_was_made_of() {
        let refused = CheckRefusal::ALL.map(DeliveryOutcome::Refused);
        let lost = LossPlace::ALL.map(|place| DeliveryOutcome::Lost(place.loss(false)));
        let declared = LossPlace::ALL.map(|place| DeliveryOutcome::Lost(place.loss(true)));
        let ended = refused.into_iter().chain(lost).chain(declared);
        let ended = ended
            .chain([DeliveryOutcome::Delivered])
            .map(Progress::Ended);
        let on_its_way = [
            Progress::Waiting,
            Progress::Altered,
            Progress::Received,
            Progress::Checking,
        ];
        for progress in ended.chain(on_its_way) {
            assert_eq!(Progress::unpack(progress.pack()), progress);
        }
    }
}
