//! Security services of a station: signing and verification.

use std::fmt;
use std::time::Duration;

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::{IncomingMessage, ResultCode};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_station::StationMessage;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

/// A certificate and the store that has its private key.
pub struct StationIdentity {
    /// The certificate and the handle of its key.
    pub credential: Credential,
    /// The store that has the key.
    pub store: Box<dyn KeyStore + Send>,
}

impl fmt::Debug for StationIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("credential", &self.credential)
            .finish_non_exhaustive()
    }
}

/// Human-readable reason for the lack of a certificate to sign with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCertificate(pub String);

impl fmt::Display for NoCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoCertificate {}

/// Source of a station's certificates, one after the other.
pub trait IdentitySource: Send {
    /// Returns a certificate that is valid at this time and is not the one before.
    ///
    /// # Errors
    /// [`NoCertificate`].
    fn next(&mut self, now: Time64) -> Result<StationIdentity, NoCertificate>;
}

/// Human-readable reason for not signing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSigned(pub String);

impl fmt::Display for NotSigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotSigned {}

/// Result of a message's verification.
#[derive(Clone, Debug, PartialEq)]
pub enum ReceptionVerdict {
    /// It is accepted.
    Accepted {
        /// HashedId8 of the signer's certificate.
        signer: HashedId8,
        /// Application of the message.
        psid: Psid,
        /// The signed payload.
        payload: Vec<u8>,
        /// Name of the result of the payload check, `passed` or `not-checked`; `None` if the
        /// payload was not compared with the certificate here.
        payload_check: Option<&'static str>,
    },
    /// It is refused.
    Refused {
        /// Result code of IEEE 1609.2.
        code: ResultCode,
        /// Human-readable reason.
        reason: String,
    },
    /// Its signatures are valid, and its payload contradicts the certificate of its signer.
    PayloadRefused {
        /// The contradiction, in words.
        reason: String,
    },
    /// It was not verified: the security service did not answer. Why, in words.
    Unanswered(String),
}

impl ReceptionVerdict {
    /// Returns the name of the result: that of IEEE 1609.2, `payload-check-failed` or
    /// `unanswered`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Accepted { .. } => ResultCode::Success.name(),
            Self::Refused { code, .. } => code.name(),
            Self::PayloadRefused { .. } => "payload-check-failed",
            Self::Unanswered(_) => "unanswered",
        }
    }

    /// Returns the reason in words; empty for an accepted message.
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Accepted { .. } => "",
            Self::Refused { reason, .. }
            | Self::PayloadRefused { reason }
            | Self::Unanswered(reason) => reason,
        }
    }

    /// Returns whether the message is accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted { .. })
    }
}

/// Durations of operations, by this machine's monotonic clock. No behaviour depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timings {
    /// Of each message that was signed, the newest [`Timings::MAX`].
    pub sign: Vec<Duration>,
    /// Of each new certificate: a key pair, the issue, and the reconstruction (CrtGen of
    /// \[ECQV-CITS §IV\]).
    pub certificate: Vec<Duration>,
    /// Of each batch that was verified, with how many messages it had.
    pub verify: Vec<(Duration, usize)>,
}

impl Timings {
    /// Limit on kept durations of each kind.
    pub const MAX: usize = 100_000;

    /// Adds a measurement, while there is room.
    pub fn push<T>(list: &mut Vec<T>, measured: T) {
        if list.len() < Self::MAX {
            list.push(measured);
        }
    }
}

/// Signs and verifies for one station.
pub trait SecurityServices: Send {
    /// Signs a message, made now.
    ///
    /// # Errors
    /// [`NotSigned`].
    fn sign(&mut self, message: &StationMessage, now: Time64) -> Result<Vec<u8>, NotSigned>;

    /// Verifies messages that came together, and returns a verdict for each, in order.
    fn verify(&mut self, received: &[IncomingMessage<'_, '_>]) -> Vec<ReceptionVerdict>;

    /// Signs with another certificate from now on; returns what it is called by.
    ///
    /// # Errors
    /// [`NoCertificate`]: the certificate stays.
    fn change_certificate(&mut self, now: Time64) -> Result<HashedId8, NoCertificate>;

    /// Takes a reading of the station's clock, `elapsed` after its begin: by it a receiver knows
    /// which messages were made before its start. For those of another process nothing is to be
    /// done.
    fn observe_clock(&mut self, _elapsed: Duration, _now: Time64, _is_trusted: bool) {}

    /// Returns what the certificate is called by that signs now; `None`: not known here.
    fn certificate(&self) -> Option<HashedId8>;

    /// Returns when the certificate ends to be valid; `None`: not known here, or none of the
    /// station's business.
    fn valid_until(&self) -> Option<Time64> {
        None
    }

    /// Returns why the certificate does not permit a message of an application; `None` if it does,
    /// or where the certificate is not known. Human-readable.
    fn objection(&self, _psid: Psid, _message: &[u8]) -> Option<String> {
        None
    }

    /// Returns how long operations took.
    fn timings(&self) -> &Timings;
}
