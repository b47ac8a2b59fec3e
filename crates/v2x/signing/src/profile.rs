//! Sending profiles of applications \[1609.2 Annex C\], \[TS 103 097 §7.1\].

use waywarden_v2x_keys::NonceForm;
use waywarden_v2x_wire::etsi103097::{MessageProfile, its_aid};
use waywarden_v2x_wire::ieee1609dot2::Psid;

const SECOND: u64 = 1_000_000;

/// The application of basic safety messages.
const BSM: Psid = Psid(32);

/// The rule by which a message carries the signer's certificate, and not only its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateRule {
    /// In each message.
    Always,
    /// At this interval in microseconds since the last one that did, or when a receiver needs it.
    Every(u64),
}

/// Exchange of certificates in an application's messages \[1609.2 §8\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateExchange {
    /// The messages neither request certificates nor give them.
    None,
    /// In their headers: `inlineP2pcdRequest` and `requestedCertificate`.
    Inline,
    /// They ask by `p2pcdLearningRequest`; the answer is a message of its own.
    Separate,
}

/// Sending profile of an application's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendingProfile {
    /// True if messages have a generation location.
    pub with_location: bool,
    /// Lifetime of messages in microseconds; `None` for messages without an expiry time.
    pub lifetime: Option<u64>,
    /// Rule for the signer's certificate.
    pub certificate: CertificateRule,
    /// The form of R in signatures.
    pub form: NonceForm,
    /// Form of the certificate exchange.
    pub exchange: CertificateExchange,
}

impl SendingProfile {
    /// Cooperative awareness messages \[TS 103 097 §7.1.1\]: the certificate once a second.
    pub const COOPERATIVE_AWARENESS: Self = Self {
        with_location: false,
        lifetime: None,
        certificate: CertificateRule::Every(SECOND),
        form: NonceForm::Point,
        exchange: CertificateExchange::Inline,
    };

    /// Decentralized environmental notification messages \[TS 103 097 §7.1.2\]: place and
    /// certificate in each.
    pub const ENVIRONMENTAL_NOTIFICATION: Self = Self {
        with_location: true,
        certificate: CertificateRule::Always,
        exchange: CertificateExchange::None,
        ..Self::COOPERATIVE_AWARENESS
    };

    /// Other messages of Europe \[TS 103 097 §7.1.3\].
    pub const EUROPEAN: Self = Self {
        with_location: true,
        ..Self::COOPERATIVE_AWARENESS
    };

    /// Basic safety messages: the certificate twice a second, as American stations send it.
    pub const BASIC_SAFETY_MESSAGE: Self = Self {
        certificate: CertificateRule::Every(495_000),
        exchange: CertificateExchange::Separate,
        ..Self::COOPERATIVE_AWARENESS
    };

    /// Messages of applications that are not known: time and certificate in each.
    pub const DEFAULT: Self = Self {
        certificate: CertificateRule::Always,
        exchange: CertificateExchange::None,
        ..Self::COOPERATIVE_AWARENESS
    };

    /// Returns an application's profile: that of CAM (36), DENM (37), BSM (32), or of the other
    /// applications that ETSI has numbered; else the default.
    #[must_use]
    pub fn of(psid: Psid) -> Self {
        match MessageProfile::of(psid) {
            MessageProfile::Cam => Self::COOPERATIVE_AWARENESS,
            MessageProfile::Denm => Self::ENVIRONMENTAL_NOTIFICATION,
            MessageProfile::Management => Self {
                certificate: CertificateRule::Always,
                exchange: CertificateExchange::None,
                ..Self::COOPERATIVE_AWARENESS
            },
            MessageProfile::Other if psid == BSM => Self::BASIC_SAFETY_MESSAGE,
            MessageProfile::Other if its_aid::EUROPEAN.contains(&psid) => Self::EUROPEAN,
            _ => Self::DEFAULT,
        }
    }
}
