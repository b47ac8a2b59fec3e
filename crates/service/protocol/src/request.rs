//! Requests of clients.

use std::time::Duration;

use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, ThreeDLocation};
use zeroize::Zeroizing;

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The client's number of the request; the response has it. The service does not look at it.
    pub id: u64,
    /// Time from reception for which the answer is of use; `None` for the default of the service's
    /// configuration.
    pub deadline: Option<Duration>,
    /// Requested operation.
    pub operation: RequestedOperation,
}

/// A requested operation.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestedOperation {
    /// Sign a payload (SN-SIGN, `Sec-SignedData`, `WME_SEC_SIGN_DATA`).
    Sign(SignRequest),
    /// Verify a message (SN-VERIFY, `Sec-SignedDataVerification`, `WME_SEC_VERIFY_DATA`).
    Verify(VerifyRequest),
    /// Verify at most [`MESSAGES_MAX`](super::MESSAGES_MAX) messages; one response has all
    /// verdicts, in order.
    VerifyMany(Vec<VerifyRequest>),
    /// Encrypt data (SN-ENCRYPT).
    Encrypt(EncryptRequest),
    /// Decrypt a message (SN-DECRYPT).
    Decrypt(DecryptRequest),
    /// Return the status of a certificate.
    CertificateStatus(CertificateQuery),
    /// Report what the service has counted, as JSON.
    Statistics,
    /// Report whether the service works, as JSON.
    Health,
    /// Show a token, which grants what the configuration says, for this connection.
    Authenticate(ClientToken),
    /// Send every verdict from now on as an event.
    Subscribe,
    /// Sign the messages of an application with another pseudonym from now on
    /// (SN-IDCHANGE-TRIGGER).
    ChangeCertificate(Psid),
}

/// A payload to sign.
#[derive(Clone, Debug, PartialEq)]
pub struct SignRequest {
    /// Application of the message.
    pub psid: Psid,
    /// The service specific permissions that the message needs; `None` is not compared.
    pub permissions: Option<Vec<u8>>,
    /// Payload of the message.
    pub payload: Vec<u8>,
    /// Form in which the message names its signer; `None` for that of the application's profile.
    pub signer: Option<SignerForm>,
    /// Generation location; `None` for that of the service's position source.
    pub location: Option<ThreeDLocation>,
    /// Time until the message expires; `None` for that of the application's profile.
    pub lifetime: Option<Duration>,
}

/// A message to verify.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyRequest {
    /// The message: an SPDU, a WAVE short message, or a GeoNetworking packet.
    pub message: Vec<u8>,
    /// Application that the message is for; `None` for any.
    pub psid: Option<Psid>,
    /// True if the verdict reports the payload check whatever its result; else only one that
    /// failed.
    pub reports_payload_check: bool,
}

/// Data to encrypt.
#[derive(Clone, Debug, PartialEq)]
pub struct EncryptRequest {
    /// Encryption keys of the recipients.
    pub recipients: Vec<EncryptionKeyOf>,
    /// Data to encrypt.
    pub data: Vec<u8>,
    /// True if the data is an `Ieee1609Dot2Data` already, such as a signed message. Else it becomes
    /// the content of an unsecured one.
    pub is_secured: bool,
}

/// The owner of an encryption key.
#[derive(Clone, Debug, PartialEq)]
pub enum EncryptionKeyOf {
    /// The holder of this certificate.
    Certificate(Vec<u8>),
    /// The holder of a certificate that the service knows, by its HashedId8.
    Known(HashedId8),
}

/// A message to decrypt.
#[derive(Clone, Debug, PartialEq)]
pub struct DecryptRequest {
    /// The encrypted message.
    pub message: Vec<u8>,
}

/// A certificate whose status is requested.
#[derive(Clone, Debug, PartialEq)]
pub enum CertificateQuery {
    /// By its HashedId8.
    Id(HashedId8),
    /// By itself.
    Certificate(Vec<u8>),
}

/// A client's proof for a grant: 1 to [`TOKEN_BYTES_MAX`](super::TOKEN_BYTES_MAX) printable ASCII
/// characters without spaces.
#[derive(Clone, PartialEq)]
pub struct ClientToken(pub Zeroizing<Vec<u8>>);

impl std::fmt::Debug for ClientToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl From<CertificateQuery> for EncryptionKeyOf {
    fn from(query: CertificateQuery) -> Self {
        match query {
            CertificateQuery::Certificate(certificate) => Self::Certificate(certificate),
            CertificateQuery::Id(id) => Self::Known(id),
        }
    }
}
