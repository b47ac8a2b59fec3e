//! Results of verification, by the standard's names.

use core::fmt;

use waywarden_ecverify as ecverify;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::etsi103097::Deviation;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, IValue};

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $name:literal;)*) => {
        /// A result of verifying signed data \[1609.2 §9\], by the standard's names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ResultCode {
            $($(#[$meta])* $code,)*
        }

        impl ResultCode {
            /// Every result.
            pub const ALL: &'static [Self] = &[$(Self::$code,)*];

            /// Returns its name in the standard.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }
    };
}

codes! {
    /// The message is accepted.
    Success = "success";
    /// The caller's parameters do not fit the message.
    InconsistentInputParameters = "inconsistentInputParameters";
    /// The bytes are not a valid message.
    ParsingInvalidInput = "spduParsingInvalidInput";
    /// The message has a critical field that is not supported.
    ParsingUnsupportedCriticalInformationField
        = "spduParsingUnsupportedCriticalInformationField";
    /// The signer's certificate is not known.
    ParsingCertificateNotFound = "spduParsingCertificateNotFound";
    /// The message has no generation time, and the application demands one.
    ParsingGenerationTimeNotAvailable = "spduParsingGenerationTimeNotAvailable";
    /// The message has no generation location, and the application demands one.
    ParsingGenerationLocationNotAvailable = "spduParsingGenerationLocationNotAvailable";
    /// A certificate between the signer's and a trusted one is not known.
    ChainNotEnoughInformationToConstructChain
        = "spduCertificateChainNotEnoughInformationToConstructChain";
    /// The chain ends at a certificate that is no trust anchor.
    ChainEndedAtUntrustedRoot = "spduCertificateChainChainEndedAtUntrustedRoot";
    /// The chain is longer than the implementation's limit.
    ChainWasTooLongForImplementation = "spduCertificateChainChainWasTooLongForImplementation";
    /// A certificate is revoked.
    ChainCertificateRevoked = "spduCertificateChainCertificateRevoked";
    /// The revocation status of a certificate is unknown: a list is overdue, or not expanded.
    ChainOverdueCrl = "spduCertificateChainOverdueCRL";
    /// A certificate is valid for longer than its issuer's.
    ChainInconsistentExpiryTimes = "spduCertificateChainInconsistentExpiryTimes";
    /// A certificate is valid earlier than its issuer's.
    ChainInconsistentStartTimes = "spduCertificateChainInconsistentStartTimes";
    /// A certificate permits what its issuer may not give.
    ChainInconsistentChainPermissions = "spduCertificateChainInconsistentChainPermissions";
    /// A signature is wrong.
    CryptoVerificationFailure = "spduCryptoVerificationFailure";
    /// The certificate was not valid yet when the message was made.
    ConsistencyFutureCertificateAtGenerationTime
        = "spduConsistencyFutureCertificateAtGenerationTime";
    /// The certificate was not valid any more when the message was made.
    ConsistencyExpiredCertificateAtGenerationTime
        = "spduConsistencyExpiredCertificateAtGenerationTime";
    /// The message expires before its certificate is valid.
    ConsistencyExpiryDateTooEarly = "spduConsistencyExpiryDateTooEarly";
    /// The message expires after its certificate.
    ConsistencyExpiryDateTooLate = "spduConsistencyExpiryDateTooLate";
    /// The certificate is not valid where the message was made.
    ConsistencyGenerationLocationOutsideValidityRegion
        = "spduConsistencyGenerationLocationOutsideValidityRegion";
    /// The certificate is valid in a region, and the message does not say where it was made.
    ConsistencyNoGenerationLocation = "spduConsistencyNoGenerationLocation";
    /// The certificate does not permit this application.
    ConsistencyUnauthorizedPsid = "spduConsistencyUnauthorizedPSID";
    /// The message expires before it was made.
    InternalConsistencyExpiryTimeBeforeGenerationTime
        = "spduInternalConsistencyExpiryTimeBeforeGenerationTime";
    /// The data that the caller has is not the data that was signed.
    InternalConsistencyExtDataHashDoesntMatch
        = "spduInternalConsistencyextDataHashDoesntMatch";
    /// The message has the hash of data, and the caller has no data.
    InternalConsistencyNoExtDataHashProvided
        = "spduInternalConsistencynoExtDataHashProvided";
    /// The caller has data, and the message has no hash.
    InternalConsistencyNoExtDataHashPresent = "spduInternalConsistencynoExtDataHashPresent";
    /// The message is of another application than the caller's.
    LocalConsistencyPsidsDontMatch = "spduLocalConsistencyPSIDsDontMatch";
    /// The chain is longer than the application permits.
    LocalConsistencyChainWasTooLongForSdee = "spduLocalConsistencyChainWasTooLongForSDEE";
    /// The message is too old.
    RelevanceGenerationTimeTooFarInPast = "spduRelevanceGenerationTimeTooFarInPast";
    /// The message comes from the future.
    RelevanceGenerationTimeTooFarInFuture = "spduRelevanceGenerationTimeTooFarInFuture";
    /// The message has expired.
    RelevanceExpiryTimeInPast = "spduRelevanceExpiryTimeInPast";
    /// The message was made too far from the receiver.
    RelevanceGenerationLocationTooDistant = "spduRelevanceGenerationLocationTooDistant";
    /// The message is a replay.
    RelevanceReplayedSpdu = "spduRelevanceReplayedSpdu";
    /// The signer's certificate has expired.
    CertificateExpired = "spduCertificateExpired";
    /// No code of the standard applies.
    Unknown = "unknown";
}

/// A refusal of a message: the failed check, its certificate and its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The standard's name for the failed check.
    pub code: ResultCode,
    /// The certificate with the fault; `None` for the message itself.
    pub certificate: Option<HashedId8>,
    /// The field with the fault, by the standard's name; may be empty.
    pub field: &'static str,
    /// The cause of the refusal.
    pub reason: Reason,
}

/// The cause of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Human-readable description.
    Words(&'static str),
    /// An error of parsing.
    Wire(WireError),
    /// A wrong signature or key.
    Signature(ecverify::SignatureRefusal),
    /// A missing certificate, by its HashedId8.
    Missing(HashedId8),
    /// The issuer is an implicit certificate that the message brings and that is not known
    /// otherwise: refused unless [`Limits::unknown_implicit_issuers`](crate::Limits) is set.
    UnknownImplicitIssuer(HashedId8),
    /// The message deviates from its profile of ETSI TS 103 097.
    Profile(Deviation),
    /// Lists by linkage values are not expanded for the certificate's period: whether it is revoked
    /// is not known.
    NotExpanded(IValue),
}

impl Reason {
    /// Returns the certificate without which the chain ends; it may become known.
    #[must_use]
    pub fn missing(&self) -> Option<HashedId8> {
        match self {
            Self::Missing(id) | Self::UnknownImplicitIssuer(id) => Some(*id),
            _ => None,
        }
    }
}

impl Refusal {
    /// Creates a refusal of the message.
    pub(crate) fn message(code: ResultCode, field: &'static str, why: &'static str) -> Self {
        Self {
            code,
            certificate: None,
            field,
            reason: Reason::Words(why),
        }
    }

    /// Creates a refusal of a certificate.
    pub(crate) fn certificate(
        code: ResultCode,
        certificate: HashedId8,
        field: &'static str,
        why: &'static str,
    ) -> Self {
        Self {
            certificate: Some(certificate),
            ..Self::message(code, field, why)
        }
    }
}

impl From<WireError> for Refusal {
    fn from(error: WireError) -> Self {
        use waywarden_v2x_wire::ParseFault::UnknownCritical;
        let code = match error.fault {
            UnknownCritical(_) => ResultCode::ParsingUnsupportedCriticalInformationField,
            _ => ResultCode::ParsingInvalidInput,
        };
        Self {
            code,
            certificate: None,
            field: error.field,
            reason: Reason::Wire(error),
        }
    }
}

/// Hexadecimal digits, as certificates are called.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Display for ResultCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(why) => formatter.write_str(why),
            Self::Wire(error) => error.fmt(formatter),
            Self::Signature(refusal) => refusal.fmt(formatter),
            Self::Missing(id) => write!(formatter, "certificate {} is not known", Hex(&id.0)),
            Self::UnknownImplicitIssuer(id) => write!(
                formatter,
                "certificate {} is in the message alone, and implicit, with no signature of its \
                 own: refused by default; make it known beforehand, or allow it \
                 (--unknown-implicit-issuers, Limits::unknown_implicit_issuers)",
                Hex(&id.0)
            ),
            Self::Profile(deviation) => write!(formatter, "{deviation} (ETSI TS 103 097)"),
            Self::NotExpanded(period) => write!(
                formatter,
                "revocation lists are not expanded for period {}",
                period.0
            ),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.code)?;
        if let Some(id) = &self.certificate {
            write!(formatter, "certificate {}: ", Hex(&id.0))?;
        }
        // These reasons say where.
        if !self.field.is_empty() && !matches!(self.reason, Reason::Wire(_) | Reason::Profile(_)) {
            write!(formatter, "{}: ", self.field)?;
        }
        self.reason.fmt(formatter)
    }
}

impl core::error::Error for Refusal {}
