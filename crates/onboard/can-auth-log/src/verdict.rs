//! Results of a check by frame.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_auth::event::FrameOutcome;

/// The verification result of one record of a log. Serialized it is its [code](Self::code).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameVerdict {
    /// From its stream's sender, unchanged, newer than all messages before; or an announcement or
    /// tag of such a message.
    Authentic,
    /// The authenticator is not that of the frame, or the frame has a form that its stream never
    /// has.
    WrongTag,
    /// The counter was there before.
    Replay,
    /// The tag of this message never came.
    Missing,
    /// A tag to which there is no message.
    TagWithoutData,
    /// The state of the stream does not fit: no announcement was heard, or too much was lost.
    OutOfStep,
    /// A question about a stream's state, or an answer: no receiver of the check asked.
    Unchecked,
    /// A frame of no stream, or a record without a frame.
    UnknownId,
}

impl FrameVerdict {
    /// Returns the verdict for a receiver's event.
    pub(crate) fn of(event: &FrameOutcome) -> Self {
        match event {
            FrameOutcome::Authentic { .. } | FrameOutcome::Resynced(_) => FrameVerdict::Authentic,
            FrameOutcome::Replay(_) => FrameVerdict::Replay,
            FrameOutcome::Missing(_) => FrameVerdict::Missing,
            FrameOutcome::TagWithoutData(_) => FrameVerdict::TagWithoutData,
            FrameOutcome::OutOfStep(_) => FrameVerdict::OutOfStep,
            FrameOutcome::UnknownId(_) => FrameVerdict::UnknownId,
            _ => FrameVerdict::WrongTag,
        }
    }

    /// Returns the name that AUTOSAR's `SecOC_VerificationResultType` has for it
    /// \[AUTOSAR-SECOC §8.2\]; docs/auth.md has both side by side.
    #[must_use]
    pub const fn verification_result(self) -> &'static str {
        match self {
            FrameVerdict::Authentic => "SECOC_VERIFICATIONSUCCESS",
            FrameVerdict::WrongTag => "SECOC_VERIFICATIONFAILURE",
            FrameVerdict::Replay | FrameVerdict::OutOfStep => "SECOC_FRESHNESSFAILURE",
            FrameVerdict::Missing | FrameVerdict::TagWithoutData => {
                "SECOC_AUTHENTICATIONBUILDFAILURE"
            }
            FrameVerdict::Unchecked | FrameVerdict::UnknownId => "SECOC_NO_VERIFICATION",
        }
    }

    /// Returns its code, such as `wrong-tag`; docs/auth.md lists them.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            FrameVerdict::Authentic => "authentic",
            FrameVerdict::WrongTag => "wrong-tag",
            FrameVerdict::Replay => "replay",
            FrameVerdict::Missing => "missing",
            FrameVerdict::TagWithoutData => "tag-without-data",
            FrameVerdict::OutOfStep => "out-of-step",
            FrameVerdict::Unchecked => "unchecked",
            FrameVerdict::UnknownId => "unknown-id",
        }
    }
}
