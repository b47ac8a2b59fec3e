//! Records of authorities: stations, their grants, and the requests that were answered.

use core::fmt;

use waywarden_ecverify::Point;
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Duration, HashedId8, Psid, Time64};

use super::ssp;
use crate::contents::PermissionRange;
use crate::region::Region;

/// Limits on the certificates of one kind that a station may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateGrant {
    /// Permissions that they may contain.
    pub permissions: Vec<(Psid, PermissionRange)>,
    /// Largest region of validity, also used if the station names no region; `None`: the issuer's.
    pub region: Option<Region>,
    /// Longest validity, also used if the station names no period.
    pub duration_max: Duration,
    /// Longest time from the request to the end of the validity: tickets are fetched in advance.
    pub ahead_max: Duration,
}

/// Certificates that a station may ask for.
#[derive(Clone, Debug, PartialEq)]
pub struct StationProfile {
    /// Its enrolment credentials.
    pub credential: CertificateGrant,
    /// Its authorization tickets.
    pub ticket: CertificateGrant,
    /// Maximum number of tickets that are valid at one time.
    pub tickets_at_once: u32,
}

impl StationProfile {
    /// A profile for tickets with these permissions: credentials of three years, tickets of one
    /// week, fetched up to three months ahead, at most 100 at one time.
    #[must_use]
    pub fn new(tickets: Vec<(Psid, PermissionRange)>) -> Self {
        let requests = PermissionRange::Bitmap {
            value: ssp::ENROLMENT_CREDENTIAL.to_vec(),
            mask: vec![0xFF, !(ssp::ENROLMENT_REQUEST | ssp::AUTHORIZATION_REQUEST)],
        };
        Self {
            credential: CertificateGrant {
                permissions: vec![(CERTIFICATE_REQUEST, requests)],
                region: None,
                duration_max: Duration::Years(3),
                ahead_max: Duration::Years(3),
            },
            ticket: CertificateGrant {
                permissions: tickets,
                region: None,
                duration_max: Duration::Hours(168),
                ahead_max: Duration::Hours(24 * 92),
            },
            tickets_at_once: 100,
        }
    }

    /// Limits where credentials and tickets are valid.
    #[must_use]
    pub fn within(mut self, region: Region) -> Self {
        self.credential.region = Some(region.clone());
        self.ticket.region = Some(region);
        self
    }
}

/// Right of a station to ask for certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StationStatus {
    /// It may ask.
    Active,
    /// It may not ask: it is revoked, or not active yet.
    Blocked,
}

/// A registered station.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisteredStation {
    /// Its canonical identifier.
    pub canonical_id: Vec<u8>,
    /// The public key of its canonical key pair.
    pub key: Point,
    /// Certificates that it may ask for.
    pub profile: StationProfile,
    /// Right to ask for certificates.
    pub status: StationStatus,
}

/// Reason why a storage does not answer, for the local log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageFailure(
    /// Description of the failure.
    pub String,
);

impl fmt::Display for StorageFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the storage failed: {}", self.0)
    }
}

impl core::error::Error for StorageFailure {}

/// Object that an answer grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granted<'r> {
    /// An enrolment credential.
    Credential {
        /// The station's canonical identifier.
        station: &'r [u8],
        /// The credential, encoded.
        certificate: &'r [u8],
    },
    /// The enrolment authority's consent to a ticket.
    Validation {
        /// The station's canonical identifier.
        station: &'r [u8],
        /// Start of the ticket's validity.
        start: Time64,
        /// End of the ticket's validity, exclusive.
        end: Time64,
    },
    /// A ticket. The authorization authority does not know whose it is.
    Ticket {
        /// The ticket, encoded.
        certificate: &'r [u8],
    },
}

/// An answer that grants something. Refusals are not recorded: a refused request may come again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerRecord<'r> {
    /// Hash that distinguishes the request from all others.
    pub hash: &'r [u8; 32],
    /// Generation time of the request: once its answer is forgotten, requests from then or before
    /// are refused. `None` for a request without one, of which the enrolment authority remembers
    /// the signature.
    pub generated: Option<Time64>,
    /// Time of reception.
    pub received: Time64,
    /// The response, as it leaves.
    pub response: &'r [u8],
    /// Object that the answer grants.
    pub granted: Granted<'r>,
}

/// Reason for not recording an answer, which is not sent then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The request was answered meanwhile.
    AlreadyAnswered,
    /// The request is from a time whose answers are forgotten, so that it may have been answered.
    Forgotten,
    /// There are too many answers to remember.
    Full,
    /// The storage failed.
    Storage(StorageFailure),
}

/// Remembers what was answered.
pub trait AnswerStore {
    /// Returns the response to the request with this hash, if it was answered.
    ///
    /// # Errors
    /// [`StorageFailure`].
    fn answer(&self, hash: &[u8; 32]) -> Result<Option<Vec<u8>>, StorageFailure>;

    /// Returns the latest generation time of all requests whose answers were forgotten; `None` if
    /// none was. A request from then or before may have been answered, and is refused for good. It
    /// never goes back, whatever the clock does, also over restarts.
    ///
    /// # Errors
    /// [`StorageFailure`].
    fn forgotten_until(&self) -> Result<Option<Time64>, StorageFailure>;

    /// Records an answer and what it grants: all of it, or nothing. It must survive a crash: the
    /// response leaves afterwards. Answers may be forgotten once
    /// [`EnrolmentLimits::past`](super::EnrolmentLimits) has gone by, together with a rise of
    /// [`forgotten_until`](Self::forgotten_until); what was granted may not.
    ///
    /// # Errors
    /// [`RecordError`]; nothing is changed then.
    fn record(&mut self, record: &AnswerRecord<'_>) -> Result<(), RecordError>;
}

/// Knows the stations of an enrolment authority.
pub trait StationRegistry: AnswerStore {
    /// Returns the station with a canonical identifier.
    ///
    /// # Errors
    /// [`StorageFailure`].
    fn station(&self, canonical_id: &[u8]) -> Result<Option<RegisteredStation>, StorageFailure>;

    /// Returns the enrolment credential with a hash, encoded, and its station.
    ///
    /// # Errors
    /// [`StorageFailure`].
    fn credential(
        &self,
        id: HashedId8,
    ) -> Result<Option<(RegisteredStation, Vec<u8>)>, StorageFailure>;

    /// Returns how many tickets that were consented to are valid in a period, for a station.
    ///
    /// # Errors
    /// [`StorageFailure`].
    fn tickets(
        &self,
        canonical_id: &[u8],
        start: Time64,
        end: Time64,
    ) -> Result<u32, StorageFailure>;
}
