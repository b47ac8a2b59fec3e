//! Observations by the names of SAE J3287.

use core::fmt;

use crate::layout::TargetId;

/// Target of observations about the security of a message.
const SECURITY: TargetId = TargetId(2);
/// Target of observations about the longitudinal acceleration.
const LONGITUDINAL_ACCELERATION: TargetId = TargetId(5);

/// A kind of misbehaviour in basic safety messages that a report can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObservationKind {
    /// The identifier of the message is not that of a basic safety message.
    MessageIdIncWithHeaderInfo,
    /// The header is not as the security profile of SAE J2945/1 wants it.
    HeaderIncWithSecurityProfile,
    /// The certificate does not permit the application of the header.
    HeaderPsidIncWithCertificate,
    /// The certificate's service specific permissions do not permit the contents.
    MessageIncWithSsp,
    /// The generation time is outside the certificate's validity.
    HeaderTimeOutsideCertificateValidity,
    /// The position of the vehicle is outside the certificate's region.
    MessageLocationOutsideCertificateValidity,
    /// The generation location of the header is outside the certificate's region.
    HeaderLocationOutsideCertificateValidity,
    /// The longitudinal acceleration is larger than its range.
    LongitudinalAccelerationTooLarge,
}

impl ObservationKind {
    /// Every kind, in the order of their identifiers.
    pub const ALL: [Self; 8] = [
        Self::MessageIdIncWithHeaderInfo,
        Self::HeaderIncWithSecurityProfile,
        Self::HeaderPsidIncWithCertificate,
        Self::MessageIncWithSsp,
        Self::HeaderTimeOutsideCertificateValidity,
        Self::MessageLocationOutsideCertificateValidity,
        Self::HeaderLocationOutsideCertificateValidity,
        Self::LongitudinalAccelerationTooLarge,
    ];

    /// Returns its target and its number in a report.
    #[must_use]
    pub const fn identifiers(self) -> (TargetId, u8) {
        match self {
            Self::MessageIdIncWithHeaderInfo => (SECURITY, 1),
            Self::HeaderIncWithSecurityProfile => (SECURITY, 2),
            Self::HeaderPsidIncWithCertificate => (SECURITY, 3),
            Self::MessageIncWithSsp => (SECURITY, 4),
            Self::HeaderTimeOutsideCertificateValidity => (SECURITY, 5),
            Self::MessageLocationOutsideCertificateValidity => (SECURITY, 6),
            Self::HeaderLocationOutsideCertificateValidity => (SECURITY, 7),
            Self::LongitudinalAccelerationTooLarge => (LONGITUDINAL_ACCELERATION, 4),
        }
    }

    /// Finds a kind by its identifiers; `None` for one whose meaning is not public.
    #[must_use]
    pub fn of(target: TargetId, observation: u8) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|kind| kind.identifiers() == (target, observation))
    }

    /// Finds a kind by its label.
    #[must_use]
    pub fn of_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.label() == label)
    }

    /// Returns the name of the observation in SAE J3287, with that of its target.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MessageIdIncWithHeaderInfo => "Security-MessageIdIncWithHeaderInfo",
            Self::HeaderIncWithSecurityProfile => "Security-HeaderIncWithSecurityProfile",
            Self::HeaderPsidIncWithCertificate => "Security-HeaderPsidIncWithCertificate",
            Self::MessageIncWithSsp => "Security-MessageIncWithSsp",
            Self::HeaderTimeOutsideCertificateValidity => {
                "Security-HeaderTimeOutsideCertificateValidity"
            }
            Self::MessageLocationOutsideCertificateValidity => {
                "Security-MessageLocationOutsideCertificateValidity"
            }
            Self::HeaderLocationOutsideCertificateValidity => {
                "Security-HeaderLocationOutsideCertificateValidity"
            }
            Self::LongitudinalAccelerationTooLarge => "LongAcc-ValueTooLarge",
        }
    }
}

impl fmt::Display for ObservationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
