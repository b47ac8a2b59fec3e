//! Reasons why a report counts nothing.

use core::fmt;

use waywarden_v2x_misbehaviour_report::{EvidenceFault, ObservationKind, ReportRefusal};

use crate::cases::NotCounted;

/// Reason why a report counts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportFault {
    /// The report cannot be opened, or its signature is none.
    Report(ReportRefusal),
    /// The report is about messages of another application than BSM.
    OtherApplication,
    /// The certificate of the reporter belongs to no vehicle of this PKI.
    UnknownReporter,
    /// The evidence is none.
    Evidence(EvidenceFault),
    /// The certificate of the accused belongs to no vehicle of this PKI.
    UnknownAccused,
    /// The embedded message contradicts the observation.
    Contradicted(ObservationKind),
    /// The cases do not count it.
    NotCounted(NotCounted),
}

impl From<ReportRefusal> for ReportFault {
    fn from(refusal: ReportRefusal) -> Self {
        Self::Report(refusal)
    }
}

impl From<EvidenceFault> for ReportFault {
    fn from(fault: EvidenceFault) -> Self {
        Self::Evidence(fault)
    }
}

impl From<NotCounted> for ReportFault {
    fn from(reason: NotCounted) -> Self {
        Self::NotCounted(reason)
    }
}

impl fmt::Display for ReportFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Report(refusal) => refusal.fmt(f),
            Self::OtherApplication => {
                f.write_str("aid: only reports about basic safety messages (32) are counted")
            }
            Self::UnknownReporter => {
                f.write_str("the reporter's certificate belongs to no vehicle of this PKI")
            }
            Self::Evidence(fault) => fault.fmt(f),
            Self::UnknownAccused => {
                f.write_str("the certificate of the accused belongs to no vehicle of this PKI")
            }
            Self::Contradicted(kind) => write!(f, "the embedded message does not show {kind}"),
            Self::NotCounted(reason) => reason.fmt(f),
        }
    }
}

impl core::error::Error for ReportFault {}
